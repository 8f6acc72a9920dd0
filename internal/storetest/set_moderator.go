package storetest

import (
	"errors"
	"sync/atomic"

	"broadsheet/blog"
)

var setModerator = []leaf{
	{"a promoted account deletes others' posts and comments, suspends and restores, and is told of", func(f *fixture) {
		moderator, author := f.setModerator(f.user(), true), f.user()
		p, below := f.post(author), f.post(author)
		c := f.comment(author, below)
		l := f.follow()
		f.settle()
		l.told = nil
		f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Post: p.ID}), "delete post")
		f.settle() // what is told after the reply may be so in any order
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: moderator.ID, Key: c.Key()})
		f.ok(err, "delete comment")
		f.settle()
		u, err := f.store.SuspendUser(f.ctx, blog.SuspendUser{Actor: moderator.ID, User: author.ID})
		f.ok(err, "suspend user")
		equal(f, "suspended", u.Suspended, true)
		f.settle()
		u, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Actor: moderator.ID, User: author.ID})
		f.ok(err, "restore user")
		equal(f, "suspended", u.Suspended, false)
		equal(f, "comments", len(f.commentsBy(author)), 0)
		f.isGone(p)
		equal(f, "changes", kinds(l.changes()), []blog.Change{
			{Kind: blog.PostDeleted, Actor: moderator.ID, Post: p.ID}, {Kind: blog.CommentDeleted, Actor: moderator.ID, Post: below.ID, Comment: c.ID},
			{Kind: blog.UserSuspended, Actor: moderator.ID, User: author.ID}, {Kind: blog.UserRestored, Actor: moderator.ID, User: author.ID},
		})
	}},
	{"a promoted account edits nothing of others, and neither suspends nor restores itself", func(f *fixture) {
		moderator, author := f.setModerator(f.user(), true), f.user()
		p := f.post(author)
		c := f.comment(author, p)
		_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: moderator.ID, Post: p.ID, Title: blog.SetTo("Another")})
		f.refused(err, blog.Forbidden, "")
		_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: moderator.ID, Key: c.Key(), Content: "Another."})
		f.refused(err, blog.Forbidden, "")
		f.refused(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Actor: moderator.ID, User: author.ID, Username: author.Username}), blog.Forbidden, "")
		_, err = f.store.SuspendUser(f.ctx, blog.SuspendUser{Actor: moderator.ID, User: moderator.ID})
		f.refused(err, blog.Invalid, "id")
		_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Actor: moderator.ID, User: moderator.ID})
		f.refused(err, blog.Invalid, "id")
	}},
	{"a demoted account is a member, unless its token says more", func(f *fixture) {
		u, author := f.setModerator(f.user(), true), f.user()
		p, later := f.post(author), f.post(author)
		c := f.comment(author, p)
		f.setModerator(u, false)
		f.refusedAsMember(u, p, c)
		f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: u.ID, Role: blog.Moderator, Post: later.ID}), "delete post")
	}},
	{"a moderator who is suspended does nothing, and is one again when it is restored", func(f *fixture) {
		moderator, author := f.setModerator(f.user(), true), f.user()
		p := f.post(author)
		c := f.comment(author, p)
		f.suspend(moderator)
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Post: p.ID}), blog.Suspended, "")
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: moderator.ID, Key: c.Key()})
		f.refused(err, blog.Suspended, "")
		_, err = f.store.SuspendUser(f.ctx, blog.SuspendUser{Actor: moderator.ID, User: author.ID})
		f.refused(err, blog.Suspended, "")
		_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Actor: moderator.ID, User: author.ID})
		f.refused(err, blog.Suspended, "")
		_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: moderator.ID})
		f.ok(err, "restore user")
		f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Post: p.ID}), "delete post")
	}},
	{"an account is promoted and demoted once, and each is a change", func(f *fixture) {
		u := f.user()
		l := f.follow()
		f.settle()
		l.told = nil
		for range 2 {
			promoted := f.setModerator(u, true)
			equal(f, "user", []any{promoted.Moderator, promoted.Version}, []any{true, u.Version + 1})
			equal(f, "by name", card(f.userByUsername(u.Username)), card(promoted))
		}
		f.settle()
		for range 2 {
			demoted := f.setModerator(u, false)
			equal(f, "user", []any{demoted.Moderator, demoted.Version}, []any{false, u.Version + 2})
		}
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.UserPromoted, User: u.ID}, {Kind: blog.UserDemoted, User: u.ID}})
	}},
	{"an account that does not exist is not promoted", func(f *fixture) {
		erased := f.user()
		f.ok(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: erased.ID}), "delete account")
		for _, user := range []blog.User{f.nobody(), erased} {
			for _, moderator := range []bool{true, false} {
				_, err := f.store.SetModerator(f.ctx, blog.SetModerator{User: user.ID, Moderator: moderator})
				f.refused(err, blog.NotFound, "id")
			}
		}
	}},
	{"no command that begins after a demotion is a moderator's", func(f *fixture) {
		u, author := f.setModerator(f.user(), true), f.user()
		posts := make([]blog.Post, 40)
		for i := range posts {
			posts[i] = f.post(author)
		}
		var demoted atomic.Bool
		f.atOnce(2, func(i int) error {
			if i == 0 {
				_, err := f.store.SetModerator(f.ctx, blog.SetModerator{User: u.ID})
				demoted.Store(true)
				return err
			}
			for _, p := range posts {
				after := demoted.Load()
				switch err := f.store.DeletePost(f.ctx, blog.DeletePost{Actor: u.ID, Post: p.ID}); {
				case err == nil && after:
					return errors.New("a post was deleted by a command that began after the demotion")
				case err != nil && blog.KindOf(err) != blog.Forbidden:
					return err
				case err != nil:
					return nil
				}
			}
			return nil
		})
		f.settle()
		equal(f, "moderator", f.userByID(u.ID).Moderator, false)
	}},
}

// refusedAsMember fails unless an account is refused what moderators alone may do.
func (f *fixture) refusedAsMember(u blog.User, p blog.Post, c blog.Comment) {
	f.Helper()
	f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: u.ID, Post: p.ID}), blog.Forbidden, "")
	_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: u.ID, Key: c.Key()})
	f.refused(err, blog.Forbidden, "")
	_, err = f.store.SuspendUser(f.ctx, blog.SuspendUser{Actor: u.ID, User: p.Author.ID})
	f.refused(err, blog.Forbidden, "")
	_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Actor: u.ID, User: p.Author.ID})
	f.refused(err, blog.Forbidden, "")
}

func (f *fixture) setModerator(u blog.User, moderator bool) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.SetModerator(f.ctx, blog.SetModerator{User: u.ID, Moderator: moderator})
	f.ok(err, "set moderator")
	return u
}
