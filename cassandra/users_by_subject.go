package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

var selectUsersBySubject = cql.On(blog.UsersBySubject,
	`SELECT `+tables.Users.Columns+`, WRITETIME(username), user_id FROM users_by_subject WHERE subject_key = ?`)

// UserBySubject reads the copy of the user that a token's subject acts for.
func (s *Store) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	if subject == "" || len(subject) > blog.MaxIssuerBytes+1+blog.MaxSubjectBytes {
		return blog.User{}, blog.ErrNoUser()
	}
	return s.userOfCard(ctx, selectUsersBySubject.With(subject), func(u blog.User) bool { return u.Subject == subject })
}
