package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdatePost is a method of [blog.Commands].
func (s *Store) UpdatePost(ctx context.Context, c blog.UpdatePost) (p blog.Post, err error) {
	if err := c.Validate(); err != nil {
		return p, err
	}
	err = s.command(ctx, func(tx *tx) error {
		p, err = tx.updatePost(c)
		return err
	})
	return p, err
}

func (tx *tx) updatePost(c blog.UpdatePost) (blog.Post, error) {
	if _, err := tx.ownPost(c.Actor, c.Post); err != nil {
		return blog.Post{}, err
	}
	old, err := tx.postText(c.Post)
	if err != nil {
		return blog.Post{}, err
	}
	if err := blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil {
		return blog.Post{}, err
	}
	p, changed := c.After(old, tx.clock)
	if changed {
		tx.putPost(p)
		tx.tell(blog.Change{Kind: blog.PostUpdated, Actor: c.Actor, Post: p.ID})
	}
	return p, nil
}

// ownPost reads the truth of a post that the actor may change.
func (tx *tx) ownPost(actor blog.UserID, id blog.PostID) (blog.Post, error) {
	if _, err := tx.actor(actor); err != nil {
		return blog.Post{}, err
	}
	p, err := tx.post(id, "id")
	if err == nil && p.Author.ID != actor {
		err = blog.ErrNotAuthor("post")
	}
	return p, err
}
