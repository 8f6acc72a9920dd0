package embedded

import (
	"context"

	"broadsheet/blog"
)

// list is how the rows of a list are read.
type list[K, T any] struct {
	under []any                 // what names the list within its partition
	above func(*snapshot) error // reads what is above the rows
	given *T                    // of every item, once above was read
	item  func(*row, *T) error  // reads the rest
}

// Users is a method of [blog.TableReader].
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

// Posts is a method of [blog.TableReader].
func (s *Store) Posts(ctx context.Context, list blog.Table, page blog.PageRequest[blog.PostID], parent ...any) (blog.Page[blog.Post], error) {
	return readList(ctx, s, postLists[list], page, parent)
}

// Comments is a method of [blog.TableReader].
func (s *Store) Comments(ctx context.Context, list blog.Table, page blog.PageRequest[blog.CommentID], parent ...any) (blog.Page[blog.Comment], error) {
	return readList(ctx, s, commentLists[list], page, parent)
}

// readList is readPage, of a list that some values name.
func readList[K, T any](ctx context.Context, s *Store, rows *listReader[T], request blog.PageRequest[K], parent []any) (blog.Page[T], error) {
	given, n := new(T), len(rows.table.partition)
	rows.parent.Set(given, parent...)
	above := func(snap *snapshot) error {
		for _, g := range rows.above {
			if _, err := g.read(snap.static(g.cell), given); err != nil {
				return err
			}
		}
		return nil
	}
	return readPage(ctx, s, rows.table, parent[:n], request, list[K, T]{under: parent[n:], above: above, given: given, item: rows.read})
}

// readPage reads a page of a list. Where it is empty, what the list belongs to is looked for.
func readPage[K, T any](ctx context.Context, s *Store, t *table, partition []any, request blog.PageRequest[K], l list[K, T]) (blog.Page[T], error) {
	page, err := l.read(ctx, s, t, partition, request)
	if err == nil && len(page.Items) == 0 {
		err = s.exists(ctx, partition[0])
	}
	return page, err
}

// exists returns an error where there is no user or post of an id.
func (s *Store) exists(ctx context.Context, id any) (err error) {
	switch id := id.(type) {
	case blog.UserID:
		_, err = s.UserByID(ctx, id)
	case blog.PostID:
		_, err = s.PostByID(ctx, id)
	}
	return err
}

func (l list[K, T]) read(ctx context.Context, s *Store, t *table, partition []any, request blog.PageRequest[K]) (page blog.Page[T], err error) {
	snap, err := s.query(ctx, t, partition...)
	if err != nil {
		return page, err
	}
	defer snap.close(&err)
	if err := l.above(snap); err != nil {
		return page, err
	}
	return l.page(snap, request)
}

// at returns what the keys of the row at a position begin with.
func (l list[K, T]) at(snap *snapshot, position K) []byte {
	if p, ofReaction := any(position).(blog.ReactionPosition); ofReaction {
		return snap.at(p.At, p.ID)
	}
	return snap.at(append(l.under, position)...)
}

// span returns the keys that a request may find. The newest key is the lowest: an id below to
// lies above to's key, an id from on at from's or below.
func (l list[K, T]) span(snap *snapshot, request blog.PageRequest[K]) (keys span) {
	if len(l.under) > 0 {
		keys = snap.under(l.under...)
	}
	from, to := request.Bounds()
	older, newer := request.Cursors()
	for _, above := range []*K{to, newer} {
		if above != nil {
			keys.lower = later(keys.lower, with(l.at(snap, *above), pastCells))
		}
	}
	if from != nil {
		keys.upper = earlier(keys.upper, with(l.at(snap, *from), pastCells))
	}
	if older != nil {
		keys.upper = earlier(keys.upper, l.at(snap, *older))
	}
	return keys
}

// page reads the rows of a request, one more than its limit.
func (l list[K, T]) page(snap *snapshot, request blog.PageRequest[K]) (blog.Page[T], error) {
	items := make([]T, 0, request.Limit+1)
	for r := range snap.rows(l.span(snap, request), !request.Descending()) {
		items = append(items, *l.given)
		if err := l.item(r, &items[len(items)-1]); err != nil {
			return blog.Page[T]{}, err
		}
		if len(items) > request.Limit {
			break
		}
	}
	return blog.NewPage(request, items), snap.err
}
