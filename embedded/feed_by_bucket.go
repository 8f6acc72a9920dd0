package embedded

import (
	"context"
	"time"

	"broadsheet/blog"
)

// everywhere is the one place of the feed: a partition of one machine's ordered
// keys is read by seeking, so its size does not matter.
var everywhere = blog.FeedPlace{}

// Feed is a method of [blog.Queries].
func (s *Store) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (posts blog.Page[blog.Post], err error) {
	snap, err := s.query(ctx, feedByBucket, everywhere.Bucket, everywhere.Shard)
	if err != nil {
		return posts, err
	}
	defer snap.close(&err)
	return page(snap, list[blog.PostID, blog.Post]{
		at: func(id blog.PostID) []byte { return snap.at(id) },
		item: func(r *row) (blog.Post, error) {
			p, err := decodeFeedPost(blog.PostID{UUID: r.id()}, r.cells[1])
			if err == nil {
				err = decodeShared(&p, r.cells[2], r.cells[3], r.cells[4])
			}
			return p, err
		},
	}, request)
}

func decodeFeedPost(id blog.PostID, value string) (blog.Post, error) {
	f := decode(value)
	p := blog.Post{
		ID:        id,
		Feed:      everywhere,
		Author:    blog.Author{ID: field[blog.UserID](f)},
		Title:     field[string](f),
		Excerpt:   field[string](f),
		UpdatedAt: field[time.Time](f),
		Version:   field[int](f),
	}
	return p, f.end()
}
