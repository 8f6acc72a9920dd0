package naive

import (
	"context"

	"broadsheet/blog"
)

var (
	selectUsers = statement{users,
		`SELECT subject, username, email, display_name, bio, version, verified_email FROM users WHERE user_id = ?`}
	selectUsernames = statement{users, `SELECT username FROM users WHERE user_id = ?`}
	insertUsers     = statement{users,
		`INSERT INTO users (user_id, subject, username, email, display_name, bio, version, verified_email)` +
			` VALUES (?, ?, ?, ?, ?, ?, ?, ?)`}
)

// UserByID answers Q1, in either version. NotFound.
func (k *Keyspace) UserByID(ctx context.Context, user blog.UserID) (blog.User, error) {
	u := blog.User{ID: user}
	err := k.one(ctx, selectUsers, []any{id(user.UUID)}, &u.Subject, &u.Username, &u.Email, &u.DisplayName, &u.Bio, &u.Version, &u.VerifiedEmail)
	return u, err
}

// CreateUser is C1, in either version: it does not look whether the name is taken.
func (k *Keyspace) CreateUser(ctx context.Context, c blog.CreateUser) (blog.User, error) {
	u := blog.User{ID: k.ids.User(), Subject: c.Subject, Username: c.Username, Email: c.Email, DisplayName: c.DisplayName, Bio: c.Bio, Version: 1}
	return u, k.putUser(ctx, u)
}

func (k *Keyspace) putUser(ctx context.Context, u blog.User) error {
	return k.write(ctx, insertUsers, id(u.ID.UUID), u.Subject, u.Username, u.Email, u.DisplayName, u.Bio, u.Version, u.VerifiedEmail)
}

// lookUp reads the name of a user.
func (k *Keyspace) lookUp(ctx context.Context, who *blog.Author) error {
	return k.one(ctx, selectUsernames, []any{id(who.ID.UUID)}, &who.Username)
}
