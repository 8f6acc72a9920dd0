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
// It is not whole where it took too much to read them all, or the time for reading was over.
func (x *Index) Page(ctx context.Context, from, to blog.UUID, newestFirst bool, wanted int, read ReadPosts) (posts []blog.Post, whole bool, err error) {
	m := merge{names: newNames(x, span{from, to}, newestFirst), read: read, wanted: wanted}
	return m.page(ctx)
}

// maxSteps bounds what is read at once, maxBuckets what a page reads before it ends short, with
// one post at least: a feed that has fewer posts than buckets has too narrow ones.
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
func (m *merge) page(ctx context.Context) (posts []blog.Post, whole bool, err error) {
	for step := 1; ; {
		posts = m.final()
		switch {
		case len(posts) == m.wanted || m.ended && len(m.unread) == 0:
			return posts, true, nil
		case len(posts) > 0 && m.seen >= maxBuckets:
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
func (m *merge) final() []blog.Post {
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
