package embedded

import (
	"context"

	"broadsheet/blog"
)

// everywhere is the one place of the feed: a partition of one machine's ordered
// keys is read by seeking, so its size does not matter.
var everywhere = blog.FeedPlace{}

// Feed is a method of [blog.Queries].
func (s *Store) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.Posts(ctx, blog.FeedByBucket, request, everywhere.Bucket, everywhere.Shard)
}
