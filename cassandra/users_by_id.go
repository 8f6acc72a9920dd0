package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// selectUsersByID: a row without a username is what a createUser that was given up
// left behind.
var selectUsersByID = cql.On(blog.UsersByID,
	`SELECT username, subject, email, display_name, bio, version, stamp FROM users_by_id`+
		` WHERE user_id = ?`)

// UserByID reads the truth itself.
func (s *Store) UserByID(ctx context.Context, user blog.UserID) (blog.User, error) {
	u := blog.User{ID: user}
	err := s.db.One(ctx, selectUsersByID.With(cql.ID(user.UUID)), &u.Username, &u.Subject, &u.Email, &u.DisplayName, &u.Bio, &u.Version, &u.Stamp)
	if err == cql.ErrAbsent || err == nil && u.Username == "" {
		err = blog.ErrNoUser()
	}
	if err != nil {
		return blog.User{}, err
	}
	return u, nil
}

// userStands returns NotFound where there is no such user.
func (s *Store) userStands(ctx context.Context, user blog.UserID) error {
	_, err := s.truths.Users.Name(ctx, user)
	if blog.KindOf(err) == blog.Forbidden {
		return blog.ErrNoUser()
	}
	return err
}
