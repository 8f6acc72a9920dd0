package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreatePost is a method of [blog.Commands].
func (s *Store) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	return carryOut(ctx, s, c, (*tx).createPost)
}

func (tx *tx) createPost(c blog.CreatePost) (p blog.Post, err error) {
	user, err := tx.actor(c.Author)
	if err != nil {
		return p, err
	}
	create := func() (blog.UUID, error) {
		author := user.Name()
		p = c.Post(tx.ids.Post(), author, everywhere, tx.clock)
		tx.putPost(p)
		tx.putCopies(blog.NameOfPost(p.Ref(), author))
		tx.append(blog.Change{Kind: blog.PostCreated, Actor: p.Author.ID, Post: p.ID})
		return p.ID.UUID, nil
	}
	err = tx.once(c.Idempotency, create, func(id blog.UUID) error {
		p, err = tx.postText(blog.PostID{UUID: id})
		for _, table := range blog.AboutPost.Counted() {
			if err == nil {
				*p.CountOf(table), err = tx.count(tx.ctx, tables[table], id)
			}
		}
		return ifAbsent(err, blog.ErrGoneSince("post"))
	})
	return p, err
}
