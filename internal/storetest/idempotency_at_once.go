package storetest

import (
	"fmt"

	"broadsheet/blog"
)

const clients = 16

// Commands with one key that arrive at the same time.
var idempotencyAtOnce = []leaf{
	{"one user is made", func(f *fixture) {
		c := f.newUser()
		c.ProvedEmail, c.IdempotencyKey = f.name()+"@example.org", ptr("key")
		c.Email = ptr(c.ProvedEmail)
		f.sameID(func() (blog.UUID, error) {
			u, err := f.store.CreateUser(f.ctx, c)
			return u.ID.UUID, err
		})
		f.userByUsername(c.Username)
	}},
	{"one post is made", func(f *fixture) {
		author := f.user()
		f.sameID(func() (blog.UUID, error) {
			p, err := f.store.CreatePost(f.ctx, f.keyedPost(author))
			return p.ID.UUID, err
		})
		equal(f, "posts", []int{len(f.postsBy(author)), len(f.feed())}, []int{1, 1})
	}},
	{"one comment is made", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.sameID(func() (blog.UUID, error) {
			c, _, err := f.store.CreateComment(f.ctx, f.keyedComment(author, p))
			return c.ID.UUID, err
		})
		equal(f, "comments", append(f.commentCounts(p), len(f.commentsOf(p)), len(f.commentsBy(author))), []int{1, 1, 1, 1, 1, 1})
	}},
	{"of many inputs one wins and the others are refused", func(f *fixture) {
		author := f.user()
		won := make([]bool, clients)
		f.atOnce(clients, func(i int) error {
			c := f.keyedPost(author)
			c.Title = fmt.Sprintf("Title %d", i%4)
			_, err := f.store.CreatePost(f.ctx, c)
			won[i] = err == nil
			return unless(err, blog.Invalid, "idempotencyKey")
		})
		posts := f.postsBy(author)
		equal(f, "posts", len(posts), 1)
		for i := range clients {
			equal(f, fmt.Sprintf("client %d won", i), won[i], posts[0].Title == fmt.Sprintf("Title %d", i%4))
		}
	}},
}

// sameID fails unless many calls at once succeed and return one id.
func (f *fixture) sameID(call func() (blog.UUID, error)) {
	f.Helper()
	ids := make([]blog.UUID, clients)
	f.atOnce(clients, func(i int) (err error) {
		ids[i], err = call()
		return err
	})
	for _, id := range ids {
		equal(f, "id", id, ids[0])
	}
}

// unless returns the error unless it is of that kind and blames that field.
func unless(err error, kind blog.Kind, field string) error {
	all := blog.Each(err)
	if len(all) == 1 && all[0].Kind == kind && fieldOf(all[0]) == field {
		return nil
	}
	return err
}
