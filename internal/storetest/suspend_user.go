package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"broadsheet/blog"
)

var suspendUser = []leaf{
	{"each command of a suspended account is refused, and nothing is changed", func(f *fixture) {
		w := f.suspectsWorld()
		f.suspend(w.suspect)
		before := f.counts(w.post)
		l := f.follow()
		f.settle()
		l.told = nil
		commands := f.commandsOf(w)
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			if err := commands[name](); err == nil || blog.KindOf(err) != blog.Suspended {
				f.Errorf("%s: %v, want it refused as suspended", name, err)
			}
		}
		equal(f, "counts", f.counts(w.post), before)
		equal(f, "posts", len(f.postsBy(w.suspect)), 1)
		equal(f, "changes", len(l.changes()), 0)
	}},
	{"what a suspended account wrote stays, and others go on below it", func(f *fixture) {
		w := f.suspectsWorld()
		f.suspend(w.suspect)
		f.comment(w.other, w.own)
		f.reactEach(w.other, w.own)
		equal(f, "counts", f.counts(w.own), [2]int{2, 1})
		equal(f, "by name", f.userByUsername(w.suspect.Username).Suspended, true)
	}},
	{"a moderator suspends an account, and no one else but an operator", func(f *fixture) {
		moderator, author, suspended := f.user(), f.user(), f.user()
		f.suspend(suspended)
		l := f.follow()
		f.settle()
		l.told = nil
		for _, refusal := range []struct {
			name  string
			actor blog.User
			role  blog.Role
			user  blog.User
			kind  blog.Kind
			field string
		}{
			{"a member", moderator, blog.Member, author, blog.Forbidden, ""},
			{"a member of itself", moderator, blog.Member, moderator, blog.Forbidden, ""},
			{"a moderator of itself", moderator, blog.Moderator, moderator, blog.Invalid, "id"},
			{"a moderator without an account", f.nobody(), blog.Moderator, author, blog.Forbidden, ""},
			{"a moderator who is suspended", suspended, blog.Moderator, author, blog.Suspended, ""},
			{"a moderator of what does not exist", moderator, blog.Moderator, f.nobody(), blog.NotFound, "id"},
		} {
			c := blog.SuspendUser{Actor: refusal.actor.ID, Role: refusal.role, User: refusal.user.ID}
			_, err := f.store.SuspendUser(f.ctx, c)
			f.refused(err, refusal.kind, refusal.field)
			_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser(c))
			f.refused(err, refusal.kind, refusal.field)
		}
		c := blog.SuspendUser{Actor: moderator.ID, Role: blog.Moderator, User: author.ID}
		u, err := f.store.SuspendUser(f.ctx, c)
		f.ok(err, "suspend user")
		equal(f, "suspended", u.Suspended, true)
		f.settle()
		u, err = f.store.RestoreUser(f.ctx, blog.RestoreUser(c))
		f.ok(err, "restore user")
		equal(f, "suspended", u.Suspended, false)
		equal(f, "changes", kinds(l.changes()), []blog.Change{
			{Kind: blog.UserSuspended, Actor: moderator.ID, User: author.ID}, {Kind: blog.UserRestored, Actor: moderator.ID, User: author.ID},
		})
	}},
	{"an account is suspended and restored once, and each is a change", func(f *fixture) {
		u := f.user()
		l := f.follow()
		f.settle()
		l.told = nil
		for range 2 {
			equal(f, "version", f.suspend(u).Version, u.Version+1)
		}
		f.settle()
		for range 2 {
			now, err := f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: u.ID})
			f.ok(err, "restore user")
			equal(f, "version", now.Version, u.Version+2)
		}
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.UserSuspended, User: u.ID}, {Kind: blog.UserRestored, User: u.ID}})
	}},
	{"an account that does not exist is not suspended", func(f *fixture) {
		_, err := f.store.SuspendUser(f.ctx, blog.SuspendUser{Role: blog.Operator, User: f.nobody().ID})
		f.refused(err, blog.NotFound, "id")
		_, err = f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: f.nobody().ID})
		f.refused(err, blog.NotFound, "id")
	}},
	{"no command that begins after a suspension succeeds", func(f *fixture) {
		w := f.suspectsWorld()
		commands := f.commandsOf(w)
		var suspended atomic.Bool
		f.atOnce(6, func(i int) error {
			if i == 0 {
				_, err := f.store.SuspendUser(f.ctx, blog.SuspendUser{Role: blog.Operator, User: w.suspect.ID})
				suspended.Store(true)
				return err
			}
			name := []string{"createPost", "createComment", "likePost", "updateUser", "unlikePost"}[i-1]
			for {
				after := suspended.Load()
				switch err := commands[name](); {
				case err == nil && after:
					return fmt.Errorf("%s succeeded, which began after the suspension", name)
				case err != nil && blog.KindOf(err) != blog.Suspended:
					return err
				case after:
					return nil
				}
			}
		})
		f.settle()
		equal(f, "user", f.userByID(w.suspect.ID).Suspended, true)
	}},
	{"an account is renamed and suspended at once", func(f *fixture) {
		u, other := f.user(), f.user()
		p := f.post(u)
		names := []string{f.name(), f.name()}
		f.atOnce(3, func(i int) error {
			if i == 0 {
				_, err := f.store.SuspendUser(f.ctx, blog.SuspendUser{Role: blog.Operator, User: u.ID})
				return err
			}
			_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(names[i-1])})
			if blog.KindOf(err) == blog.Suspended {
				return nil
			}
			return err
		})
		f.settle()
		now := f.userByID(u.ID)
		equal(f, "suspended", now.Suspended, true)
		equal(f, "by name", f.userByUsername(now.Username).Suspended, true)
		f.hasNames([]blog.Post{p}, now, other)
	}},
}

