package storetest

import (
	"context"
	"fmt"
	"slices"

	"broadsheet/blog"
)

// everyList is the lists that belong to users or posts. What holds for every list is tested for
// each of them, and a list that is declared and is not here fails TestEveryListIsTested.
var everyList = slices.Concat(postLists, commentLists, []tested{membersByGroup, postsByGroup}, ofEach(listedKinds, func(k *blog.ReactionKind) tested { return listOfReactions(k) }), ofKinds(func(k *blog.ReactionKind) tested { return listOfOwnReactions(k) }))

// tested is a [listCase], whatever its rows.
type tested interface {
	declaration() *blog.Declaration
	leaves() []leaf
	ask(f *fixture, o owner, limit int) error
	isTrue(f *fixture, o owner)
	first(f *fixture, o owner) any
	authors(f *fixture, o owner) []blog.Author
	answer(s *side, q numberedQuery) string
}

// listCase is a list of the store: its table, its rows, and how a page of it is asked for.
type listCase[K, T any] struct {
	table blog.Table
	rows  *rowCase[K, T]
	read  func(context.Context, blog.Queries, asked[K]) (page blog.Page[T], count int, err error)
}

// rowCase is what lists hold rows of.
type rowCase[K, T any] struct {
	key    func(T) K
	newest func(a, b K) int
	author func(T) blog.Author
	parent func(T) blog.UUID                                                 // a post, or what it is reacted to
	make   func(f *fixture, users []blog.User, posts []blog.Post, n int) []T // of each of two users, on each of two posts
	truth  func(f *fixture, row T) T                                         // as its own query shows it
	shown  func(row T) T                                                     // without what lists leave out, or stores have for themselves
	edit   func(f *fixture, row T)                                           // nil: it can't be
	remove func(f *fixture, row T)
	stay   bool        // when what the list belongs to is gone
	answer func(T) any // of its answer in a differential run
	number func(s *side, q numberedQuery, i int) K
}

// owner is what lists belong to.
type owner struct {
	user blog.UserID
	post blog.PostID
}

// asked is what a page is asked for by.
type asked[K any] struct {
	owner
	to   blog.UUID // the post, or what stands in for it
	page blog.PageRequest[K]
}

// ofParent reports whether the list is a post's, or of what stands in for it.
func ofParent(d *blog.Declaration) bool {
	return of(d, blog.TypePost) || of(d, blog.TypeFollowed) || of(d, blog.TypeGroup)
}

func (l listCase[K, T]) declaration() *blog.Declaration { return l.table.Declaration() }

// of reports whether the list belongs to something of a type, a user or a post.
func of(d *blog.Declaration, parent blog.ColumnType) bool {
	return slices.ContainsFunc(d.Parent(), func(c blog.Column) bool { return c.Type == parent })
}

// parentOf returns what a table's rows are listed below, a post where that is nothing else.
func parentOf(table blog.Table) *blog.Subject {
	d := table.Declaration()
	switch k := table.Reaction(); {
	case k != nil:
		return k.Parent
	case of(d, blog.TypeGroup):
		return blog.AboutGroup
	}
	return blog.AboutPost
}

// has reports whether a row stands in the list of an owner.
func (l listCase[K, T]) has(o owner, to blog.UUID, row T) bool {
	d := l.declaration()
	return (!of(d, blog.TypeUser) || l.rows.author(row).ID == o.user) && (!ofParent(d) || l.rows.parent(row) == to)
}

// in returns the list of an owner, newest first.
func (l listCase[K, T]) in(f *fixture, o owner) list[K, T] {
	read := func(r blog.PageRequest[K]) (blog.Page[T], error) {
		page, _, err := l.read(f.ctx, f.store, l.asks(f, o, r))
		return page, err
	}
	return list[K, T]{name: string(l.table), read: read, key: l.rows.key, newest: l.rows.newest}
}

