package embedded

import (
	"context"

	"broadsheet/blog"
)

// LikesByPost is a method of [blog.Queries].
func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, request blog.PageRequest[blog.LikePosition]) (likes blog.LikePage, err error) {
	likes.Page, err = readPage(ctx, s, likesByPost, []any{post}, request, list[blog.LikePosition, blog.Like]{
		above: func(snap *snapshot) (err error) {
			likes.Count, err = decodeCount(snap.static(countCell))
			return err
		},
		at:     func(snap *snapshot, p blog.LikePosition) []byte { return snap.at(p.LikedAt, p.User) },
		item:   func(r *row) (blog.Like, error) { return readLikesByPost(r, blog.Like{Post: post}) },
		exists: func() error { return s.postExists(ctx, post) },
	})
	return likes, err
}
