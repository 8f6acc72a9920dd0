package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

var selectUsersByEmail = cql.On(blog.UsersByEmail,
	`SELECT `+tables.UserColumns+`, WRITETIME(username), user_id FROM users_by_email WHERE email_key = ?`)

// UserByEmail reads the copy of the user under its address.
func (s *Store) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	key := blog.EmailKey(email)
	if key == "" || len(key) > maxKeyBytes {
		return blog.User{}, blog.ErrNoUser()
	}
	return s.userOfCard(ctx, selectUsersByEmail.With(key), func(u blog.User) bool { return u.Email != nil && blog.EmailKey(*u.Email) == key })
}

// maxKeyBytes: Cassandra refuses a key above 64 KiB, and nothing has so long a one.
const maxKeyBytes = 4 * blog.MaxEmail
