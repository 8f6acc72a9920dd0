package truth

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// ClaimTable holds who owns a unique text: conditional statements only. The owner
// is a user and the command that claimed it, so that the late release of a claim
// can't undo a later one of the same user.
type ClaimTable struct {
	Field   string        // of the command's input, for errors
	Scan    cql.Statement // claims of a range of tokens
	insert  cql.Statement
	renew   cql.Statement
	release cql.Statement
	owner   cql.Statement
}

var (
	UsernameClaims = ClaimTable{
		Field: "username",
		insert: cql.On(blog.UsernameClaims,
			`INSERT INTO username_claims (username_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		renew: cql.On(blog.UsernameClaims, `UPDATE username_claims SET command_id = ? WHERE username_key = ?`+
			` IF user_id = ? AND command_id = ?`),
		release: cql.On(blog.UsernameClaims,
			`DELETE FROM username_claims WHERE username_key = ? IF user_id = ? AND command_id = ?`),
		Scan: cql.On(blog.UsernameClaims, `SELECT username_key, user_id FROM username_claims`+
			` WHERE token(username_key) > ? AND token(username_key) <= ?`),
		owner: cql.On(blog.UsernameClaims, `SELECT user_id, command_id FROM username_claims WHERE username_key = ?`),
	}
	EmailClaims = ClaimTable{
		Field: "email",
		insert: cql.On(blog.EmailClaims,
			`INSERT INTO email_claims (email_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		renew: cql.On(blog.EmailClaims,
			`UPDATE email_claims SET command_id = ? WHERE email_key = ? IF user_id = ? AND command_id = ?`),
		release: cql.On(blog.EmailClaims,
			`DELETE FROM email_claims WHERE email_key = ? IF user_id = ? AND command_id = ?`),
		Scan: cql.On(blog.EmailClaims,
			`SELECT email_key, user_id FROM email_claims WHERE token(email_key) > ? AND token(email_key) <= ?`),
		owner: cql.On(blog.EmailClaims, `SELECT user_id, command_id FROM email_claims WHERE email_key = ?`),
	}
	SubjectClaims = ClaimTable{
		insert: cql.On(blog.SubjectClaims,
			`INSERT INTO subject_claims (subject_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		renew: cql.On(blog.SubjectClaims, `UPDATE subject_claims SET command_id = ? WHERE subject_key = ?`+
			` IF user_id = ? AND command_id = ?`),
		release: cql.On(blog.SubjectClaims,
			`DELETE FROM subject_claims WHERE subject_key = ? IF user_id = ? AND command_id = ?`),
		Scan: cql.On(blog.SubjectClaims, `SELECT subject_key, user_id FROM subject_claims`+
			` WHERE token(subject_key) > ? AND token(subject_key) <= ?`),
		owner: cql.On(blog.SubjectClaims, `SELECT user_id, command_id FROM subject_claims WHERE subject_key = ?`),
	}
)

// Claim is a text that a user owns or wants to own.
type Claim struct {
	In      ClaimTable
	Key     string
	User    blog.UserID // zero: it is free
	Command blog.CommandID
}

// ClaimTables are those of all claims.
var ClaimTables = map[blog.Table]ClaimTable{
	blog.UsernameClaims: UsernameClaims, blog.EmailClaims: EmailClaims, blog.SubjectClaims: SubjectClaims,
}

// Claims are those of a cluster.
type Claims struct {
	db    *cql.Session
	users *Users
}

// Take makes the claim. Taken: the text is another's, who does not yield it. An unknown outcome is
// settled by the same conditional write once more, for a read can't: a claim that
// it shows absent may still come. lost: an answer was lost on the way, so an attempt may come
// even when the claim that was made has been given back.
func (s Claims) Take(ctx context.Context, c Claim) (lost bool, err error) {
	others := cql.Contest{Table: c.In.insert.Table, Key: c.Key}
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
		renewed, err := s.renew(ctx, c, by)
		if err != nil || renewed {
			return err
		}
		if err := others.Refused(ctx, by); err != nil {
			return err
		}
		return cql.ErrRefused // released or renewed meanwhile: look again
	})
	if lost {
		err = MayCome(err)
	}
	return lost, err
}

// yield gives up another's claim that is to keep nobody from the text: one on an address, whose
// owner has that and has not verified it. An edit by which the owner is about to verify it relies on
// the claim, too: raising the stamp makes it fail and claim again. Taken: the claim is as good as any.
func (s Claims) yield(ctx context.Context, held Claim) error {
	if held.In.Field != EmailClaims.Field {
		return held.taken()
	}
	owner, err := s.users.Read(ctx, held.User, s.db.OneSerial)
	if err == nil && owner.YieldsEmail(held.Key) {
		owner, err = s.users.Fence(ctx, held.User)
	}
	switch {
	case blog.KindOf(err) == blog.Forbidden && err != nil, err == nil && !owner.YieldsEmail(held.Key):
		return held.taken()
	case err != nil:
		return err
	}
	return s.Release(ctx, held)
}

// Insert makes the claim where the text is free, and returns the claim that stands then.
func (s Claims) Insert(ctx context.Context, c Claim) (Claim, error) {
	applied, current, err := s.db.CompareAndSet(ctx, c.In.insert.With(c.Key, cql.ID(c.User.UUID), cql.ID(c.Command.UUID)))
	if err == nil && !applied {
		c.User.UUID, c.Command.UUID = blog.UUID(current["user_id"].(gocql.UUID)), blog.UUID(current["command_id"].(gocql.UUID))
	}
	return c, err
}

// ErrMayCome is the cause of a refusal where an earlier attempt at the claim may still be
// applied: the command's intent stays open, and recovery gives the claim back.
var ErrMayCome = errors.New("an attempt at a claim whose answer was lost may come late")

// MayCome gives a refusal the cause [ErrMayCome]. A failure, which has a cause of its own, stays.
func MayCome(err error) error {
	var refused *blog.Error
	if !errors.As(err, &refused) || refused.Err != nil {
		return err
	}
	return &blog.Error{Kind: refused.Kind, Field: refused.Field, Message: refused.Message, Err: ErrMayCome}
}

// renew makes the user's own older claim, which a rename away from the text may be
// about to release, this command's.
func (s Claims) renew(ctx context.Context, c Claim, from blog.UUID) (applied bool, err error) {
	applied, _, err = s.db.CompareAndSet(ctx, c.In.renew.With(cql.ID(c.Command.UUID), c.Key, cql.ID(c.User.UUID), cql.ID(from)))
	return applied, err
}

func (c Claim) taken() error {
	if c.In.Field == "" {
		return blog.ErrSubjectTaken()
	}
	return blog.ErrTaken(c.In.Field)
}

// Release gives the claim up, if it is still this command's.
func (s Claims) Release(ctx context.Context, c Claim) error {
	_, _, err := s.db.CompareAndSet(ctx, c.In.release.With(c.Key, cql.ID(c.User.UUID), cql.ID(c.Command.UUID)))
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
func (s Claims) Held(ctx context.Context, in ClaimTable, key string, user blog.UserID) (Claim, error) {
	c := Claim{In: in, Key: key, User: user}
	var owner blog.UserID
	err := s.db.One(ctx, in.owner.With(key), cql.Into(&owner.UUID), cql.Into(&c.Command.UUID))
	return c, cql.AbsentIsZero(err)
}

// Now returns the claim on a text, by the serial consistency.
func (s Claims) Now(ctx context.Context, in ClaimTable, key string) (Claim, error) {
	c := Claim{In: in, Key: key}
	err := s.db.OneSerial(ctx, in.owner.With(key), cql.Into(&c.User.UUID), cql.Into(&c.Command.UUID))
	return c, cql.AbsentIsZero(err)
}
