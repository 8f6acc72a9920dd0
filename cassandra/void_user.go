package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// vacancy is what stands in the place of a user that was not created yet. Nothing does,
// or a void row: one without a username, that somebody wrote who is about to release
// the claims of a createUser, so that whoever relied on them fails and claims again.
// Each such fence has a higher stamp:
//
//	                     claims taken          INSERT IF NOT EXISTS
//	creator    ──────────────┬─────── pause ──────────┬─ refused: void, stamp 7
//	recovery                 │  void, stamp 7         │  claims taken again
//	                         └─ released              └─ UPDATE IF stamp = 7 ▶ applied
type vacancy struct {
	void  bool
	final bool // the command was refused: nobody may create the user any more
	stamp int64
}

// The versions of a void row.
const (
	versionFenced  = 0  // whoever runs the same command again may still create the user
	versionRefused = -1 // nobody may
)

func (v vacancy) version() int {
	if v.final {
		return versionRefused
	}
	return versionFenced
}

// fill creates the user where v stands. Where something else does by now, it returns
// that: the user, whose stamp is in u then, or another vacancy.
func (s *Store) fill(ctx context.Context, v vacancy, u blog.User, note *noted) (created blog.User, now vacancy, err error) {
	user, owner := cql.ID(u.ID.UUID), cql.ID(note.in.Command.UUID)
	write := insertUser.With(user, u.Subject, u.Username, u.Email, u.DisplayName, u.Bio, u.Version, u.Stamp, owner)
	if v.void {
		write = fillVoidUser.With(u.Subject, u.Username, u.Email, u.DisplayName, u.Bio, u.Version, u.Stamp, owner, user, v.version(), v.stamp)
	}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		if err := note.keep(ctx); err != nil {
			return err
		}
		applied, _, err := s.db.CompareAndSet(ctx, write)
		if err != nil {
			return err
		}
		if created, now = u, (vacancy{}); !applied {
			created, now, err = s.place(ctx, u)
		}
		return err
	})
	return created, now, err
}

// place reads what stands in a user's place: the user, as its creation wrote it and as
// later edits have it, or a vacancy.
func (s *Store) place(ctx context.Context, u blog.User) (blog.User, vacancy, error) {
	t := blog.User{ID: u.ID}
	err := cql.AbsentIsZero(s.db.OneSerial(ctx, selectUserTruth.With(cql.ID(u.ID.UUID)), &t.Subject, &t.Username, &t.Email, &t.DisplayName,
		&t.Bio, &t.Version, &t.Stamp, new(gocql.UUID), new([]gocql.UUID)))
	if err != nil || t.Username != "" {
		return t, vacancy{}, err
	}
	return blog.User{}, vacancy{void: t.Stamp > 0, final: t.Version == versionRefused, stamp: t.Stamp}, nil
}

// voidPlace makes a user's place void, or void again, so that no createUser that claimed
// its names before can create it any more. It returns the user if it stands already. A
// final void stays.
func (s *Store) voidPlace(ctx context.Context, u blog.UserID, command blog.CommandID, final bool) (standing *blog.User, err error) {
	others := cql.Contest{Table: blog.UsersByID, Key: u}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		created, now, err := s.place(ctx, blog.User{ID: u})
		switch {
		case err != nil:
			return err
		case created.Username != "":
			standing = &created
			return nil
		case now.final:
			return nil
		}
		next := vacancy{final: final, stamp: blog.NextStamp(s.clock, now.stamp)}
		write := voidUser.With(cql.ID(u.UUID), next.version(), next.stamp, cql.ID(command.UUID))
		if now.void {
			write = voidUserAgain.With(next.version(), next.stamp, cql.ID(command.UUID), cql.ID(u.UUID), now.version(), now.stamp)
		}
		applied, _, err := s.db.CompareAndSet(ctx, write)
		if err == nil && !applied {
			if err := others.Refused(ctx, now); err != nil {
				return err
			}
			return cql.ErrRefused
		}
		return err
	})
	return standing, err
}
