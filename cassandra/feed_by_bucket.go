package cassandra

import (
	"context"
	"slices"
	"sort"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	selectFeedByBucket       = cql.On(blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id DESC LIMIT ?`)
	selectOldestFeedByBucket = cql.On(blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id ASC LIMIT ?`)
	selectSomeFeedByBucket   = cql.On(blog.FeedByBucket, `SELECT post_id, author_id, username, title, excerpt, updated_at, version, comment_count, like_count FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id IN ?`)
)

// Feed reads a slice of the names of the buckets, and then buckets from the page's start on,
// as far as the page needs them. Buckets of different widths, where the width was changed,
// overlap in time, as the shards of one do; their posts are merged. What is above the end of
// every bucket that was not read is in order for good:
//
//	newest ▷ ┌ the running week ─────────────────────────────────
//	           ┌ hour 9 ┐┌ hour 8 ┐┌ hour 7 ┐ …
//	             1: both  │ final: │
//	                      │ posts above the end of hour 8
//
// The first step reads as much as makes one bucket's time final, the next two, then four, at
// once: a feed with a post a month doesn't wait for each of its buckets in turn. Where the time
// for reading is over before the page is whole, the page is short.
func (s *Store) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	keys := idSpan(page, true)
	reading, cancel := blog.ReadingTime(ctx)
	defer cancel()
	m := feedMerge{feedIndex: newFeedIndex(s, keys, !page.Backward), wanted: page.Limit + 1}
	posts, whole, err := m.page(reading)
	if err != nil {
		return blog.Page[blog.Post]{}, err
	}
	if err := complete(ctx, s, posts, postAuthor); err != nil {
		return blog.Page[blog.Post]{}, err
	}
	if !whole {
		return blog.ShortPage(page, posts), nil
	}
	return blog.NewPage(page, posts), nil
}

// maxSteps bounds what is read at once, maxBuckets what a page reads before it ends short, with
// one post at least: a feed that has fewer posts than buckets has too narrow ones.
const (
	maxSteps   = 16
	maxBuckets = 64
)

// feedMerge makes one list of the posts of many buckets.
type feedMerge struct {
	*feedIndex
	wanted int          // posts
	unread []feedBucket // that are named, in the page's order
	posts  []blog.Post  // of those that were read, in the page's order
	read   int          // buckets
}

// page returns the first posts, as many as are wanted if there are so many. It is not whole
// where it took too much to read them all.
func (m *feedMerge) page(ctx context.Context) (posts []blog.Post, whole bool, err error) {
	for step := 1; ; {
		posts = m.final()
		switch {
		case len(posts) == m.wanted || m.ended && len(m.unread) == 0:
			return posts, true, nil
		case len(posts) > 0 && m.read >= maxBuckets:
			return posts, false, nil
		case m.lacksNames():
			err = m.name(ctx)
		default:
			err = m.readBuckets(ctx, m.take(step))
			step = min(2*step, maxSteps)
		}
		if len(posts) > 0 && blog.KindOf(err) == blog.Timeout {
			return posts, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// final returns those of the first posts that no post of a bucket comes before that was not
// read, or not named.
func (m *feedMerge) final() []blog.Post {
	n := len(m.posts)
	edges := make([]time.Time, 0, 2)
	if len(m.unread) > 0 {
		edges = append(edges, m.begins(m.unread[0]))
	}
	if !m.ended {
		edges = append(edges, m.edge)
	}
	for _, edge := range edges {
		first := blog.FirstUUIDAt(edge)
		n = min(n, sort.Search(len(m.posts), func(i int) bool {
			return m.posts[i].ID.Compare(first) < 0 == m.newestFirst
		}))
	}
	return m.posts[:min(n, m.wanted)]
}

// begins returns the time of a bucket that the page comes to first, ends that where it is over.
func (m *feedMerge) begins(b feedBucket) time.Time {
	if m.newestFirst {
		return b.end
	}
	return b.start
}

func (m *feedMerge) ends(b feedBucket) time.Time {
	if m.newestFirst {
		return b.start
	}
	return b.end
}

// before reports whether the page comes to a time before another.
func (m *feedMerge) before(a, b time.Time) bool {
	if m.newestFirst {
		return a.After(b)
	}
	return a.Before(b)
}

// lacksNames reports whether the next bucket may be one that was not named yet.
func (m *feedMerge) lacksNames() bool {
	return !m.ended && (len(m.unread) == 0 || !m.newestFirst && !m.before(m.unread[0].start, m.edge))
}

func (m *feedMerge) name(ctx context.Context) error {
	buckets, err := m.next(ctx)
	m.unread = append(m.unread, buckets...)
	slices.SortFunc(m.unread, func(a, b feedBucket) int {
		order := m.begins(a).Compare(m.begins(b))
		if m.newestFirst {
			return -order
		}
		return order
	})
	return err
}

// take returns the next buckets that make so many steps. A step ends where one of its buckets
// is over before the next one begins: up to there its posts are final.
func (m *feedMerge) take(steps int) []feedBucket {
	n := 0
	for ; steps > 0 && n < len(m.unread); steps-- {
		over := m.ends(m.unread[n])
		for n++; n < len(m.unread) && m.before(m.begins(m.unread[n]), over); n++ {
			if end := m.ends(m.unread[n]); m.before(end, over) {
				over = end
			}
		}
	}
	taken := m.unread[:n]
	m.unread = m.unread[n:]
	return taken
}

// readBuckets reads the first posts of some buckets, at once, and merges them with those that
// were read before.
func (m *feedMerge) readBuckets(ctx context.Context, buckets []feedBucket) error {
	found := make([][]blog.Post, len(buckets))
	reads := make([]func() error, len(buckets))
	for i, b := range buckets {
		reads[i] = func() (err error) {
			found[i], err = m.reader.feedPosts(ctx, b.FeedPlace, m.keys, m.newestFirst, m.wanted)
			return err
		}
	}
	if err := cql.Concurrently(reads...); err != nil {
		return err
	}
	m.read += len(buckets)
	m.posts = slices.Concat(m.posts, slices.Concat(found...))
	slices.SortFunc(m.posts, func(a, b blog.Post) int {
		if m.newestFirst {
			return b.ID.Compare(a.ID.UUID)
		}
		return a.ID.Compare(b.ID.UUID)
	})
	return nil
}

func (s *Store) feedPosts(ctx context.Context, bucket blog.FeedPlace, keys span[blog.UUID], newestFirst bool, wanted int) ([]blog.Post, error) {
	return feedListing(bucket).rows(ctx, s, keys, newestFirst, wanted)
}

func feedListing(place blog.FeedPlace) idList[blog.Post] {
	return newIDList(feedGaps(place), selectFeedByBucket, selectOldestFeedByBucket, selectSomeFeedByBucket, func(row gocql.Scanner) (blog.UUID, blog.Post, bool, error) {
		p := blog.Post{Feed: place}
		err := row.Scan(cql.Into(&p.ID.UUID), cql.Into(&p.Author.ID.UUID), &p.Author.Username, &p.Title, &p.Excerpt, &p.UpdatedAt,
			&p.Version, &p.Comments.N, &p.Likes.N)
		return p.ID.UUID, p, p.Title != "", err
	})
}
