package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

// Placeholder is what stands where a user that was not created yet would: nothing, or a row without a username. Such a
// row is written before the claims of a createUser are released, so that a command which relied on them fails and
// claims again. Each one has a higher stamp than the one before:
//
//	                     claims taken          INSERT IF NOT EXISTS
//	creator    ──────────────┬─────── pause ──────────┬─ refused: placeholder, stamp 7
//	recovery                 │  placeholder, stamp 7  │  claims taken again
//	                         └─ released              └─ UPDATE IF stamp = 7 ▶ applied
type Placeholder struct {
	stands bool
	Final  bool // the command was refused: the user can't be created any more
	Stamp  int64
}

// The versions of a placeholder's row.
const (
	versionFenced  = 0  // the same command, run again, may still create the user
	versionRefused = -1 // no command may
	versionErased  = -2 // likewise, for the user stood and was erased
)

func (p Placeholder) version() int {
	if p.Final {
		return versionRefused
	}
	return versionFenced
}

// Fill creates the user over a placeholder. Where something else stands by now, it returns that: the user, or another
// placeholder. keep is called before each attempt.
func (s *Users) Fill(ctx context.Context, before Placeholder, u blog.User, command blog.CommandID, keep func(context.Context) error) (created blog.User, now Placeholder, err error) {
	user, owner := cql.ID(u.ID.UUID), cql.ID(command.UUID)
	write := insertUser.With(tables.Users.Values(&u, u.Stamp, owner, user)...)
	if before.stands {
		write = fillPlaceholder.With(tables.Users.Edit(&u, u.Stamp, owner, user, before.version(), before.Stamp)...)
	}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		if err := keep(ctx); err != nil {
			return err
		}
		applied, _, err := s.db.CompareAndSet(ctx, write)
		if err != nil {
			return err
		}
		if created, now = u, (Placeholder{}); !applied {
			created, now, err = s.userOrPlaceholder(ctx, u.ID)
		}
		return err
	})
	return created, now, err
}

// userOrPlaceholder reads the user, as later edits have it too, or what stands in its stead.
func (s *Users) userOrPlaceholder(ctx context.Context, u blog.UserID) (blog.User, Placeholder, error) {
	t, err := s.Read(ctx, u, s.db.OneSerial)
	if blog.KindOf(err) == blog.Forbidden {
		return blog.User{}, Placeholder{stands: t.Stamp > 0, Final: t.Version <= versionRefused, Stamp: t.Stamp}, nil
	}
	return t.User, Placeholder{}, err
}

// WasErased reports whether a user stood once, and was erased.
func (s *Users) WasErased(ctx context.Context, u blog.UserID) (bool, error) {
	t, err := s.Read(ctx, u, s.db.OneSerial)
	if blog.KindOf(err) == blog.Forbidden {
		return t.Wiped(), nil
	}
	return false, err
}

// Hold writes a placeholder, or another one, so that no createUser that claimed the user's names before can create it
// any more. It returns the user if it stands already. A final placeholder stays.
func (s *Users) Hold(ctx context.Context, u blog.UserID, command blog.CommandID, final bool) (standing *blog.User, err error) {
	others := cql.Contest{Table: blog.UsersByID, Key: u}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		created, now, err := s.userOrPlaceholder(ctx, u)
		switch {
		case err != nil:
			return err
		case created.Username != "":
			standing = &created
			return nil
		case now.Final:
			return nil
		}
		next := Placeholder{Final: final, Stamp: blog.NextStamp(s.clock, now.Stamp)}
		write := fenceUser.With(cql.ID(u.UUID), next.version(), next.Stamp, cql.ID(command.UUID))
		if now.stands {
			write = fenceUserAgain.With(next.version(), next.Stamp, cql.ID(command.UUID), cql.ID(u.UUID), now.version(), now.Stamp)
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
