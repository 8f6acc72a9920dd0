package embedded

import (
	"context"

	"broadsheet/blog"
)

// LikePost is a method of [blog.Commands].
func (s *Store) LikePost(ctx context.Context, c blog.LikePost) (like blog.Like, count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		like, count, err = tx.likePost(c)
		return err
	})
	return like, count, err
}

func (tx *tx) likePost(c blog.LikePost) (blog.Like, blog.Count, error) {
	l, err := tx.likeable(blog.LikeKey{Post: c.Post, User: c.Actor})
	if err != nil {
		return blog.Like{}, blog.Count{}, err
	}
	if !l.claim.stands {
		if l.count.N >= blog.MaxLikesOfPost {
			return blog.Like{}, blog.Count{}, blog.ErrFull("postId", "likes", blog.MaxLikesOfPost)
		}
		if !l.claim.known {
			l.claim.likedAt = blog.Millisecond(tx.clock.Now())
		}
		l.claim.stands = true
		l.count = tx.counted(l.count, +1)
		tx.putLike(l)
		tx.tell(blog.Change{Kind: blog.PostLiked, Actor: c.Actor, Post: c.Post})
	}
	return blog.Like{Post: c.Post, User: l.user.Author(), LikedAt: l.claim.likedAt}, l.count, nil
}