// suspectsWorld is what a suspect may write to.
type suspectsWorld struct {
	suspect, other blog.User
	own, post      blog.Post // the suspect's, the other's
	comment        blog.Comment
}

func (f *fixture) suspectsWorld() (w suspectsWorld) {
	f.Helper()
	w.suspect, w.other = f.user(), f.user()
	w.own, w.post = f.post(w.suspect), f.post(w.other)
	w.comment = f.comment(w.suspect, w.own)
	return w
}

// commandsOf returns every command that a suspect may give. Those that delete come after the others,
// where they shall succeed.
func (f *fixture) commandsOf(w suspectsWorld) map[string]func() error {
	actor := w.suspect.ID
	return map[string]func() error{
		"updateUser": func() error {
			_, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: actor, Bio: blog.SetTo("A bio.")})
			return err
		},
		"createPost": func() error {
			_, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: actor, Title: "A title", Content: "x"})
			return err
		},
		"updatePost": func() error {
			_, err := f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: actor, Post: w.own.ID, Title: blog.SetTo("Another")})
			return err
		},
		"deletePost": func() error { return f.store.DeletePost(f.ctx, blog.DeletePost{Actor: actor, Post: w.own.ID}) },
		"createComment": func() error {
			_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: actor, Post: w.post.ID, Content: "x"})
			return err
		},
		"updateComment": func() error {
			_, err := f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: actor, Key: w.comment.Key(), Content: "Another."})
			return err
		},
		"deleteComment": func() error {
			_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: actor, Key: w.comment.Key()})
			return err
		},
		"deleteAccount": func() error {
			return f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Actor: actor, User: actor, Username: w.suspect.Username})
		},
		"likePost": func() error {
			_, _, err := f.store.LikePost(f.ctx, blog.LikePost{Actor: actor, Post: w.post.ID})
			return err
		},
		"bookmarkPost": func() error {
			_, _, err := f.store.BookmarkPost(f.ctx, blog.BookmarkPost{Actor: actor, Post: w.post.ID})
			return err
		},
		"unbookmarkPost": func() error {
			_, err := f.store.UnbookmarkPost(f.ctx, blog.UnbookmarkPost{Actor: actor, Post: w.post.ID})
			return err
		},
		"unlikePost": func() error {
			_, err := f.store.UnlikePost(f.ctx, blog.UnlikePost{Actor: actor, Post: w.post.ID})
			return err
		},
	}
}

func (f *fixture) suspend(u blog.User) blog.User {
	f.Helper()
	f.clock.Advance(tick)
	u, err := f.store.SuspendUser(f.ctx, blog.SuspendUser{Role: blog.Operator, User: u.ID})
	f.ok(err, "suspend user")
	return u
}
