package cassandra

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// span is a range of keys: at least from, below to.
type span[K any] struct{ from, to K }

// spanOf returns those of all keys that lie between a page's cursors and its times. Statements always bind both ends,
// so one text serves every page of a list.
func spanOf[P, K any](page blog.PageRequest[P], all span[K], key, next func(P) K, compare func(a, b K) int) span[K] {
	from, to := page.Bounds()
	older, newer := page.Cursors()
	raise := func(at *P, lowest func(P) K) {
		if at != nil && compare(lowest(*at), all.from) > 0 {
			all.from = lowest(*at)
		}
	}
	raise(from, key)
	raise(older, next)
	for _, at := range []*P{to, newer} {
		if at != nil && compare(key(*at), all.to) < 0 {
			all.to = key(*at)
		}
	}
	return all
}

func idSpan[P ~struct{ blog.UUID }](page blog.PageRequest[P]) span[blog.UUID] {
	id := func(of P) blog.UUID { return struct{ blog.UUID }(of).UUID }
	next := func(of P) blog.UUID { return cql.After(id(of)) }
	return spanOf(page, span[blog.UUID]{blog.UUID(cql.FirstID), blog.UUID(cql.LastID)}, id, next, blog.UUID.Compare)
}

// listing is a partition whose rows are read in pages.
type listing[K, T any] struct {
	pages     tables.Pages
	partition []any // what names the list
	bind      func(span[K]) []any
	next      func(K) K // the lowest key above
	// row scans a row. Those that do not stand are skipped: an update that came after a row's deletion, or without its
	// creation, leaves cells without it.
	row func(gocql.Scanner) (key K, item T, stands bool, err error)
}

// rows returns the first rows of a span that stand, as many as wanted if there are so many: in descending order from
// its high end, else in ascending from its low end. It makes one statement, and one more each time that rows which do
// not stand left it short.
func (l listing[K, T]) rows(ctx context.Context, s *Store, keys span[K], descending bool, wanted int) ([]T, error) {
	var items []T
	for {
		seen := 0
		var last K
		err := s.db.Each(ctx, l.page(keys, descending, wanted), wanted, func(row gocql.Scanner) error {
			key, item, stands, err := l.row(row)
			seen++
			last = key
			if err == nil && stands && len(items) < wanted {
				items = append(items, item)
			}
			return err
		})
		if err != nil || seen < wanted || len(items) == wanted {
			return items, err
		}
		if descending {
			keys.to = last
		} else {
			keys.from = l.next(last)
		}
	}
}

func (l listing[K, T]) table() blog.Table { return l.pages.Newest.Table }

func (l listing[K, T]) page(keys span[K], descending bool, wanted int) cql.Bound {
	st := l.pages.Oldest
	if descending {
		st = l.pages.Newest
	}
	return st.With(append(slices.Concat(l.partition, l.bind(keys)), wanted)...)
}

// rowsReader is a list, as listing.rows reads it.
type rowsReader[K, T any] interface {
	rows(ctx context.Context, s *Store, keys span[K], descending bool, wanted int) ([]T, error)
	table() blog.Table
}

// readPage reads a page of a list, and completes its usernames. above is told how many rows were found, and says what
// is wrong with what the list belongs to. author is nil where no username is shown.
func readPage[K, P, T any](ctx context.Context, s *Store, l rowsReader[K, T], keys span[K], page blog.PageRequest[P],
	author func(*T) *blog.Author, above func(rows int) error,
) (blog.Page[T], error) {
	if err := s.built(ctx, l.table()); err != nil {
		return blog.Page[T]{}, err
	}
	rows, err := l.rows(ctx, s, keys, page.Descending(), page.Limit+1)
	if err == nil {
		err = above(len(rows))
	}
	if err == nil && author != nil {
		err = completeNames(ctx, s, rows, author)
	}
	if err != nil {
		return blog.Page[T]{}, err
	}
	return blog.NewPage(page, rows), nil
}

func postAuthor(p *blog.Post) *blog.Author       { return &p.Author }
func commentAuthor(c *blog.Comment) *blog.Author { return &c.Author }
func reactionUser(r *blog.Reaction) *blog.Author { return &r.User }

// unlessFound asks whether there is the user or the post that a list belongs to where the list has no rows.
func (s *Store) unlessFound(ctx context.Context, parent any) func(rows int) error {
	return func(rows int) (err error) {
		if rows > 0 {
			return nil
		}
		switch id := parent.(type) {
		case blog.UserID:
			return s.userStands(ctx, id)
		case blog.GroupID:
			_, err = s.GroupByID(ctx, id)
		case blog.PostID:
			_, err = s.postCounts(ctx, id)
		}
		return err
	}
}

