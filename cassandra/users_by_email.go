package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

var selectUsersByEmail = cql.On(blog.UsersByEmail,
	`SELECT `+tables.Users.Columns+`, WRITETIME(username), user_id FROM users_by_email WHERE email_key = ?`)

// UserByEmail reads the copies of users under an address.
func (s *Store) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	key := blog.EmailKey(email)
	if key == "" || len(key) > maxKeyBytes {
		return blog.User{}, blog.ErrNoUser()
	}
	listed, err := s.usersOfCard(ctx, selectUsersByEmail.With(key))
	owner, found := blog.EmailOwner(key, listed)
	if err == nil && !found {
		err = blog.ErrNoUser()
	}
	return owner, err
}

// maxKeyBytes: Cassandra refuses a key above 64 KiB, and nothing has so long a one.
const maxKeyBytes = 4 * blog.MaxEmail
