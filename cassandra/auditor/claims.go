package auditor

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

func (a *reader) Listed(ctx context.Context, k *blog.UniqueKey, key string) ([]blog.UserID, error) {
	return patient(ctx, a.Auditor, func(ctx context.Context) (users []blog.UserID, err error) {
		err = a.DB.Scan(ctx, tables.Cards[k].With(key), func(row gocql.Scanner) error {
			var u blog.User
			err := row.Scan(tables.Users.Into(&u, &u.Stamp, cql.Into(&u.ID.UUID))...)
			users = append(users, u.ID)
			return err
		})
		return users, err
	})
}

// repairClaim gives a user the claim on its text, or releases the claim of a user that does not
// have the text.
func (s *Auditor) repairClaim(ctx context.Context, d audit.Drift) error {
	key, user := d.Key[0].(string), d.Key[1].(blog.UserID)
	if d.Deletes > 0 {
		held, err := s.Truths.Claims.Now(ctx, d.Table.UniqueKey(), key)
		if err != nil || held.User != user {
			return err
		}
		return s.releaseUnused(ctx, held)
	}
	claim := truth.Claim{On: d.Table.UniqueKey(), Key: key, User: user, Command: s.Journal.NewCommand()}
	now, err := s.Truths.Claims.Insert(ctx, claim)
	if err != nil {
		return err
	}
	if now.User != user {
		return blog.Errorf(blog.Invalid, "somebody else holds the claim: repair again once it is released")
	}
	return s.releaseUnused(ctx, now) // an edit under way may change the text, and does not know of this claim
}

// releaseUnused releases a claim unless its owner has the text. The raised stamp first makes every edit
// fail, and look again, that goes by what it read before.
func (s *Auditor) releaseUnused(ctx context.Context, c truth.Claim) error {
	owner, err := s.Truths.Users.Fence(ctx, c.User)
	if blog.KindOf(err) == blog.Forbidden {
		return s.releaseOfNobody(ctx, c)
	}
	if err != nil || c.On.OwnedBy(owner.User, c.Key) {
		return err
	}
	return s.Truths.Claims.Release(ctx, c)
}

// releaseOfNobody releases the claim of an owner without an account. It writes nothing in the account's
// place, which would end an account that is lost. So it first takes the claim over. A createUser that took
// it before is unfinished, or has ended, and its user exists; one that begins now, under the same ids,
// takes the claim once more, and that claim is not released.
func (s *Auditor) releaseOfNobody(ctx context.Context, c truth.Claim) error {
	c.Command = s.Journal.NewCommand()
	if _, err := s.Truths.Claims.Take(ctx, c); err != nil {
		return err
	}
	unfinished, err := s.Recovery.Unfinished(ctx)
	if err != nil {
		return err
	}
	fate, err := audit.FateOf(ctx, truthReader{s, true}, blog.UsersByID, c.User)
	if err != nil {
		return err
	}
	if fate == audit.Standing || unfinished.Users[c.User] {
		return blog.Errorf(blog.Unavailable, "the owner was created meanwhile, or a command is at work on it")
	}
	return s.Truths.Claims.Release(ctx, c)
}