// maxOwners is how many rows are read under one key. There is one, but while a former owner's row is being deleted.
const maxOwners = 10

// Users is a method of [blog.Floor].
func (s *Store) Users(ctx context.Context, by *blog.UniqueKey, key string) (listed []blog.User, err error) {
	err = s.db.Each(ctx, tables.Cards[by].With(key), maxOwners, func(row gocql.Scanner) error {
		var u blog.User
		err := row.Scan(tables.Users.Into(&u, &u.Stamp, cql.Into(&u.ID.UUID))...)
		listed = append(listed, u)
		return err
	})
	return listed, err
}

// Posts is a method of [blog.Floor].
func (s *Store) Posts(ctx context.Context, list blog.Table, page blog.PageRequest[blog.PostID], parent ...any) (blog.Page[blog.Post], error) {
	return readPage(ctx, s, postLists[list].list(parent...), idSpan(page), page, postAuthor, s.unlessFound(ctx, parent[0]))
}

// Comments is a method of [blog.Floor].
func (s *Store) Comments(ctx context.Context, list blog.Table, page blog.PageRequest[blog.CommentID], parent ...any) (blog.Page[blog.Comment], error) {
	return readPage(ctx, s, commentLists[list].list(parent...), idSpan(page), page, commentAuthor, s.unlessFound(ctx, parent[0]))
}

// completeNames fills in the usernames of rows whose copy has not arrived yet, from the truth: one read for each user,
// at once.
func completeNames[T any](ctx context.Context, s *Store, rows []T, author func(*T) *blog.Author) error {
	var reads []func() error
	lacking := map[blog.UserID]*blog.Name{}
	for i := range rows {
		who := author(&rows[i])
		if who.Username != "" || lacking[who.ID] != nil {
			continue
		}
		name := &blog.Name{}
		lacking[who.ID] = name
		reads = append(reads, func() (err error) { *name, err = s.authorName(ctx, who.ID); return err })
	}
	if len(reads) == 0 {
		return nil
	}
	if err := cql.Concurrently(reads...); err != nil {
		return err
	}
	for i := range rows {
		if who := author(&rows[i]); who.Username == "" {
			name := lacking[who.ID].Author()
			who.Username, who.DisplayName = name.Username, name.DisplayName
		}
	}
	return nil
}

// authorName reads the name of a user. It is empty where the account was erased, and what it wrote is about to be
// deleted.
func (s *Store) authorName(ctx context.Context, user blog.UserID) (blog.Name, error) {
	account, err := s.truths.Users.Account(ctx, user)
	return account.Name, err
}

// rowReader reads rows of one of the statements of [tables.Lists]. A row stands where it has what makes it, a text.
type rowReader[T any] struct {
	table   blog.Table
	parent  blog.Row[T] // the columns that name the list
	columns blog.Row[T] // the others, the key first
	text    int         // that of them which makes the row
}

// The lists of what has an id.
var (
	postLists    = rowReaders[blog.Post]()
	commentLists = rowReaders[blog.Comment]()
)

func rowReaders[T any]() map[blog.Table]rowReader[T] {
	all := map[blog.Table]rowReader[T]{}
	for table, pages := range tables.Lists {
		d := table.Declaration()
		if fields := blog.FieldsOf[T](d); fields != nil {
			all[table] = rowReader[T]{table, fields.Of(d.Parent().Names()...), fields.Of(pages.Columns...), slices.Index(pages.Columns, d.Maker().Mandatory())}
		}
	}
	return all
}

// reading returns what reads rows, each into the same place, and what stands above all.
func (r rowReader[T]) reading(parent []any, above ...any) func(gocql.Scanner) (key blog.UUID, item T, stands bool, err error) {
	empty, of := *new(T), new(T)
	r.parent.Set(&empty, parent...)
	into := tables.Into(r.columns, of, above...)
	return func(row gocql.Scanner) (blog.UUID, T, bool, error) {
		*of = empty
		err := row.Scan(into...)
		return *blog.IDAt(r.columns[0](of)), *of, *r.columns[r.text](of).(*string) != "", err
	}
}

func (r rowReader[T]) list(parent ...any) idList[T] {
	return newIDList(r.table, r.reading(parent), parent...)
}
