package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// LikesByPost reads a page of the post's partition. The count is a static cell, as
// that of comments.
func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	var count blog.Count
	likes, err := readPage(ctx, s, likeListing(post, &count), likeSpan(page), blog.NewestFirst, page, likeUser, func(rows int) (err error) {
		if rows == 0 {
			_, count, err = s.postCounts(ctx, post)
		}
		return err
	})
	if err != nil {
		return blog.LikePage{}, err
	}
	return blog.LikePage{Page: likes, Count: count}, nil
}

func likeListing(post blog.PostID, count *blog.Count) listing[blog.LikePosition, blog.Like] {
	return listing[blog.LikePosition, blog.Like]{
		pages: tables.Lists[blog.LikesByPost], partition: []any{cql.ID(post.UUID)},
		bind: func(keys span[blog.LikePosition]) []any {
			return []any{keys.from.LikedAt, cql.ID(keys.from.User.UUID), keys.to.LikedAt, cql.ID(keys.to.User.UUID)}
		},
		next: afterLike,
		row: func(row gocql.Scanner) (blog.LikePosition, blog.Like, bool, error) {
			l := blog.Like{Post: post}
			stands, err := readLikesByPost(row, &l, count)
			return l.Position(), l, stands, err
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
