package embedded

import (
	"context"

	"broadsheet/blog"
)

// UpdatePost is a method of [blog.Commands].
func (s *Store) UpdatePost(ctx context.Context, c blog.UpdatePost) (blog.Post, error) {
	return carryOut(ctx, s, c, (*tx).updatePost)
}

func (tx *tx) updatePost(c blog.UpdatePost) (blog.Post, error) {
	if _, err := tx.actor(c.Actor); err != nil {
		return blog.Post{}, err
	}
	old, err := tx.postText(c.Post)
	if err != nil {
		return blog.Post{}, err
	}
	if old.Author.ID != c.Actor {
		return blog.Post{}, blog.ErrNotAuthor("post")
	}
	if err := blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil {
		return blog.Post{}, err
	}
	p, changed := c.After(old, tx.clock)
	if changed {
		tx.putPost(p)
		tx.append(blog.Change{Kind: blog.PostUpdated, Actor: c.Actor, Post: p.ID})
	}
	return p, nil
}
