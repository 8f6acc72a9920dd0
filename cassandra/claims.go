package cassandra

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// claimTable holds who owns a unique text: conditional statements only. The owner
// is a user and the command that claimed it, so that the late release of a claim
// can't undo a later one of the same user.
type claimTable struct {
	field   string // of the command's input, for errors
	insert  cql.Statement
	renew   cql.Statement
	release cql.Statement
	owner   cql.Statement
}

var (
	usernameClaims = claimTable{
		field:   "username",
		insert:  cql.On(blog.UsernameClaims, `INSERT INTO username_claims (username_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		renew:   cql.On(blog.UsernameClaims, `UPDATE username_claims SET command_id = ? WHERE username_key = ? IF user_id = ? AND command_id = ?`),
		release: cql.On(blog.UsernameClaims, `DELETE FROM username_claims WHERE username_key = ? IF user_id = ? AND command_id = ?`),
		owner:   cql.On(blog.UsernameClaims, `SELECT user_id, command_id FROM username_claims WHERE username_key = ?`),
	}
	emailClaims = claimTable{
		field:   "email",
		insert:  cql.On(blog.EmailClaims, `INSERT INTO email_claims (email_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		renew:   cql.On(blog.EmailClaims, `UPDATE email_claims SET command_id = ? WHERE email_key = ? IF user_id = ? AND command_id = ?`),
		release: cql.On(blog.EmailClaims, `DELETE FROM email_claims WHERE email_key = ? IF user_id = ? AND command_id = ?`),
		owner:   cql.On(blog.EmailClaims, `SELECT user_id, command_id FROM email_claims WHERE email_key = ?`),
	}
	subjectClaims = claimTable{
		insert:  cql.On(blog.SubjectClaims, `INSERT INTO subject_claims (subject_key, user_id, command_id) VALUES (?, ?, ?) IF NOT EXISTS`),
		release: cql.On(blog.SubjectClaims, `DELETE FROM subject_claims WHERE subject_key = ? IF user_id = ? AND command_id = ?`),
		owner:   cql.On(blog.SubjectClaims, `SELECT user_id, command_id FROM subject_claims WHERE subject_key = ?`),
	}
)

// claim is a text that a user owns or wants to own.
type claim struct {
	in      claimTable
	key     string
	user    blog.UserID
	command blog.CommandID
}

// take makes the claim. Taken: the text is somebody else's. An unknown outcome is
// settled by the same conditional write once more, for a read can't: a claim that
// it shows absent may still come.
func (s *Store) take(ctx context.Context, c claim) error {
	lost, others := false, cql.Contest{Table: c.in.insert.Table, Key: c.key}
	err := cql.Insist(ctx, func(ctx context.Context) error {
		applied, current, err := s.db.CompareAndSet(ctx, c.in.insert.With(c.key, cql.ID(c.user.UUID), cql.ID(c.command.UUID)))
		if err != nil || applied {
			lost = lost || err != nil
			return err
		}
		owner, by := blog.UUID(current["user_id"].(gocql.UUID)), blog.UUID(current["command_id"].(gocql.UUID))
		switch {
		case owner != c.user.UUID:
			return c.taken()
		case by == c.command.UUID:
			return nil
		case c.in.renew.Text == "":
			return c.taken()
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
	var refused *blog.Error
	if lost && errors.As(err, &refused) && refused.Kind == blog.Taken {
		return &blog.Error{Kind: refused.Kind, Field: refused.Field, Message: refused.Message, Err: errMayCome}
	}
	return err
}

// errMayCome is the cause of a refusal where an earlier attempt at the claim may still be
// applied: the command's intent stays open, and recovery gives the claim back.
var errMayCome = errors.New("an attempt at a claim whose answer was lost may come late")

// renew makes the user's own older claim, which a rename away from the text may be
// about to release, this command's.
func (s *Store) renew(ctx context.Context, c claim, from blog.UUID) (applied bool, err error) {
	applied, _, err = s.db.CompareAndSet(ctx, c.in.renew.With(cql.ID(c.command.UUID), c.key, cql.ID(c.user.UUID), cql.ID(from)))
	return applied, err
}

func (c claim) taken() error {
	if c.in.field == "" {
		return blog.ErrSubjectTaken()
	}
	return blog.ErrTaken(c.in.field)
}

// release gives the claim up, if it is still this command's.
func (s *Store) release(ctx context.Context, c claim) error {
	_, _, err := s.db.CompareAndSet(ctx, c.in.release.With(c.key, cql.ID(c.user.UUID), cql.ID(c.command.UUID)))
	return err
}

// releaseAll gives claims up, as far as it can be done now.
func (s *Store) releaseAll(ctx context.Context, claims []claim) error {
	for _, c := range claims {
		if err := cql.Insist(ctx, func(ctx context.Context) error { return s.release(ctx, c) }); err != nil {
			return err
		}
	}
	return nil
}

// held returns the claim under which a user holds a text now.
func (s *Store) held(ctx context.Context, in claimTable, key string, user blog.UserID) (claim, error) {
	c := claim{in: in, key: key, user: user}
	var owner blog.UserID
	err := s.db.One(ctx, in.owner.With(key), cql.Into(&owner.UUID), cql.Into(&c.command.UUID))
	return c, cql.AbsentIsZero(err)
}
