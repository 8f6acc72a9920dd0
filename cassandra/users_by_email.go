package cassandra

import (
	"context"

	"broadsheet/blog"
)

// UserByEmail reads the copies of users under an address.
func (s *Store) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	key := blog.EmailKey(email)
	if key == "" || len(key) > maxKeyBytes {
		return blog.User{}, blog.ErrNoUser()
	}
	listed, err := s.usersOfCard(ctx, blog.ByEmail, key)
	owner, found := blog.EmailOwner(key, listed)
	if err == nil && !found {
		err = blog.ErrNoUser()
	}
	return owner, err
}

// maxKeyBytes: Cassandra refuses a key above 64 KiB, and nothing has so long a one.
const maxKeyBytes = 4 * blog.MaxEmail
