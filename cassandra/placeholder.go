package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// placeholder is what stands where a user that was not created yet would: nothing, or a
// row without a username. Such a row is written before the claims of a createUser are
// released, so that a command which relied on them fails and claims again. Each one has
// a higher stamp than the one before:
//
//	                     claims taken          INSERT IF NOT EXISTS
//	creator    ──────────────┬─────── pause ──────────┬─ refused: placeholder, stamp 7
//	recovery                 │  placeholder, stamp 7  │  claims taken again
//	                         └─ released              └─ UPDATE IF stamp = 7 ▶ applied
type placeholder struct {
	stands bool
	final  bool // the command was refused: the user can't be created any more
	stamp  int64
}

// The versions of a placeholder's row.
const (
	versionFenced  = 0  // the same command, run again, may still create the user
	versionRefused = -1 // no command may
)

func (p placeholder) version() int {
	if p.final {
		return versionRefused
	}
	return versionFenced
}

// fill creates the user over a placeholder. Where something else stands by now, it returns
// that: the user, whose stamp is in u then, or another placeholder.
func (s *Store) fill(ctx context.Context, before placeholder, u blog.User, note *noted) (created blog.User, now placeholder, err error) {
	user, owner := cql.ID(u.ID.UUID), cql.ID(note.in.Command.UUID)
	write := insertUser.With(user, u.Subject, u.Username, u.Email, u.DisplayName, u.Bio, u.Version, u.Stamp, owner)
	if before.stands {
		write = fillPlaceholder.With(u.Subject, u.Username, u.Email, u.DisplayName, u.Bio, u.Version, u.Stamp, owner, user, before.version(), before.stamp)
	}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		if err := note.keep(ctx); err != nil {
			return err
		}
		applied, _, err := s.db.CompareAndSet(ctx, write)
		if err != nil {
			return err
		}
		if created, now = u, (placeholder{}); !applied {
			created, now, err = s.userOrPlaceholder(ctx, u)
		}
		return err
	})
	return created, now, err
}

// userOrPlaceholder reads the user, as its creation wrote it and as later edits have it, or
// what stands in its stead.
func (s *Store) userOrPlaceholder(ctx context.Context, u blog.User) (blog.User, placeholder, error) {
	t := blog.User{ID: u.ID}
	err := cql.AbsentIsZero(s.db.OneSerial(ctx, selectUserTruth.With(cql.ID(u.ID.UUID)), &t.Subject, &t.Username, &t.Email, &t.DisplayName,
		&t.Bio, &t.Version, &t.Stamp, new(gocql.UUID), new([]gocql.UUID)))
	if err != nil || t.Username != "" {
		return t, placeholder{}, err
	}
	return blog.User{}, placeholder{stands: t.Stamp > 0, final: t.Version == versionRefused, stamp: t.Stamp}, nil
}

// holdPlace writes a placeholder, or another one, so that no createUser that claimed the
// user's names before can create it any more. It returns the user if it stands already. A
// final placeholder stays.
func (s *Store) holdPlace(ctx context.Context, u blog.UserID, command blog.CommandID, final bool) (standing *blog.User, err error) {
	others := cql.Contest{Table: blog.UsersByID, Key: u}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		created, now, err := s.userOrPlaceholder(ctx, blog.User{ID: u})
		switch {
		case err != nil:
			return err
		case created.Username != "":
			standing = &created
			return nil
		case now.final:
			return nil
		}
		next := placeholder{final: final, stamp: blog.NextStamp(s.clock, now.stamp)}
		write := fenceUser.With(cql.ID(u.UUID), next.version(), next.stamp, cql.ID(command.UUID))
		if now.stands {
			write = fenceUserAgain.With(next.version(), next.stamp, cql.ID(command.UUID), cql.ID(u.UUID), now.version(), now.stamp)
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
