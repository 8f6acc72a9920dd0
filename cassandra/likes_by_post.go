package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectLikesByPost       = cql.On(blog.LikesByPost, `SELECT liked_at, user_id, liked, username, like_count, WRITETIME(like_count) FROM likes_by_post WHERE post_id = ? AND bucket = 0 AND (liked_at, user_id) >= (?, ?) AND (liked_at, user_id) < (?, ?) ORDER BY liked_at DESC, user_id DESC LIMIT ?`)
	selectOldestLikesByPost = cql.On(blog.LikesByPost, `SELECT liked_at, user_id, liked, username, like_count, WRITETIME(like_count) FROM likes_by_post WHERE post_id = ? AND bucket = 0 AND (liked_at, user_id) >= (?, ?) AND (liked_at, user_id) < (?, ?) ORDER BY liked_at ASC, user_id ASC LIMIT ?`)
)

// LikesByPost reads a page of the post's partition. The count is a static cell, as
// that of comments.
func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	var count blog.Count
	list := likeListing(post, &count)
	likes, err := list.rows(ctx, s, likeSpan(page), !page.Backward, page.Limit+1)
	switch {
	case err != nil:
	case len(likes) == 0:
		_, count, err = s.postCounts(ctx, post)
	default:
		err = complete(ctx, s, likes, func(l *blog.Like) *blog.Author { return &l.User })
	}
	if err != nil {
		return blog.LikePage{}, err
	}
	return blog.LikePage{Page: blog.NewPage(page, likes), Count: count}, nil
}

func likeListing(post blog.PostID, count *blog.Count) listing[blog.LikePosition, blog.Like] {
	return listing[blog.LikePosition, blog.Like]{
		newest: selectLikesByPost, oldest: selectOldestLikesByPost, partition: []any{cql.ID(post.UUID)},
		bind: func(keys span[blog.LikePosition]) []any {
			return []any{keys.from.LikedAt, cql.ID(keys.from.User.UUID), keys.to.LikedAt, cql.ID(keys.to.User.UUID)}
		},
		next: afterLike,
		row: func(row gocql.Scanner) (blog.LikePosition, blog.Like, bool, error) {
			l := blog.Like{Post: post}
			var liked bool
			err := row.Scan(&l.LikedAt, cql.Into(&l.User.ID.UUID), &liked, &l.User.Username, &count.N, &count.Stamp)
			return l.Position(), l, liked, err
		},
	}
}

// The bounds of all places in a list of likes, far outside any clock.
var (
	firstLikedAt = time.UnixMilli(-1 << 47)
	lastLikedAt  = time.UnixMilli(1 << 48)
)

func likeSpan(page blog.PageRequest[blog.LikePosition]) span[blog.LikePosition] {
	keys := span[blog.LikePosition]{
		from: blog.LikePosition{LikedAt: firstLikedAt, User: blog.UserID{UUID: blog.UUID(cql.FirstID)}},
		to:   blog.LikePosition{LikedAt: lastLikedAt, User: blog.UserID{UUID: blog.UUID(cql.LastID)}},
	}
	if page.Before != nil {
		keys.from = afterLike(*page.Before)
	}
	if page.After != nil {
		keys.to = *page.After
	}
	return keys
}

func afterLike(p blog.LikePosition) blog.LikePosition {
	return blog.LikePosition{LikedAt: p.LikedAt, User: blog.UserID{UUID: cql.After(p.User.UUID)}}
}
