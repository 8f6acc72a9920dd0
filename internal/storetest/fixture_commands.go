package storetest

import (
	"time"

	"broadsheet/blog"
)

// Commands of a fixture: each lets time pass first, and fails the test where it
// does not succeed.

// newUser is the command that creates an account with a name of its own.
func (f *fixture) newUser() blog.CreateUser {
	name := f.name()
	return blog.CreateUser{Subject: "subject of " + name, Username: name}
}

func (f *fixture) user() blog.User {
	f.Helper()
	return f.createUser(f.newUser())
}

func (f *fixture) users(n int) []blog.User {
	f.Helper()
	users := make([]blog.User, n)
	for i := range users {
		users[i] = f.user()
	}
	return users
}

func (f *fixture) createUser(c blog.CreateUser) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.CreateUser(f.ctx, c)
	f.ok(err, "create user")
	return u
}

func (f *fixture) updateUser(c blog.UpdateUser) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.UpdateUser(f.ctx, c)
	f.ok(err, "update user")
	return u
}

// rename renames and does not wait for the copies.
func (f *fixture) rename(u blog.User, name string) blog.User {
	f.Helper()
	return f.updateUser(blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(name)})
}

// renameWithin renames where the last time was long enough ago.
func (f *fixture) renameWithin(u blog.User, name string, interval time.Duration) (blog.User, error) {
	f.clock.Advance(tick)
	return f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(name), RenameInterval: interval})
}

// display gives a user a display name, or none.
func (f *fixture) display(u blog.User, name *string) blog.User {
	f.Helper()
	return f.updateUser(blog.UpdateUser{Actor: u.ID, DisplayName: blog.Edit{Set: true, Value: name}})
}

func (f *fixture) post(author blog.User) blog.Post {
	f.Helper()
	return f.createPost(blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content."})
}

func (f *fixture) createPost(c blog.CreatePost) blog.Post {
	f.Helper()
	f.clock.Advance(tick)
	p, err := f.store.CreatePost(f.ctx, c)
	f.ok(err, "create post")
	f.standIns.Store(p.ID, &standIn{})
	return p
}

func (f *fixture) updatePost(c blog.UpdatePost) blog.Post {
	f.Helper()
	f.clock.Advance(tick)
	p, err := f.store.UpdatePost(f.ctx, c)
	f.ok(err, "update post")
	return p
}

func (f *fixture) deletePost(p blog.Post) {
	f.Helper()
	f.clock.Advance(tick)
	f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: p.Author.ID, Post: p.ID}), "delete post")
	found, known := f.standIns.Load(p.ID)
	if !known {
		return
	}
	switch in := found.(*standIn); {
	case in.user.ID.IsZero():
		f.standIns.Delete(p.ID)
	case f.kind != nil && f.kind.Parent != blog.AboutPost:
		f.deleteAccount(in.user)
		f.settle()
	}
}

func (f *fixture) comment(author blog.User, p blog.Post) blog.Comment {
	f.Helper()
	c, _ := f.createComment(blog.CreateComment{Author: author.ID, Post: p.ID, Content: "A comment."})
	return c
}

func (f *fixture) createComment(c blog.CreateComment) (blog.Comment, blog.Count) {
	f.Helper()
	f.clock.Advance(tick)
	comment, count, err := f.store.CreateComment(f.ctx, c)
	f.ok(err, "create comment")
	return comment, count
}

func (f *fixture) updateComment(c blog.UpdateComment) blog.Comment {
	f.Helper()
	f.clock.Advance(tick)
	comment, err := f.store.UpdateComment(f.ctx, c)
	f.ok(err, "update comment")
	return comment
}

func (f *fixture) deleteComment(c blog.Comment) blog.Count {
	f.Helper()
	f.clock.Advance(tick)
	count, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: c.Author.ID, Key: c.Key()})
	f.ok(err, "delete comment")
	return count
}

func (f *fixture) react(u blog.User, p blog.Post) (blog.Reaction, blog.Count) {
	f.Helper()
	f.clock.Advance(tick)
	given, count, err := f.give(u, p)
	f.ok(err, "react")
	return given, count
}

func (f *fixture) takeBack(u blog.User, p blog.Post) blog.Count {
	f.Helper()
	f.clock.Advance(tick)
	count, err := f.toggle(u, p, false)
	f.ok(err, "take back")
	return count
}

// reactEach has a user react to a post in every way.
func (f *fixture) reactEach(u blog.User, p blog.Post) {
	f.Helper()
	kind := f.kind
	for _, f.kind = range blog.ReactionKinds {
		f.react(u, p)
	}
	f.kind = kind
}
