package cassandra

import (
	"context"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// auditedClaims is what an audit knows of a table of claims.
type auditedClaims struct {
	claimTable
	scan cql.Statement // of a range of tokens
}

var claimTables = map[blog.Table]auditedClaims{
	blog.UsernameClaims: {usernameClaims, cql.On(blog.UsernameClaims, `SELECT username_key, user_id FROM username_claims WHERE token(username_key) > ? AND token(username_key) <= ?`)},
	blog.EmailClaims:    {emailClaims, cql.On(blog.EmailClaims, `SELECT email_key, user_id FROM email_claims WHERE token(email_key) > ? AND token(email_key) <= ?`)},
	blog.SubjectClaims:  {subjectClaims, cql.On(blog.SubjectClaims, `SELECT subject_key, user_id FROM subject_claims WHERE token(subject_key) > ? AND token(subject_key) <= ?`)},
}

// listed holds the statements that name the users whom copies list under a key.
var listed = map[blog.Table]cql.Statement{
	blog.UsersByUsername: cql.On(blog.UsersByUsername, `SELECT user_id FROM users_by_username WHERE username_key = ?`),
	blog.UsersByEmail:    cql.On(blog.UsersByEmail, `SELECT user_id FROM users_by_email WHERE email_key = ?`),
	blog.UsersBySubject:  cql.On(blog.UsersBySubject, `SELECT user_id FROM users_by_subject WHERE subject_key = ?`),
}

// EachClaim is a method of blog.Audit.
func (a *auditReader) EachClaim(ctx context.Context, table blog.Table, part int, visit func(string, blog.UserID) error) error {
	return a.part(ctx, claimTables[table].scan, part, func(row gocql.Scanner) error {
		var key string
		var owner blog.UserID
		if err := row.Scan(&key, cql.Into(&owner.UUID)); err != nil {
			return err
		}
		return visit(key, owner)
	})
}

// Claimed is a method of blog.Audit.
func (a *auditReader) Claimed(ctx context.Context, table blog.Table, key string) (blog.UserID, error) {
	var now claim
	err := a.patiently(ctx, func(ctx context.Context) (err error) { now, err = a.claimNow(ctx, table, key); return err })
	return now.user, err
}

// claimNow reads a claim; one of nobody's where there is none.
func (s *Store) claimNow(ctx context.Context, table blog.Table, key string) (claim, error) {
	c := claim{in: claimTables[table].claimTable, key: key}
	err := s.db.OneSerial(ctx, c.in.owner.With(key), cql.Into(&c.user.UUID), cql.Into(&c.command.UUID))
	return c, cql.AbsentIsZero(err)
}

// Listed is a method of blog.Audit.
func (a *auditReader) Listed(ctx context.Context, table blog.Table, key string) ([]blog.UserID, error) {
	var users []blog.UserID
	err := a.patiently(ctx, func(ctx context.Context) error {
		users = nil
		return a.db.Scan(ctx, listed[table].With(key), func(row gocql.Scanner) error {
			var user blog.UserID
			err := row.Scan(cql.Into(&user.UUID))
			users = append(users, user)
			return err
		})
	})
	return users, err
}

// repairClaim gives a user the claim on what it has, or releases the claim of one who has
// not what it is on.
func (s *Store) repairClaim(ctx context.Context, d audit.Drift) error {
	key, user := d.Key[0].(string), d.Key[1].(blog.UserID)
	if d.Deletes == 0 {
		return s.giveClaim(ctx, claim{claimTables[d.Table].claimTable, key, user, s.newCommand()}, d.Table)
	}
	held, err := s.claimNow(ctx, d.Table, key)
	if err != nil || held.user != user {
		return err
	}
	return s.releaseUnused(ctx, held, d.Table)
}

// giveClaim makes a claim for a user that stands. An edit under way may take the user
// elsewhere, which knew of no claim that it would have to give back: raising the stamp
// makes it fail and look again, and what the user then has not is given back here.
func (s *Store) giveClaim(ctx context.Context, c claim, table blog.Table) error {
	applied, current, err := s.db.CompareAndSet(ctx, c.in.insert.With(c.key, cql.ID(c.user.UUID), cql.ID(c.command.UUID)))
	if err != nil {
		return err
	}
	if !applied {
		if blog.UUID(current["user_id"].(gocql.UUID)) != c.user.UUID {
			return blog.Errorf(blog.Invalid, "somebody else holds the claim: repair again once it is released")
		}
		c.command.UUID = blog.UUID(current["command_id"].(gocql.UUID))
	}
	return s.releaseUnused(ctx, c, table)
}

// releaseUnused releases a claim unless its owner has what it is on. Whoever is about to
// write the owner's truth by what it read before fails first: an edit of a user that
// stands by the raised stamp, the creation of one that does not by a placeholder in its
// place.
func (s *Store) releaseUnused(ctx context.Context, c claim, table blog.Table) error {
	owner, err := s.fence(ctx, c.user)
	if blog.KindOf(err) == blog.Forbidden {
		var standing *blog.User
		if standing, err = s.holdPlace(ctx, c.user, c.command, false); standing != nil {
			return blog.Errorf(blog.Unavailable, "the owner was created meanwhile")
		}
	}
	if err != nil || audit.ClaimedBy(owner.User, table, c.key) {
		return err
	}
	return s.release(ctx, c)
}
