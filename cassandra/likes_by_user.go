package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// selectLikesByUser binds the whole list of posts as one value, so its text is the
// same whatever their number.
var selectLikesByUser = cql.On(blog.LikesByUser,
	`SELECT post_id, liked_at FROM likes_by_user WHERE user_id = ? AND bucket = 0 AND post_id IN ?`)

// LikedPosts reads some rows of the user's partition. The user's name is not filled
// in: the caller knows it.
func (s *Store) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Like, error) {
	liked := map[blog.PostID]blog.Like{}
	if len(posts) == 0 {
		return liked, nil
	}
	ids := make([]gocql.UUID, len(posts))
	for i, post := range posts {
		ids[i] = cql.ID(post.UUID)
	}
	err := s.db.Each(ctx, selectLikesByUser.With(cql.ID(user.UUID), ids), len(posts), func(row gocql.Scanner) error {
		var post blog.PostID
		var likedAt time.Time
		err := row.Scan(cql.Into(&post.UUID), &likedAt)
		if err == nil && !likedAt.IsZero() {
			liked[post] = blog.Like{Post: post, User: blog.Author{ID: user}, LikedAt: likedAt}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return liked, nil
}
