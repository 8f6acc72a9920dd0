package cassandra

import (
	"context"
	"slices"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var (
	selectFeedByBucket       = statement{blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id DESC LIMIT ?`}
	selectOldestFeedByBucket = statement{blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id ASC LIMIT ?`}
	selectSomeFeedByBucket   = statement{blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id IN ?`}
	selectFeedBuckets        = statement{blog.FeedBuckets, `SELECT bucket, shard, starts_at, ends_at FROM feed_buckets WHERE feed = 0`}
)

// Feed reads the names of the buckets and then buckets from the page's start on, as
// far as the page needs them. Buckets that overlap in time, as the shards of one do,
// are read together, as one wave; every post of a later wave stands after all of the
// earlier ones:
//
//	newest ▷ ┌ week 9, shard 0 ┐ ┌ week 8, shard 0 ┐ ┌ day 7 of week 7 ┐ …
//	         └ week 9, shard 1 ┘ └ week 8, shard 1 ┘
//	               wave 1              wave 2              wave 3
//
// The first step reads one wave, the next two, then four, at once: a feed with a
// post a month doesn't wait for each of its buckets in turn. Where the time for reading is
// over before the page is whole, the page is short.
func (s *Store) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	keys := idSpan(page, true)
	reading, cancel := blog.ReadingTime(ctx)
	defer cancel()
	buckets, err := s.feedBuckets(reading, keys)
	if err != nil {
		return blog.Page[blog.Post]{}, err
	}
	rest := waves(buckets, !page.Backward)
	var posts []blog.Post
	finish := blog.NewPage[blog.PostID, blog.Post]
	read := 0
	for step := 1; len(rest) > 0 && len(posts) <= page.Limit; step *= 2 {
		if len(posts) > 0 && read >= maxBuckets {
			finish = blog.ShortPage
			break
		}
		n := min(step, len(rest), maxWaves)
		found, err := s.feedRows(reading, slices.Concat(rest[:n]...), keys, !page.Backward, page.Limit+1)
		if len(posts) > 0 && blog.KindOf(err) == blog.Timeout {
			finish = blog.ShortPage
			break
		}
		if err != nil {
			return blog.Page[blog.Post]{}, err
		}
		read += len(slices.Concat(rest[:n]...))
		posts, rest = append(posts, found...), rest[n:]
	}
	posts = posts[:min(len(posts), page.Limit+1)]
	if err := complete(ctx, s, posts, postAuthor); err != nil {
		return blog.Page[blog.Post]{}, err
	}
	return finish(page, posts), nil
}

// maxWaves bounds what one step reads at once, maxBuckets what a page reads before it ends
// short, with one post at least: a feed that has fewer posts than buckets has too narrow ones.
const (
	maxWaves   = 16
	maxBuckets = 64
)

// feedBuckets returns the buckets that may hold posts of the span.
func (s *Store) feedBuckets(ctx context.Context, keys span[blog.UUID]) ([]feedBucket, error) {
	var buckets []feedBucket
	err := s.each(ctx, selectFeedBuckets.with(), indexPage, func(row gocql.Scanner) error {
		var b feedBucket
		err := row.Scan(&b.Bucket, &b.Shard, &b.start, &b.end)
		if err == nil && blog.FirstUUIDAt(b.start).Compare(keys.to) < 0 && blog.FirstUUIDAt(b.end).Compare(keys.from) > 0 {
			buckets = append(buckets, b)
		}
		return err
	})
	return buckets, err
}

// indexPage is as many names as come in one answer: twenty years of weeks.
const indexPage = 1000

// waves sorts buckets by time, from the newest or from the oldest, and joins those
// that overlap, directly or through others.
func waves(buckets []feedBucket, newestFirst bool) [][]feedBucket {
	slices.SortFunc(buckets, func(a, b feedBucket) int {
		if newestFirst {
			return b.end.Compare(a.end)
		}
		return a.start.Compare(b.start)
	})
	var all [][]feedBucket
	var edge feedBucket // start and end of the wave so far
	for _, b := range buckets {
		if len(all) == 0 || newestFirst && !b.end.After(edge.start) || !newestFirst && !b.start.Before(edge.end) {
			all, edge = append(all, nil), b
		}
		all[len(all)-1] = append(all[len(all)-1], b)
		if b.start.Before(edge.start) {
			edge.start = b.start
		}
		if b.end.After(edge.end) {
			edge.end = b.end
		}
	}
	return all
}

// feedRows reads the first posts of some buckets at once and merges them.
func (s *Store) feedRows(ctx context.Context, buckets []feedBucket, keys span[blog.UUID], newestFirst bool, wanted int) ([]blog.Post, error) {
	found := make([][]blog.Post, len(buckets))
	reads := make([]func() error, len(buckets))
	for i, b := range buckets {
		reads[i] = func() (err error) {
			found[i], err = feedListing(b.FeedPlace).rows(ctx, s, keys, newestFirst, wanted)
			return err
		}
	}
	if err := together(reads...); err != nil {
		return nil, err
	}
	posts := slices.Concat(found...)
	slices.SortFunc(posts, func(a, b blog.Post) int {
		if newestFirst {
			return b.ID.Compare(a.ID.UUID)
		}
		return a.ID.Compare(b.ID.UUID)
	})
	return posts[:min(len(posts), wanted)], nil
}

func feedListing(place blog.FeedPlace) idList[blog.Post] {
	return newIDList(feedGaps(place), selectFeedByBucket, selectOldestFeedByBucket, selectSomeFeedByBucket, func(row gocql.Scanner) (blog.UUID, blog.Post, bool, error) {
		p := blog.Post{Feed: place}
		err := row.Scan(into(&p.ID.UUID), into(&p.Author.ID.UUID), &p.Author.Username, &p.Title, &p.Excerpt, &p.UpdatedAt,
			&p.Version, &p.Comments.N, &p.Likes.N)
		return p.ID.UUID, p, p.Title != "", err
	})
}
