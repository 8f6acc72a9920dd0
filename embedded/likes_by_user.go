package embedded

import (
	"context"

	"broadsheet/blog"
)

// LikedPosts is a method of [blog.Queries]. Its rows hold no username: they are
// the user's own.
func (s *Store) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (liked map[blog.PostID]blog.Like, err error) {
	snap, err := s.query(ctx, likesByUser, user)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	liked = make(map[blog.PostID]blog.Like, len(posts))
	for _, post := range posts {
		at := snap.at(post)
		for r := range snap.rows(span{at, with(at, pastCells)}, false) {
			if liked[post], err = decodeUserLike(blog.Like{Post: post, User: blog.Author{ID: user}}, r.cells[1]); err != nil {
				return nil, err
			}
		}
	}
	return liked, snap.err
}
