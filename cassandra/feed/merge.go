package feed

import (
	"context"
	"slices"
	"sort"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// ReadPosts reads the first posts of a bucket from one id on, below another, as many as wanted if there are so many.
type ReadPosts func(ctx context.Context, bucket blog.FeedPlace, from, to blog.UUID, newestFirst bool, wanted int) ([]blog.Post, error)

// Page returns the first posts of the feed from one id on, below another, as many as wanted if there are so many.
// Where it would take too much to read them all, or the time for reading is over, it ends at an id, behind which the
// next page begins.
func (x *Index) Page(ctx context.Context, from, to blog.UUID, newestFirst bool, wanted int, read ReadPosts) (posts []blog.Post, ends *blog.UUID, err error) {
	m := merge{names: newNames(x, span{from, to}, newestFirst), read: read, wanted: wanted}
	return m.page(ctx)
}

// maxSteps bounds what is read at once, maxBuckets what a page reads before it ends short: a feed
// that has fewer posts than buckets has too narrow ones, or they were deleted.
const (
	maxSteps   = 16
	maxBuckets = 64
)

// merge makes one list of the posts of many buckets.
type merge struct {
	*names
	read   ReadPosts
	wanted int         // posts
	unread []Bucket    // that are named, in the page's order
	posts  []blog.Post // of those that were read, in the page's order
	seen   int         // buckets
}

// page is [Index.Page].
func (m *merge) page(ctx context.Context) (posts []blog.Post, ends *blog.UUID, err error) {
	for step := 1; ; {
		posts = m.final()
		ends = m.stop(posts)
		switch {
		case len(posts) == m.wanted || m.ended && len(m.unread) == 0:
			return posts, nil, nil
		case ends != nil && m.seen >= maxBuckets:
			return posts, ends, nil
		case m.lacksNames():
			err = m.name(ctx)
		default:
			err = m.readBuckets(ctx, m.take(step))
			step = min(2*step, maxSteps)
		}
		if ends != nil && blog.KindOf(err) == blog.Timeout {
			return posts, ends, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// final returns those of the first posts that no post of a bucket comes before that was not
// read, or not named.
func (m *merge) final() []blog.Post {
	n := len(m.posts)
	if edge, more := m.rest(); more {
		first := blog.FirstUUIDAt(edge)
		n = sort.Search(n, func(i int) bool { return m.posts[i].ID.Compare(first) < 0 == m.newestFirst })
	}
	return m.posts[:min(n, m.wanted)]
}

// rest returns the time to which the page comes first of those that were not read, or not named; false: all were.
func (m *merge) rest() (edge time.Time, more bool) {
	edge, more = m.edge, !m.ended
	if len(m.unread) > 0 {
		if begins := m.begins(m.unread[0]); !more || m.before(begins, edge) {
			edge, more = begins, true
		}
	}
	return edge, more
}

// stop returns where a page ends that has no more than some posts: at the last, or without one at the rest. It is nil
// where the next page would begin where this one does.
func (m *merge) stop(posts []blog.Post) *blog.UUID {
	switch n := len(posts); {
	case n > 0:
		return &posts[n-1].ID.UUID
	case m.seen == 0:
		return nil
	}
	edge, _ := m.rest()
	end := blog.FirstUUIDAt(edge)
	if !m.newestFirst {
		end = blog.FirstUUIDAt(edge.Add(-time.Millisecond)) // in which there is no post
	}
	if m.newestFirst && end.Compare(m.keys.to) >= 0 || !m.newestFirst && end.Compare(m.keys.from) <= 0 {
		return nil
	}
	return &end
}

// begins returns the time of a bucket that the page comes to first, ends that where it is over.
func (m *merge) begins(b Bucket) time.Time {
	if m.newestFirst {
		return b.End
	}
	return b.Start
}

func (m *merge) ends(b Bucket) time.Time {
	if m.newestFirst {
		return b.Start
	}
	return b.End
}

// before reports whether the page comes to a time before another.
func (m *merge) before(a, b time.Time) bool { return m.order(a.Compare(b)) < 0 }

// order makes of a comparison one by the page's order.
func (m *merge) order(compared int) int {
	if m.newestFirst {
		return -compared
	}
	return compared
}

// lacksNames reports whether the next bucket may be one that was not named yet.
func (m *merge) lacksNames() bool {
	return !m.ended && (len(m.unread) == 0 || !m.newestFirst && !m.before(m.unread[0].Start, m.edge))
}

func (m *merge) name(ctx context.Context) error {
	buckets, err := m.next(ctx)
	m.unread = append(m.unread, buckets...)
	slices.SortFunc(m.unread, func(a, b Bucket) int { return m.order(m.begins(a).Compare(m.begins(b))) })
	return err
}

// take returns the next buckets that make so many steps. A step ends where one of its buckets
// is over before the next one begins: up to there its posts are final.
func (m *merge) take(steps int) []Bucket {
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

// readBuckets reads the first posts of some buckets, at once, and merges them with those that were read before.
func (m *merge) readBuckets(ctx context.Context, buckets []Bucket) error {
	found := make([][]blog.Post, len(buckets))
	reads := make([]func() error, len(buckets))
	for i, b := range buckets {
		reads[i] = func() (err error) {
			found[i], err = m.read(ctx, b.FeedPlace, m.keys.from, m.keys.to, m.newestFirst, m.wanted)
			return err
		}
	}
	if err := cql.Concurrently(reads...); err != nil {
		return err
	}
	m.seen += len(buckets)
	m.posts = slices.Concat(m.posts, slices.Concat(found...))
	slices.SortFunc(m.posts, func(a, b blog.Post) int { return m.order(a.ID.Compare(b.ID.UUID)) })
	return nil
}
