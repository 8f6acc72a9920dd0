package embedded

import (
	"context"

	"broadsheet/blog"
)

// UnlikePost is a method of [blog.Commands].
func (s *Store) UnlikePost(ctx context.Context, c blog.UnlikePost) (count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		count, err = tx.unlikePost(c)
		return err
	})
	return count, err
}

func (tx *tx) unlikePost(c blog.UnlikePost) (blog.Count, error) {
	l, err := tx.likeable(blog.LikeKey{Post: c.Post, User: c.Actor})
	if err != nil || !l.claim.stands {
		return l.count, err
	}
	l.claim.stands = false
	l.count = tx.counted(l.count, -1)
	tx.putLike(l)
	tx.tell(blog.Change{Kind: blog.PostUnliked, Actor: c.Actor, Post: c.Post})
	return l.count, nil
}
