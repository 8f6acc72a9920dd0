package storetest

import (
	"fmt"
	"slices"
	"strings"

	"broadsheet/blog"
)

var deleteAccount = []leaf{
	{"an erased account is found by no query, and its command is refused", func(f *fixture) {
		w := f.suspectsWorld()
		u := f.updateUser(blog.UpdateUser{Actor: w.suspect.ID, Email: blog.SetTo(f.name() + "@example.org")})
		f.deleteAccount(u)
		for range 2 { // before what it wrote is gone, and after
			f.hasNoAccount(u)
			for name, command := range f.commandsOf(w) {
				if err := command(); blog.KindOf(err) != blog.Forbidden || err == nil {
					f.Errorf("%s: %v, want it refused as of no account", name, err)
				}
			}
			f.settle()
		}
	}},
	{"what it wrote is gone, and others' counts are exact", func(f *fixture) {
		u, other := f.user(), f.user()
		own, others := f.posts(u, 3), f.posts(other, 2)
		for _, p := range append(own, others...) {
			f.comment(u, p)
			f.comment(other, p)
			f.comment(u, p)
			f.reactEach(u, p)
			f.reactEach(other, p)
		}
		f.deleteComment(f.comment(u, others[0]))
		f.takeBack(u, others[1])
		f.deletePost(own[1])
		f.deleteAccount(u)
		f.settle()
		for _, p := range own {
			f.isGone(p)
		}
		for _, p := range others {
			equal(f, "counts", f.counts(p), [2]int{1, 1})
			equal(f, "commenters", authorsOf(f.commentsOf(p)), []blog.UserID{other.ID})
			for _, f.kind = range blog.ReactionKinds {
				equal(f, "reactions", len(f.reactionsOf(p)), 1)
			}
		}
		f.kind = blog.Likes
		equal(f, "feed", keysOf(f.feed(), postID), []blog.PostID{others[1].ID, others[0].ID})
		equal(f, "the other's comments", len(f.commentsBy(other)), 2)
		equal(f, "likes", len(f.reacted(u, append(own, others...)...)), 0)
		_, err := f.store.PostsByAuthor(f.ctx, u.ID, blog.FirstPage[blog.PostID](20))
		f.notFound(err, "its posts")
		_, err = f.store.CommentsByAuthor(f.ctx, u.ID, blog.FirstPage[blog.CommentID](20))
		f.notFound(err, "its comments")
	}},
	{"more posts, comments and likes than a page", func(f *fixture) {
		u, other := f.user(), f.user()
		f.posts(u, 3)
		p := f.post(other)
		f.comments(u, p, 70)
		liked := f.posts(other, 70)
		for _, p := range liked {
			f.react(u, p)
		}
		f.deleteAccount(u)
		f.settle()
		equal(f, "counts", f.counts(p), [2]int{0, 0})
		for _, p := range liked {
			equal(f, "likes", f.postByID(p.ID).LikeCount(), 0)
		}
		f.hasNoAccount(u)
	}},
	{"its names and its subject are free once all is gone, and only then", func(f *fixture) {
		u := f.userWithEmail(f.name() + "@example.org")
		f.post(u)
		again := blog.CreateUser{Subject: u.Subject, Username: strings.ToUpper(u.Username), Email: u.Email}
		_, err := f.store.CreateUser(f.ctx, again)
		f.refused(err, blog.Taken, "")
		f.deleteAccount(u)
		f.settle()
		heir := f.createUser(again)
		if heir.ID == u.ID {
			f.Error("the new account has the id of the old one")
		}
		equal(f, "by subject", f.userBySubject(u.Subject).ID, heir.ID)
		equal(f, "posts", len(f.postsBy(heir)), 0)
		f.hasNames([]blog.Post{f.post(heir)}, heir)
	}},
	{"who may erase an account", func(f *fixture) {
		u, other, suspended := f.user(), f.user(), f.user()
		f.suspend(suspended)
		for _, refusal := range []struct {
			name  string
			c     blog.DeleteAccount
			kind  blog.Kind
			field string
		}{
			{"a stranger", blog.DeleteAccount{Actor: other.ID, User: u.ID, Username: u.Username}, blog.Forbidden, ""},
			{"a moderator", blog.DeleteAccount{Actor: other.ID, Role: blog.Moderator, User: u.ID, Username: u.Username}, blog.Forbidden, ""},
			{"its owner with another name", blog.DeleteAccount{Actor: u.ID, User: u.ID, Username: other.Username}, blog.Invalid, "username"},
			{"its owner without a name", blog.DeleteAccount{Actor: u.ID, User: u.ID}, blog.Invalid, "username"},
			{"its owner who is suspended", blog.DeleteAccount{Actor: suspended.ID, User: suspended.ID, Username: suspended.Username}, blog.Suspended, ""},
			{"a subject without an account", blog.DeleteAccount{Actor: f.nobody().ID, User: f.nobody().ID}, blog.Forbidden, ""},
			{"an operator of what does not exist", blog.DeleteAccount{Role: blog.Operator, User: f.nobody().ID}, blog.NotFound, "id"},
		} {
			f.refused(f.store.DeleteAccount(f.ctx, refusal.c), refusal.kind, refusal.field)
		}
		f.settle()
		equal(f, "user", card(f.userByUsername(u.Username)), card(u))
		f.ok(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Actor: u.ID, User: u.ID, Username: strings.ToUpper(u.Username)}), "delete account")
		f.ok(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: suspended.ID}), "delete account")
		f.settle()
		f.hasNoAccount(u)
		f.hasNoAccount(suspended)
		f.refused(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: u.ID}), blog.NotFound, "id")
	}},
	{"each thing that is deleted is a change, with who erases the account", func(f *fixture) {
		for _, by := range []blog.Role{blog.Member, blog.Operator} {
			u, other := f.user(), f.user()
			p, own := f.post(other), f.post(u)
			c := f.comment(u, p)
			f.comment(u, own)
			f.react(u, p)
			l := f.follow()
			f.settle()
			l.told = nil
			command := blog.DeleteAccount{Role: by, User: u.ID}
			whose := u.ID
			if by == blog.Member {
				command.Actor, command.Username, whose = u.ID, u.Username, blog.UserID{}
			}
			f.clock.Advance(tick)
			f.ok(f.store.DeleteAccount(f.ctx, command), "delete account")
			told := kinds(l.changes())
			equal(f, "the first change", told[0], blog.Change{Kind: blog.UserErased, Actor: command.Actor, User: u.ID})
			equal(f, "changes", sortedChanges(told[1:]), sortedChanges([]blog.Change{
				{Kind: blog.PostDeleted, Actor: command.Actor, Post: own.ID},
				{Kind: blog.CommentDeleted, Actor: command.Actor, Post: p.ID, Comment: c.ID},
				{Kind: blog.PostUnliked, Actor: command.Actor, User: whose, Post: p.ID},
			}))
		}
	}},
	{"what an idempotency key created is not created again", func(f *fixture) {
		u := f.user()
		create := f.keyedPost(u)
		p := f.createPost(create)
		c := f.newUser()
		c.IdempotencyKey = ptr("a key")
		keyed := f.createUser(c)
		f.deleteAccount(u)
		f.deleteAccount(keyed)
		f.settle()
		_, err := f.store.CreatePost(f.ctx, create)
		f.refused(err, blog.Forbidden, "")
		_, err = f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.NotFound, "idempotencyKey")
		f.isGone(p)
		f.hasNoAccount(keyed)
	}},
	{"a name that an account had before is free", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		renamed := f.rename(u, f.name())
		f.deleteAccount(renamed)
		f.settle()
		f.isGone(p)
		for _, name := range []string{u.Username, renamed.Username} {
			c := f.newUser()
			c.Username = name
			f.createUser(c)
		}
	}},
	{"an account writes, and is erased at once", func(f *fixture) {
		for round := range 5 {
			w := f.suspectsWorld()
			commands := f.commandsOf(w)
			f.atOnce(7, func(i int) error {
				if i == 0 {
					return f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: w.suspect.ID})
				}
				name := []string{"createPost", "createComment", "likePost", "updateUser", "updateComment", "bookmarkPost"}[i-1]
				for n := 0; ; n++ {
					switch err := commands[name](); {
					case err == nil:
					case blog.KindOf(err) == blog.Forbidden, blog.IsNotFound(err):
						return nil
					default:
						return fmt.Errorf("%s, for the %dth time: %w", name, n, err)
					}
				}
			})
			f.settle()
			f.settle() // what was deleted by those that wrote meanwhile
			f.hasNoAccount(w.suspect)
			f.isGone(w.own)
			equal(f, fmt.Sprintf("counts in round %d", round), f.counts(w.post), [2]int{0, 0})
			equal(f, "feed", slices.ContainsFunc(f.feed(), func(p blog.Post) bool { return p.Author.ID == w.suspect.ID }), false)
			for _, f.kind = range blog.ReactionKinds {
				equal(f, f.kind.Them, len(f.reacted(w.suspect, w.post)), 0)
			}
		}
	}},
	{"two erase an account at once", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		f.comment(u, p)
		f.atOnce(2, func(int) error {
			err := f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Role: blog.Operator, User: u.ID})
			return unlessNotFound(err)
		})
		f.settle()
		f.isGone(p)
		f.hasNoAccount(u)
	}},
}

func unlessNotFound(err error) error {
	if blog.IsNotFound(err) {
		return nil
	}
	return err
}

func authorsOf(comments []blog.Comment) (authors []blog.UserID) {
	for _, c := range comments {
		authors = append(authors, c.Author.ID)
	}
	return authors
}

func (f *fixture) deleteAccount(u blog.User) {
	f.Helper()
	f.clock.Advance(tick)
	f.ok(f.store.DeleteAccount(f.ctx, blog.DeleteAccount{Actor: u.ID, User: u.ID, Username: u.Username}), "delete account")
}

// hasNoAccount fails unless a user is found by none of its keys.
func (f *fixture) hasNoAccount(u blog.User) {
	f.Helper()
	_, err := f.store.UserByID(f.ctx, u.ID)
	f.notFound(err, "the user by id")
	_, err = f.store.UserByUsername(f.ctx, u.Username)
	f.notFound(err, "the user by name")
	_, err = f.store.UserBySubject(f.ctx, u.Subject)
	f.notFound(err, "the user by subject")
	if u.Email != nil {
		_, err = f.store.UserByEmail(f.ctx, *u.Email)
		f.notFound(err, "the user by address")
	}
}
