package embedded

import (
	"context"

	"broadsheet/blog"
)

// list is a list of a table, of which pages are read.
type list[K, T any] struct {
	*listReader[T]
	parent []any                      // what names it
	count  func(counted string) error // reads the count above the rows; nil: it is not asked for
}

// Users is a method of [blog.Floor].
func (s *Store) Users(ctx context.Context, by *blog.UniqueKey, key string) (listed []blog.User, err error) {
	snap, err := s.query(ctx, tables[by.Card.Table], key)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	for r := range snap.rows(span{}, false) {
		listed = append(listed, blog.User{ID: blog.UserID{UUID: r.id()}})
		u := &listed[len(listed)-1]
		if u.Stamp, err = wholeUser.read(r.cells[truthCell], u); err != nil {
			return nil, err
		}
	}
	return listed, snap.err
}

// Posts is a method of [blog.Floor].
func (s *Store) Posts(ctx context.Context, table blog.Table, page blog.PageRequest[blog.PostID], parent ...any) (blog.Page[blog.Post], error) {
	return list[blog.PostID, blog.Post]{postLists[table], parent, nil}.read(ctx, s, page)
}

// Comments is a method of [blog.Floor].
func (s *Store) Comments(ctx context.Context, table blog.Table, page blog.PageRequest[blog.CommentID], parent ...any) (blog.Page[blog.Comment], error) {
	return list[blog.CommentID, blog.Comment]{commentLists[table], parent, nil}.read(ctx, s, page)
}

// read reads a page. Where it is empty, what the list belongs to is looked for.
func (l list[K, T]) read(ctx context.Context, s *Store, request blog.PageRequest[K]) (blog.Page[T], error) {
	page, err := l.page(ctx, s, request)
	if err != nil || len(page.Items) > 0 {
		return page, err
	}
	switch id := l.parent[0].(type) {
	case blog.UserID:
		_, err = s.UserByID(ctx, id)
	case blog.FollowedID:
		_, err = s.UserByID(ctx, blog.UserID(id))
	case blog.PostID:
		_, err = s.PostByID(ctx, id)
	case blog.GroupID:
		_, err = s.GroupByID(ctx, id)
	}
	return page, err
}

// page reads the rows of a request, one more than its limit.
func (l list[K, T]) page(ctx context.Context, s *Store, request blog.PageRequest[K]) (page blog.Page[T], err error) {
	partition := len(l.table.partition)
	snap, err := s.query(ctx, l.table, l.parent[:partition]...)
	if err != nil {
		return page, err
	}
	defer snap.close(&err)
	given := new(T)
	l.names.Set(given, l.parent...)
	if err := l.above(snap, given); err != nil {
		return page, err
	}
	if l.count != nil {
		if err := l.count(snap.static(countCell)); err != nil {
			return page, err
		}
	}
	items := make([]T, 0, request.Limit+1)
	for r := range snap.rows(l.span(snap, request, l.parent[partition:]), !request.Descending()) {
		items = append(items, *given)
		if err := l.row(r, &items[len(items)-1]); err != nil {
			return page, err
		}
		if len(items) > request.Limit {
			break
		}
	}
	return blog.NewPage(request, items), snap.err
}

// span returns the keys that a request may find in the list that values name within its partition. The newest key
// is the lowest: an id below to lies above to's key, an id from on at from's or below.
func (l list[K, T]) span(snap *snapshot, request blog.PageRequest[K], under []any) (keys span) {
	if len(under) > 0 {
		keys = snap.under(under...)
	}
	at := func(position K) []byte {
		if p, ofReaction := any(position).(blog.ReactionPosition); ofReaction {
			return snap.at(p.At, p.ID)
		}
		return snap.at(append(under, position)...)
	}
	from, to := request.Bounds()
	older, newer := request.Cursors()
	for _, above := range []*K{to, newer} {
		if above != nil {
			keys.lower = later(keys.lower, with(at(*above), pastCells))
		}
	}
	if from != nil {
		keys.upper = earlier(keys.upper, with(at(*from), pastCells))
	}
	if older != nil {
		keys.upper = earlier(keys.upper, at(*older))
	}
	return keys
}
