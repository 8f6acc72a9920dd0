package storetest

import "broadsheet/blog"

var restoreUser = []leaf{
	{"a restored account writes again", func(f *fixture) {
		w := f.suspectsWorld()
		f.suspend(w.suspect)
		f.clock.Advance(tick)
		u, err := f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: w.suspect.ID})
		f.ok(err, "restore user")
		equal(f, "user", []any{u.Suspended, u.Version}, []any{false, w.suspect.Version + 2})
		commands := f.commandsOf(w)
		for _, name := range []string{"createPost", "updateUser", "updatePost", "createComment", "updateComment", "deleteComment", "likePost", "unlikePost", "deletePost", "deleteAccount"} {
			f.ok(commands[name](), name)
		}
	}},
	{"a key that came while the account was suspended is good afterwards", func(f *fixture) {
		author, other := f.user(), f.user()
		p := f.post(other)
		create := f.keyedPost(author)
		comment := blog.CreateComment{Author: author.ID, Post: p.ID, Content: "Here.", IdempotencyKey: create.IdempotencyKey}
		f.suspend(author)
		for range 2 {
			_, err := f.store.CreatePost(f.ctx, create)
			f.refused(err, blog.Suspended, "")
			_, _, err = f.store.CreateComment(f.ctx, comment)
			f.refused(err, blog.Suspended, "")
		}
		_, err := f.store.RestoreUser(f.ctx, blog.RestoreUser{Role: blog.Operator, User: author.ID})
		f.ok(err, "restore user")
		for range 2 {
			_, err = f.store.CreatePost(f.ctx, create)
			f.ok(err, "create post")
			_, _, err = f.store.CreateComment(f.ctx, comment)
			f.ok(err, "create comment")
		}
		equal(f, "posts and comments", []int{len(f.postsBy(author)), len(f.commentsBy(author))}, []int{1, 1})
		f.suspend(author)
		_, err = f.store.CreatePost(f.ctx, create)
		f.refused(err, blog.Suspended, "")
	}},
}
