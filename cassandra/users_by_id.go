package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

// selectUsersByID: a row without a username is what a createUser that was given up
// left behind.
var selectUsersByID = cql.On(blog.UsersByID,
	`SELECT `+tables.Users.Columns+`, stamp FROM users_by_id WHERE user_id = ?`)

// UserByID reads the truth itself.
func (s *Store) UserByID(ctx context.Context, user blog.UserID) (blog.User, error) {
	u := blog.User{ID: user}
	err := s.db.One(ctx, selectUsersByID.With(cql.ID(user.UUID)), tables.Users.Into(&u, &u.Stamp)...)
	if err == cql.ErrAbsent || err == nil && (u.Username == "" || u.IsErased()) {
		err = blog.ErrNoUser()
	}
	if err != nil {
		return blog.User{}, err
	}
	return u, nil
}

// userStands returns NotFound where there is no such user.
func (s *Store) userStands(ctx context.Context, user blog.UserID) error {
	account, err := s.truths.Users.Account(ctx, user)
	if err == nil && account.Gone() {
		err = blog.ErrNoUser()
	}
	return err
}
