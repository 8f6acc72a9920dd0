package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// UserByUsername reads the copy of the user under its name.
func (s *Store) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	if username == "" || len(username) > blog.MaxUsername {
		return blog.User{}, blog.ErrNoUser()
	}
	return s.userOfCard(ctx, blog.ByUsername, blog.UsernameKey(username))
}

// maxOwners is how many rows are read under one key. There is one, but for the
// moment in which a former owner's row is still being deleted.
const maxOwners = 10

// userOfCard reads the user under a unique key. Of several rows that say that the
// key is theirs the one written last is right.
func (s *Store) userOfCard(ctx context.Context, k *blog.UniqueKey, key string) (blog.User, error) {
	var found blog.User
	listed, err := s.usersOfCard(ctx, k, key)
	for _, u := range listed {
		if u.Username != "" && k.Of(u) == key && u.Stamp > found.Stamp {
			found = u
		}
	}
	if err == nil && found.Username == "" {
		err = blog.ErrNoUser()
	}
	return found, err
}

// usersOfCard reads the copies of users under a unique key.
func (s *Store) usersOfCard(ctx context.Context, k *blog.UniqueKey, key string) (listed []blog.User, err error) {
	err = s.db.Each(ctx, tables.Cards[k].With(key), maxOwners, func(row gocql.Scanner) error {
		var u blog.User
		err := row.Scan(tables.Users.Into(&u, &u.Stamp, cql.Into(&u.ID.UUID))...)
		listed = append(listed, u)
		return err
	})
	return listed, err
}
