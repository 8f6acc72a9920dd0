package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreatePost is a method of [blog.Commands].
func (s *Store) CreatePost(ctx context.Context, c blog.CreatePost) (p blog.Post, err error) {
	if err := c.Validate(); err != nil {
		return p, err
	}
	err = s.command(ctx, func(tx *tx) error {
		author, err := tx.actor(c.Author)
		if err != nil {
			return err
		}
		return tx.once(c.Idempotency, keyed{
			run: func() (blog.UUID, error) {
				p = tx.createPost(c, author.Name())
				return p.ID.UUID, nil
			},
			again: func(id blog.UUID) error {
				p, err = tx.wholePost(blog.PostID{UUID: id})
				return goneSince("post", err)
			},
		})
	})
	return p, err
}

func (tx *tx) createPost(c blog.CreatePost, author blog.Name) blog.Post {
	p := c.Post(tx.ids.Post(), author, everywhere, tx.clock)
	tx.putPost(p)
	tx.putCopies(blog.NameOfPost(p.Ref(), author))
	tx.tell(blog.Change{Kind: blog.PostCreated, Actor: p.Author.ID, Post: p.ID})
	return p
}