func (l listCase[K, T]) all(f *fixture, o owner) []T {
	f.Helper()
	return walk(f, l.in(f, o), blog.MaxPage, forward)
}

// made makes rows of two users on two posts, and returns those of the first list's owner.
func (l listCase[K, T]) made(f *fixture, n int) (o owner, users []blog.User, posts []blog.Post, mine []T) {
	f.Helper()
	users = f.users(2)
	writer := f.user()
	posts = []blog.Post{f.post(writer), f.post(writer)}
	rows := l.rows.make(f, users, posts, n)
	o = owner{users[0].ID, posts[0].ID}
	return o, users, posts, slices.DeleteFunc(rows, func(row T) bool { return !l.has(o, f.standIn(parentOf(l.table), o.post), row) })
}

// asks returns what a page of an owner's list is asked for by.
func (l listCase[K, T]) asks(f *fixture, o owner, page blog.PageRequest[K]) asked[K] {
	return asked[K]{o, f.standIn(parentOf(l.table), o.post), page}
}

// leaves are what holds for every list.
func (l listCase[K, T]) leaves() []leaf {
	return []leaf{
		{"pages both ways, newest first", func(f *fixture) { l.pages(f, blog.NewestFirst) }},
		{"pages both ways, oldest first", func(f *fixture) { l.pages(f, blog.OldestFirst) }},
		{"from is inclusive, to is exclusive, in both orders", func(f *fixture) { o, _, _, rows := l.made(f, 6); checkTimes(f, l.in(f, o), rows) }},
		{"pages between two times, newest first", func(f *fixture) { l.pagesBetween(f, blog.NewestFirst) }},
		{"pages between two times, oldest first", func(f *fixture) { l.pagesBetween(f, blog.OldestFirst) }},
		{"a row shows what its truth shows, edits too", l.shows},
		{"a list whose rows are all deleted is an empty page", l.empties},
		{"the list of what does not exist is not found", l.absent},
		{"a rename shows", l.renames},
		{"what is on a post goes with it", l.goesWithPost},
	}
}

// pages reads pages around rows that are deleted, the last one among them.
func (l listCase[K, T]) pages(f *fixture, order blog.Order) {
	o, _, _, rows := l.made(f, 12)
	gone := []T{rows[2], rows[len(rows)-1]}
	for _, row := range gone {
		l.rows.remove(f, row)
	}
	standing := slices.Concat(rows[:2], rows[3:len(rows)-1])
	checkPages(f, l.in(f, o).inOrder(order), keysOf(standing, l.rows.key), keysOf(gone, l.rows.key))
}

func (l listCase[K, T]) pagesBetween(f *fixture, order blog.Order) {
	o, _, _, rows := l.made(f, 14)
	checkPagesBetween(f, l.in(f, o).inOrder(order), rows)
}

func (l listCase[K, T]) shows(f *fixture) {
	o, _, _, rows := l.made(f, 3)
	check := func(what string) {
		f.Helper()
		var got, want []T
		for _, row := range slices.Backward(rows) {
			want = append(want, l.rows.shown(l.rows.truth(f, row)))
		}
		for _, row := range l.all(f, o) {
			got = append(got, l.rows.shown(row))
		}
		equal(f, what, got, want)
	}
	check("rows")
	if l.rows.edit != nil {
		l.rows.edit(f, rows[1])
		check("rows after an edit")
	}
}

func (l listCase[K, T]) empties(f *fixture) {
	o, _, _, rows := l.made(f, 2)
	for _, row := range rows {
		l.rows.remove(f, row)
	}
	for _, direction := range []bool{forward, backward} {
		page, count, err := l.read(f.ctx, f.store, l.asks(f, o, blog.PageRequest[K]{Limit: 20, Backward: direction}))
		f.ok(err, "an empty page")
		if ofParent(l.declaration()) && !of(l.declaration(), blog.TypeUser) {
			equal(f, "count", count > 0, false)
		}
		equal(f, "rows and more", []any{len(page.Items), page.HasNext, page.HasPrevious}, []any{0, false, false})
	}
}

