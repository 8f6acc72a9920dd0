package embedded

import (
	"context"

	"broadsheet/blog"
)

// LikesByPost is a method of [blog.Queries].
func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, request blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	likes, err := s.likesByPost(ctx, post, request)
	if err == nil && len(likes.Items) == 0 {
		err = s.postExists(ctx, post)
	}
	return likes, err
}

func (s *Store) likesByPost(ctx context.Context, post blog.PostID, request blog.PageRequest[blog.LikePosition]) (likes blog.LikePage, err error) {
	snap, err := s.query(ctx, likesByPost, post)
	if err != nil {
		return likes, err
	}
	defer snap.close(&err)
	if likes.Count, err = decodeCount(snap.static(countCell)); err != nil {
		return likes, err
	}
	likes.Page, err = page(snap, list[blog.LikePosition, blog.Like]{
		at: func(p blog.LikePosition) []byte { return snap.at(p.LikedAt, p.User) },
		item: func(r *row) (blog.Like, error) {
			key := r.columns()
			l := blog.Like{Post: post, LikedAt: key.time()}
			l.User.ID.UUID = key.id()
			l.User.Username, err = decodeName(r.cells[2])
			return l, err
		},
	}, request)
	return likes, err
}
