package cassandra

import (
	"context"

	"broadsheet/blog"
)

// Feed reads the index and as many buckets as the page needs: package feed. Where these are too many, or the time for
// reading is over before, the page is short.
func (s *Store) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	keys := idSpan(page)
	reading, cancel := blog.ReadingTime(ctx)
	defer cancel()
	posts, ends, err := s.feed.Page(reading, keys.from, keys.to, page.Descending(), page.Limit+1, s.feedPosts)
	if err != nil {
		return blog.Page[blog.Post]{}, err
	}
	if err := completeNames(ctx, s, posts, postAuthor); err != nil {
		return blog.Page[blog.Post]{}, err
	}
	if ends != nil {
		return blog.ShortPage(page, posts, *ends), nil
	}
	return blog.NewPage(page, posts), nil
}

func (s *Store) feedPosts(ctx context.Context, bucket blog.FeedPlace, from, to blog.UUID, newestFirst bool, wanted int) ([]blog.Post, error) {
	return feedListing(bucket).rows(ctx, s, span[blog.UUID]{from, to}, newestFirst, wanted)
}

func feedListing(place blog.FeedPlace) idList[blog.Post] {
	return postLists[blog.FeedByBucket].list(place.Bucket, place.Shard)
}