func (l listCase[K, T]) absent(f *fixture) {
	o, _, posts, rows := l.made(f, 1)
	owners := []owner{{f.nobody().ID, o.post}}
	if ofParent(l.declaration()) {
		f.deletePost(posts[0])
		owners = []owner{{o.user, f.noPost().ID}, o}
		if l.rows.stay {
			owners = owners[:1]
		}
	}
	cursor := l.rows.key(rows[0])
	for _, o := range owners {
		for _, page := range []blog.PageRequest[K]{
			{Limit: 20}, {Limit: 20, Backward: true}, {Limit: 1, After: &cursor}, {Limit: 1, Before: &cursor},
		} {
			oldest, none := page, page
			oldest.Order, none.From, none.To = blog.OldestFirst, f.start, f.start
			for _, page := range []blog.PageRequest[K]{page, oldest, none} {
				_, _, err := l.read(f.ctx, f.store, l.asks(f, o, page))
				f.notFound(err, fmt.Sprintf("the list of %v", o))
			}
		}
	}
}

func (l listCase[K, T]) renames(f *fixture) {
	o, users, _, rows := l.made(f, 3)
	names := map[blog.UserID]blog.Author{}
	for i, u := range users {
		if i == 0 {
			u = f.rename(u, f.name())
			u = f.display(u, ptr("Another"))
		}
		names[u.ID] = u.Name().Author()
	}
	f.settle()
	for _, row := range l.all(f, o) {
		if want, renamed := names[l.rows.author(row).ID]; renamed && slices.ContainsFunc(l.table.Families(), (*blog.Family).Names) {
			equal(f, "author", l.rows.author(row), want)
		}
	}
	equal(f, "rows", len(l.all(f, o)), len(rows))
}

// goesWithPost deletes the post that rows are on: a list of the post is gone at once, and from
// others its rows go.
func (l listCase[K, T]) goesWithPost(f *fixture) {
	o, _, posts, rows := l.made(f, 3)
	f.deletePost(posts[0])
	if ofParent(l.declaration()) && !l.rows.stay {
		_, _, err := l.read(f.ctx, f.store, l.asks(f, o, blog.FirstPage[K](20)))
		f.notFound(err, "the list of a deleted post")
		return
	}
	f.settle()
	stay := slices.DeleteFunc(rows, func(row T) bool { return !l.rows.stay && l.rows.parent(row) == f.to(posts[0].ID) })
	equal(f, "rows", keysOf(l.all(f, o), l.rows.key), newestFirst(keysOf(stay, l.rows.key)))
}

func (l listCase[K, T]) ask(f *fixture, o owner, limit int) error {
	_, _, err := l.read(f.ctx, f.store, l.asks(f, o, blog.FirstPage[K](limit)))
	return err
}

// isTrue fails where a row shows something else than its truth.
func (l listCase[K, T]) isTrue(f *fixture, o owner) {
	f.Helper()
	for _, row := range l.all(f, o) {
		equal(f, string(l.table), l.rows.shown(row), l.rows.shown(l.rows.truth(f, row)))
	}
}

func (l listCase[K, T]) first(f *fixture, o owner) any { return l.all(f, o)[0] }

func (l listCase[K, T]) authors(f *fixture, o owner) (authors []blog.Author) {
	for _, row := range l.all(f, o) {
		authors = append(authors, l.rows.author(row))
	}
	return authors
}

func (l listCase[K, T]) answer(s *side, q numberedQuery) string {
	page, count, err := l.read(s.ctx, s.store, asked[K]{
		owner{s.user(q.user), s.post(q.post)}, s.parent(parentOf(l.table), q.post), request(q.page, func(i int) K { return l.rows.number(s, q, i) }),
	})
	return listAnswer(s, page, count, l.rows.answer, err)
}
