package storetest

import (
	"strings"

	"broadsheet/blog"
)

// Commands that come with an idempotency key.
var idempotency = []leaf{
	{"the same user again is the same user", func(f *fixture) {
		c := f.newUser()
		c.ProvedEmail, c.IdempotencyKey = f.name()+"@example.org", ptr("key")
		c.Email = ptr(c.ProvedEmail)
		u := f.createUser(c)
		equal(f, "user", f.createUser(c), u)
	}},
	{"the same user again is the same, whatever the token proves by then", func(f *fixture) {
		c := f.newUser()
		c.Email, c.IdempotencyKey = ptr(f.name()+"@example.org"), ptr("key")
		u := f.createUser(c)
		c.ProvedEmail = *c.Email
		equal(f, "user", f.createUser(c), u)
	}},
	{"the same post again is the same post", func(f *fixture) {
		author := f.user()
		p := f.createPost(f.keyedPost(author))
		again := f.createPost(f.keyedPost(author))
		equal(f, "post", unstamped(again), unstamped(p))
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{p.ID})
		equal(f, "feed", keysOf(f.feed(), postID), []blog.PostID{p.ID})
	}},
	{"the same comment again is the same comment, with its count or a later one", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		c, count := f.createComment(f.keyedComment(author, p))
		equal(f, "count", count.N, 1)
		f.comment(author, p)
		again, count := f.createComment(f.keyedComment(author, p))
		equal(f, "comment", again, c)
		equal(f, "count is 1 or 2", count.N == 1 || count.N == 2, true)
		equal(f, "comments and count", f.countOfPage(p), [2]int{2, 2})
	}},
	{"another input under the same key is refused", func(f *fixture) {
		c := f.newUser()
		c.IdempotencyKey = ptr("key")
		author := f.createUser(c)
		c.Bio = ptr("Another.")
		_, err := f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.Invalid, "idempotencyKey")

		p := f.createPost(f.keyedPost(author))
		post := f.keyedPost(author)
		post.Content += " "
		_, err = f.store.CreatePost(f.ctx, post)
		f.refused(err, blog.Invalid, "idempotencyKey")

		f.createComment(f.keyedComment(author, p))
		_, _, err = f.store.CreateComment(f.ctx, f.keyedComment(author, f.post(author)))
		f.refused(err, blog.Invalid, "idempotencyKey")
		equal(f, "counts", f.counts(p), [2]int{1, 0})
	}},
	{"a key is its owner's and its mutation's", func(f *fixture) {
		one, two := f.user(), f.user()
		p, q := f.createPost(f.keyedPost(one)), f.createPost(f.keyedPost(two))
		c, _ := f.createComment(f.keyedComment(one, p))
		d, _ := f.createComment(f.keyedComment(two, p))
		user := f.newUser()
		user.IdempotencyKey = ptr("key")
		f.createUser(user)
		equal(f, "posts", keysOf(f.feed(), postID), []blog.PostID{q.ID, p.ID})
		equal(f, "comments", f.commentsOf(p), []blog.Comment{d, c})
	}},
	{"keys are told apart to the last character", func(f *fixture) {
		author := f.user()
		for _, key := range []string{"key", "Key", "key ", "kéy", "ke\u0301y", "k", strings.Repeat("🔑", blog.MaxIdempotencyKey)} {
			c := f.keyedPost(author)
			c.IdempotencyKey = &key
			f.createPost(c)
			f.createPost(c)
		}
		equal(f, "posts", len(f.postsBy(author)), 7)
	}},
	{"without a key the same again is another", func(f *fixture) {
		author := f.user()
		f.createPost(f.keyedPost(author))
		c := f.keyedPost(author)
		c.IdempotencyKey = nil
		f.createPost(c)
		equal(f, "posts", len(f.postsBy(author)), 2)
	}},
	{"a refusal is repeated though its reason is gone", func(f *fixture) {
		owner := f.user()
		c := f.newUser()
		c.Username, c.IdempotencyKey = owner.Username, ptr("key")
		_, err := f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.Taken, "username")
		f.rename(owner, f.name())
		f.settle()
		_, err = f.store.CreateUser(f.ctx, c)
		f.refused(err, blog.Taken, "username")
		c.IdempotencyKey = ptr("another key")
		f.createUser(c)
	}},
	{"who was no member is refused again, though it joined or the group is gone", func(f *fixture) {
		users := f.users(3)
		g := f.createGroup(blog.CreateGroup{Owner: users[0].ID, Name: f.name(), Title: "A title"})
		refused := func() {
			f.Helper()
			for _, u := range users[1:] {
				c := f.keyedPost(u)
				c.Group = g.ID
				_, err := f.store.CreatePost(f.ctx, c)
				f.refused(err, blog.Forbidden, "groupId")
			}
		}
		refused()
		f.join(users[1], g)
		refused()
		f.deleteGroup(g)
		refused()
		equal(f, "posts", len(f.postsBy(users[1])), 0)
	}},
	{"a comment on no post is refused again", func(f *fixture) {
		author := f.user()
		for range 2 {
			_, _, err := f.store.CreateComment(f.ctx, f.keyedComment(author, f.noPost()))
			f.refused(err, blog.NotFound, "postId")
		}
		_, _, err := f.store.CreateComment(f.ctx, f.keyedComment(author, f.post(author)))
		f.refused(err, blog.Invalid, "idempotencyKey")
	}},
	{"a faulty input uses no key up", func(f *fixture) {
		c := f.keyedPost(f.user())
		faulty := c
		faulty.Title = ""
		_, err := f.store.CreatePost(f.ctx, faulty)
		f.refused(err, blog.Invalid, "title")
		f.createPost(c)
	}},
	{"what was deleted since is not made again", func(f *fixture) {
		author := f.user()
		p := f.createPost(f.keyedPost(author))
		other := f.post(author)
		c, _ := f.createComment(f.keyedComment(author, other))
		f.deletePost(p)
		f.deleteComment(c)
		f.settle()
		for range 2 {
			_, err := f.store.CreatePost(f.ctx, f.keyedPost(author))
			f.refused(err, blog.NotFound, "idempotencyKey")
			_, _, err = f.store.CreateComment(f.ctx, f.keyedComment(author, other))
			f.refused(err, blog.NotFound, "idempotencyKey")
		}
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{other.ID})
		equal(f, "counts", f.counts(other), [2]int{0, 0})
	}},
	{"a comment whose post was deleted since is gone", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.createComment(f.keyedComment(author, p))
		f.deletePost(p)
		_, _, err := f.store.CreateComment(f.ctx, f.keyedComment(author, p))
		f.refused(err, blog.NotFound, "idempotencyKey")
	}},
	{"what was edited since is the same object", func(f *fixture) {
		author := f.user()
		p := f.createPost(f.keyedPost(author))
		edited := f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("New")})
		equal(f, "post", f.createPost(f.keyedPost(author)).ID, p.ID)
		equal(f, "post", unstamped(f.postByID(p.ID)), unstamped(edited))
	}},
}

func (f *fixture) keyedPost(author blog.User) blog.CreatePost {
	return blog.CreatePost{Author: author.ID, Title: "Once", Content: "Only once.", IdempotencyKey: ptr("key")}
}

func (f *fixture) keyedComment(author blog.User, p blog.Post) blog.CreateComment {
	return blog.CreateComment{Author: author.ID, Post: p.ID, Content: "Only once.", IdempotencyKey: ptr("key")}
}
