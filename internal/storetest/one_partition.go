package storetest

import (
	"context"
	"slices"
	"sync"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

// What queries cost: each reads one partition of the table that [productmap.Queries] names.
var onePartition = []leaf{
	{"each query reads one partition of its own table", func(f *fixture) {
		q := f.questions()
		for _, m := range productmap.Queries {
			f.costs(m.Method, slices.Repeat([]blog.Table{m.Table}, m.Shards()), q.ask[m.Method])
		}
		f.costs("CommentByKey", []blog.Table{blog.CommentsByPost}, func() error {
			_, err := f.store.CommentByKey(f.ctx, q.comment.Key())
			return err
		})
	}},
	{"a page without rows costs one read more", func(f *fixture) {
		idle := f.user()
		p := f.post(f.user())
		for _, l := range everyList {
			f.standIn(parentOf(l.declaration().Table), p.ID)
			f.costsAtMost(1+l.declaration().Shards(), l.declaration().Method, func() error { return l.ask(f, owner{idle.ID, p.ID}, 20) })
		}
	}},
}

func errorOf[T any](_ T, err error) error { return err }

// questions are one call of each query that finds something, by the name of its
// method, and what they ask for.
type questions struct {
	ask     map[string]func() error
	comment blog.Comment
}

func (f *fixture) questions() questions {
	f.Helper()
	u := f.userWithEmail(f.name() + "@example.org")
	posts := f.posts(u, 3)
	p := posts[0]
	c := f.comments(u, p, 3)[0]
	feed := f.feedList()
	g := f.createGroup(blog.CreateGroup{Owner: u.ID, Name: f.name(), Title: "A group"})
	q := questions{comment: c, ask: map[string]func() error{
		"UserByID":       func() error { return errorOf(f.store.UserByID(f.ctx, u.ID)) },
		"UserByUsername": func() error { return errorOf(f.store.UserByUsername(f.ctx, u.Username)) },
		"UserByEmail":    func() error { return errorOf(f.store.UserByEmail(f.ctx, *u.Email)) },
		"UserBySubject":  func() error { return errorOf(f.store.UserBySubject(f.ctx, u.Subject)) },
		"PostByID":       func() error { return errorOf(f.store.PostByID(f.ctx, p.ID)) },
		"Feed":           func() error { return errorOf(feed.page(blog.FirstPage[blog.PostID](2))) },
		"GroupByID":      func() error { return errorOf(f.store.GroupByID(f.ctx, g.ID)) },
		"GroupsByOwner":  func() error { return errorOf(f.store.GroupsByOwner(f.ctx, u.ID)) },
		"HomeByUser":     func() error { return errorOf(f.store.HomeByUser(f.ctx, u.ID, blog.FirstPage[blog.PostID](2))) },
	}}
	for _, k := range blog.ReactionKinds {
		f.kind = k
		f.react(u, p)
		q.ask[k.ByUser.Declaration().Method] = func() error {
			return errorOf(k.Some(f.ctx, f.store, u.ID, keysOf(posts, func(p blog.Post) blog.UUID { return p.ID.UUID })))
		}
	}
	followed := f.user()
	f.post(followed)
	f.followUser(u, followed)
	f.settle()
	f.postIn(u, f.groupFor(p))
	for _, l := range everyList {
		q.ask[l.declaration().Method] = func() error { return l.ask(f, owner{u.ID, p.ID}, 2) }
	}
	return q
}

// costs fails unless a query reads exactly these tables, one partition of each.
func (f *fixture) costs(query string, want []blog.Table, ask func() error) {
	f.Helper()
	if ask == nil {
		f.Fatalf("no test asks %s", query)
	}
	equal(f, query+" reads", f.reads(query, ask), want)
}

func (f *fixture) costsAtMost(n int, query string, ask func() error) {
	f.Helper()
	if tables := f.reads(query, ask); len(tables) > n {
		f.Fatalf("%s reads %v, want at most %d partitions", query, tables, n)
	}
}

// reads returns the tables that a query reads, each as often as it reads partitions
// of it. Tables that answer no query, as that of the feed's buckets, are left out.
func (f *fixture) reads(query string, ask func() error) []blog.Table {
	f.Helper()
	f.settle()
	f.statements.take()
	f.ok(ask(), query)
	tables := []blog.Table{}
	for _, s := range f.statements.takeAsked() {
		if s.Kind != blog.Read {
			f.Fatalf("%s made a statement of kind %q on %s", query, s.Kind, s.Table)
		}
		if slices.ContainsFunc(productmap.Queries, func(m *blog.Declaration) bool { return m.Table == s.Table }) {
			tables = append(tables, slices.Repeat([]blog.Table{s.Table}, s.Partitions)...)
		}
	}
	return tables
}

// statements observes a store.
type statements struct {
	mu   sync.Mutex
	seen []seenStatement
}

// seenStatement is a statement, and whether the test asked for it. What a store does by itself it
// makes under a context of its own: in Cassandra a process renews its change log every few seconds,
// beside whatever is measured.
type seenStatement struct {
	blog.Statement
	asked bool
}

type askedKey struct{}

// asking returns the context of what a test asks for.
func asking(ctx context.Context) context.Context { return context.WithValue(ctx, askedKey{}, true) }

func (o *statements) Statement(ctx context.Context, s blog.Statement) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, seenStatement{s, ctx.Value(askedKey{}) != nil})
}

// take returns the statements since it was last called.
func (o *statements) take() []seenStatement {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen
	o.seen = nil
	return seen
}

// takeAsked is take, of those that the test asked for.
func (o *statements) takeAsked() []seenStatement {
	return slices.DeleteFunc(o.take(), func(s seenStatement) bool { return !s.asked })
}
