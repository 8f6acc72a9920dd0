package storetest

import (
	"fmt"

	"broadsheet/blog"
)

// Renames and deletions while others write.
var racesBelowAPost = []leaf{
	{"a user renames while writing: the last name stands everywhere", func(f *fixture) {
		u, other := f.user(), f.user()
		posts := f.posts(other, 2)
		names := []string{f.name(), f.name(), f.name(), f.name()}
		f.atOnce(6, func(i int) error {
			if i == 0 {
				return f.renameAll(u, names)
			}
			return f.writeAs(u, posts, 4)
		})
		f.settle()
		renamed := f.userByID(u.ID)
		equal(f, "name", renamed.Username, names[len(names)-1])
		mine := f.postsBy(u)
		equal(f, "posts", len(mine), 20)
		f.hasNames(append(posts, mine...), renamed, other)
	}},
	{"many users rename at once", func(f *fixture) {
		users := f.users(6)
		p := f.post(users[0])
		for _, u := range users {
			f.comment(u, p)
			f.react(u, p)
		}
		names := make([][]string, len(users))
		for i := range names {
			names[i] = []string{f.name(), f.name(), f.name()}
		}
		f.atOnce(len(users), func(i int) error { return f.renameAll(users[i], names[i]) })
		f.settle()
		for i := range users {
			users[i] = f.userByID(users[i].ID)
			equal(f, "name", users[i].Username, names[i][2])
		}
		f.hasNames([]blog.Post{p}, users...)
	}},
	{"a post is deleted while others comment on it and like it", func(f *fixture) {
		author, users := f.user(), f.users(8)
		p := f.post(author)
		f.atOnce(len(users)+1, func(i int) error {
			if i < len(users) {
				return f.busyOn(p, users[i])
			}
			if err := f.writeAs(author, []blog.Post{p}, 1); err != nil {
				return err
			}
			return f.store.DeletePost(f.ctx, blog.DeletePost{Actor: author.ID, Post: p.ID})
		})
		f.settle()
		f.isGone(p)
		equal(f, "posts", []int{len(f.postsBy(author)), len(f.feed())}, []int{1, 1})
		for _, u := range append(users, author) {
			equal(f, "comments and likes", []int{len(f.commentsBy(u)), len(f.reacted(u, p))}, []int{0, 0})
		}
	}},
	{"a post is edited, commented on and liked at once: nothing is lost", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.atOnce(12, func(i int) (err error) {
			switch i % 3 {
			case 0:
				_, err = f.store.UpdatePost(f.ctx, blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo(fmt.Sprint(i))})
			case 1:
				_, _, err = f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x"})
			default:
				_, err = f.toggle(author, p, true)
			}
			return err
		})
		found := f.postByID(p.ID)
		equal(f, "version and counts", []int{found.Version, found.CommentCount(), found.LikeCount()}, []int{5, 4, 1})
		for _, row := range f.rowsOf(p) {
			equal(f, "row", listed(row), listed(found))
		}
	}},
}

func (f *fixture) renameAll(u blog.User, names []string) error {
	for _, name := range names {
		if _, err := f.store.UpdateUser(f.ctx, blog.UpdateUser{Actor: u.ID, Username: blog.SetTo(name)}); err != nil {
			return err
		}
	}
	return nil
}

// writeAs writes, comments and likes n times as a user.
func (f *fixture) writeAs(u blog.User, posts []blog.Post, n int) error {
	for i := range n {
		p := posts[i%len(posts)]
		if _, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: u.ID, Title: "A title", Content: "x"}); err != nil {
			return err
		}
		if _, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "x"}); err != nil {
			return err
		}
		if _, err := f.toggle(u, p, true); err != nil {
			return err
		}
	}
	return nil
}

// busyOn comments and likes until the post is gone, or for long enough.
func (f *fixture) busyOn(p blog.Post, u blog.User) error {
	for range 30 {
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "x"})
		if err == nil {
			_, err = f.toggle(u, p, true)
		}
		if err != nil {
			return unless(err, blog.NotFound, "postId")
		}
	}
	return nil
}
