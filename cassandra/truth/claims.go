package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// claimStatements are those of a table of claims: which user owns a unique text. The owner is a user and the command
// that claimed it, so that the late release of a claim can't undo a later one of the same user.
type claimStatements struct{ insert, renew, release, owner cql.Statement }

var claims = func() map[*blog.UniqueKey]claimStatements {
	all := map[*blog.UniqueKey]claimStatements{}
	for _, k := range blog.UniqueKeys {
		table, key := string(k.Claims), k.Claims.RowKey()[0]
		of := func(text string) cql.Statement { return cql.On(k.Claims, text) }
		mine := " WHERE " + key + " = ? IF user_id = ? AND command_id = ?"
		all[k] = claimStatements{
			insert:  of("INSERT INTO " + table + " (" + key + ", user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS"),
			renew:   of("UPDATE " + table + " SET command_id = ?" + mine),
			release: of("DELETE FROM " + table + mine),
			owner:   of("SELECT user_id, command_id FROM " + table + " WHERE " + key + " = ?"),
		}
	}
	return all
}()

// Claim is a text that a user owns or wants to own.
type Claim struct {
	On      *blog.UniqueKey
	Key     string
	User    blog.UserID // zero: it is free
	Command blog.CommandID
}

// Claims are those of a cluster.
type Claims struct {
	db    *cql.Session
	users *Users
}

// Take makes the claim. Taken: the text is another's, and is not yielded. An unknown outcome is settled by the same
// conditional write once more, for a read can't: a claim that it shows absent may still come. lost: an answer was lost
// on the way, so an attempt may come even when the claim that was made has been given back.
func (s Claims) Take(ctx context.Context, c Claim) (lost bool, err error) {
	others := cql.Contest{Table: c.On.Claims, Key: c.Key}
	err = cql.Insist(ctx, func(ctx context.Context) error {
		now, err := s.Insert(ctx, c)
		by := now.Command.UUID
		switch {
		case err != nil:
			lost = true
			return err
		case now.User != c.User:
			if err := s.yield(ctx, now); err != nil {
				return err
			}
			if err := others.Refused(ctx, by); err != nil {
				return err
			}
			return cql.ErrRefused // it is free, or another's
		case now.Command == c.Command:
			return nil
		}
		// The user's own older claim, which a rename away from the text may be about to release, becomes this command's.
		renewed, _, err := s.db.CompareAndSet(ctx, claims[c.On].renew.With(cql.ID(c.Command.UUID), c.Key, cql.ID(c.User.UUID), cql.ID(by)))
		if err != nil || renewed {
			return err
		}
		if err := others.Refused(ctx, by); err != nil {
			return err
		}
		return cql.ErrRefused // released or renewed meanwhile: look again
	})
	if lost {
		err = cql.Unsure(err)
	}
	return lost, err
}

// yield gives up another's claim on an address, whose owner has that and has not verified it. An edit by which the
// owner is about to verify it relies on the claim, too: raising the stamp makes it fail and claim again. Taken: the
// claim stays.
func (s Claims) yield(ctx context.Context, held Claim) error {
	if held.On.Yields == nil {
		return held.On.Taken()
	}
	owner, err := s.users.Read(ctx, held.User, s.db.OneSerial)
	if err == nil && held.On.Yields(owner.User, held.Key) {
		owner, err = s.users.Fence(ctx, held.User)
	}
	switch {
	case blog.KindOf(err) == blog.Forbidden && err != nil, err == nil && !held.On.Yields(owner.User, held.Key):
		return held.On.Taken()
	case err != nil:
		return err
	}
	return s.Release(ctx, held)
}

// Insert makes the claim where the text is free, and returns the claim that stands then.
func (s Claims) Insert(ctx context.Context, c Claim) (Claim, error) {
	applied, current, err := s.db.CompareAndSet(ctx, claims[c.On].insert.With(c.Key, cql.ID(c.User.UUID), cql.ID(c.Command.UUID)))
	if err == nil && !applied {
		c.User.UUID, c.Command.UUID = blog.UUID(current["user_id"].(gocql.UUID)), blog.UUID(current["command_id"].(gocql.UUID))
	}
	return c, err
}

// Release gives the claim up, if it is still this command's.
func (s Claims) Release(ctx context.Context, c Claim) error {
	_, _, err := s.db.CompareAndSet(ctx, claims[c.On].release.With(c.Key, cql.ID(c.User.UUID), cql.ID(c.Command.UUID)))
	return err
}

// ReleaseAll gives claims up, as far as it can be done now.
func (s Claims) ReleaseAll(ctx context.Context, claims []Claim) error {
	for _, c := range claims {
		if err := cql.Insist(ctx, func(ctx context.Context) error { return s.Release(ctx, c) }); err != nil {
			return err
		}
	}
	return nil
}

// Held returns the claim under which a user holds a text now.
func (s Claims) Held(ctx context.Context, on *blog.UniqueKey, key string, user blog.UserID) (Claim, error) {
	c := Claim{On: on, Key: key, User: user}
	var owner blog.UserID
	err := s.db.One(ctx, claims[on].owner.With(key), cql.Into(&owner.UUID), cql.Into(&c.Command.UUID))
	return c, cql.AbsentIsZero(err)
}

// Now returns the claim on a text, by the serial consistency.
func (s Claims) Now(ctx context.Context, on *blog.UniqueKey, key string) (Claim, error) {
	c := Claim{On: on, Key: key}
	err := s.db.OneSerial(ctx, claims[on].owner.With(key), cql.Into(&c.User.UUID), cql.Into(&c.Command.UUID))
	return c, cql.AbsentIsZero(err)
}
