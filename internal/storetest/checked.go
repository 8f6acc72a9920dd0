package storetest

import (
	"context"
	"slices"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/decorate"
)

// Checked returns the store in a wrapper that fails the test where a method
// returns an error that is not the domain's, or is of a kind that the method's
// comment does not name.
func Checked(t testing.TB, store blog.Store) blog.Store {
	c := &checked{under: store, t: t}
	c.Store = decorate.Through(store, c.query)
	return c
}

type checked struct {
	blog.Store
	under blog.Store
	t     testing.TB
}

// alwaysFound are the queries that are never NotFound.
var alwaysFound = append([]string{"Feed"}, ofKinds(func(k *blog.ReactionKind) string { return k.ByUser.Declaration().Method })...)

func (c *checked) query(ctx context.Context, name string, query func(context.Context) error) error {
	c.t.Helper()
	err := query(ctx)
	if slices.Contains(alwaysFound, name) {
		c.check(name, err)
	} else {
		c.check(name, err, blog.NotFound)
	}
	return err
}

// What any method may return, and what any command may return beside that.
var (
	anywhere   = []blog.Kind{blog.Unavailable, blog.Timeout, blog.Internal}
	anyCommand = []blog.Kind{blog.Invalid, blog.TooLong, blog.Forbidden, blog.Suspended}
	keyOnly    = []string{"idempotencyKey"}
)

func (c *checked) check(method string, err error, declared ...blog.Kind) {
	c.t.Helper()
	if err == nil {
		return
	}
	all := blog.Each(err)
	if len(all) == 0 {
		c.t.Errorf("%s returned %T, which is not an error of the domain: %v", method, err, err)
	}
	for _, e := range all {
		if !slices.Contains(declared, e.Kind) && !slices.Contains(anywhere, e.Kind) {
			c.t.Errorf("%s returned an error of kind %q, which its comment does not name: %v", method, e.Kind, e)
		}
	}
}

func (c *checked) command(method string, err error, declared ...blog.Kind) {
	c.t.Helper()
	c.check(method, err, append(declared, anyCommand...)...)
}

// keyed is for the commands that take an idempotency key: what they made under
// it may be gone.
func (c *checked) keyed(method string, err error, declared ...blog.Kind) {
	c.t.Helper()
	for _, e := range blog.Each(err) {
		if e.Kind == blog.NotFound && slices.Equal(e.Field, keyOnly) {
			declared = append(declared, blog.NotFound)
		}
	}
	c.command(method, err, declared...)
}

func (c *checked) CreateUser(ctx context.Context, x blog.CreateUser) (blog.User, error) {
	u, err := c.Store.CreateUser(ctx, x)
	declared := []blog.Kind{blog.Invalid, blog.TooLong, blog.Taken}
	if x.IdempotencyKey != nil { // what it made may be gone
		declared = append(declared, blog.NotFound)
	}
	c.check("CreateUser", err, declared...)
	return u, err
}

func (c *checked) UpdateUser(ctx context.Context, x blog.UpdateUser) (blog.User, error) {
	u, err := c.Store.UpdateUser(ctx, x)
	c.command("UpdateUser", err, blog.Taken, blog.VersionConflict)
	return u, err
}

func (c *checked) SuspendUser(ctx context.Context, x blog.SuspendUser) (blog.User, error) {
	u, err := c.Store.SuspendUser(ctx, x)
	c.command("SuspendUser", err, blog.NotFound)
	return u, err
}

func (c *checked) RestoreUser(ctx context.Context, x blog.RestoreUser) (blog.User, error) {
	u, err := c.Store.RestoreUser(ctx, x)
	c.command("RestoreUser", err, blog.NotFound)
	return u, err
}

func (c *checked) VerifyEmail(ctx context.Context, x blog.VerifyEmail) (blog.User, error) {
	u, err := c.Store.VerifyEmail(ctx, x)
	c.check("VerifyEmail", err, blog.Invalid, blog.TooLong, blog.NotFound, blog.Taken)
	return u, err
}

func (c *checked) RelinkUser(ctx context.Context, x blog.RelinkUser) (blog.User, error) {
	u, err := c.Store.RelinkUser(ctx, x)
	c.check("RelinkUser", err, blog.Invalid, blog.NotFound, blog.Taken)
	return u, err
}

func (c *checked) SetModerator(ctx context.Context, x blog.SetModerator) (blog.User, error) {
	u, err := c.Store.SetModerator(ctx, x)
	c.check("SetModerator", err, blog.NotFound)
	return u, err
}

func (c *checked) DeleteAccount(ctx context.Context, x blog.DeleteAccount) error {
	err := c.Store.DeleteAccount(ctx, x)
	c.command("DeleteAccount", err, blog.NotFound)
	return err
}

func (c *checked) CreatePost(ctx context.Context, x blog.CreatePost) (blog.Post, error) {
	p, err := c.Store.CreatePost(ctx, x)
	c.keyed("CreatePost", err, blog.NotFound)
	return p, err
}

func (c *checked) UpdatePost(ctx context.Context, x blog.UpdatePost) (blog.Post, error) {
	p, err := c.Store.UpdatePost(ctx, x)
	c.command("UpdatePost", err, blog.NotFound, blog.VersionConflict)
	return p, err
}

func (c *checked) DeletePost(ctx context.Context, x blog.DeletePost) error {
	err := c.Store.DeletePost(ctx, x)
	c.command("DeletePost", err, blog.NotFound)
	return err
}

func (c *checked) CreateComment(ctx context.Context, x blog.CreateComment) (blog.Comment, blog.Count, error) {
	comment, count, err := c.Store.CreateComment(ctx, x)
	c.command("CreateComment", err, blog.NotFound)
	return comment, count, err
}

func (c *checked) UpdateComment(ctx context.Context, x blog.UpdateComment) (blog.Comment, error) {
	comment, err := c.Store.UpdateComment(ctx, x)
	c.command("UpdateComment", err, blog.NotFound, blog.VersionConflict)
	return comment, err
}

func (c *checked) DeleteComment(ctx context.Context, x blog.DeleteComment) (blog.Count, error) {
	count, err := c.Store.DeleteComment(ctx, x)
	c.command("DeleteComment", err, blog.NotFound)
	return count, err
}

func (c *checked) Ready(ctx context.Context) error {
	err := c.Store.Ready(ctx)
	c.check("Ready", err)
	return err
}

func (c *checked) Writable(ctx context.Context) error {
	err := c.Store.Writable(ctx)
	c.check("Writable", err)
	return err
}

func (c *checked) Empty(ctx context.Context) (bool, error) {
	empty, err := c.Store.Empty(ctx)
	c.check("Empty", err)
	return empty, err
}

func (c *checked) Noted(ctx context.Context, about blog.Note) (string, error) {
	text, err := c.Store.Noted(ctx, about)
	c.check("Noted", err)
	return text, err
}

func (c *checked) Note(ctx context.Context, about blog.Note, was, text string) error {
	err := c.Store.Note(ctx, about, was, text)
	c.check("Note", err)
	return err
}

func (c *checked) Settle(ctx context.Context) error {
	err := c.Store.Settle(ctx)
	c.check("Settle", err)
	return err
}

func (c *checked) Close() error {
	err := c.Store.Close()
	c.check("Close", err)
	return err
}
