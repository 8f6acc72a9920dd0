package embedded

import (
	"context"

	"broadsheet/blog"
)

// Reactions is a method of [blog.TableReader].
func (s *Store) Reactions(ctx context.Context, of blog.Table, request blog.PageRequest[blog.ReactionPosition], parent any) (page blog.ReactionPage, err error) {
	rows, given := reactionLists[of], new(blog.Reaction)
	rows.parent.Set(given, parent)
	page.Page, err = readPage(ctx, s, rows.table, []any{parent}, request, list[blog.ReactionPosition, blog.Reaction]{
		above: func(snap *snapshot) (err error) {
			if len(of.Declaration().Above) > 0 {
				page.Count, err = sole[blog.Count](snap.static(countCell))
			}
			return err
		},
		given: given,
		item:  rows.read,
	})
	return page, err
}

// ReactionsByUser reads rows that hold no username: they are the user's own.
func (s *Store) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, posts []blog.PostID) (found map[blog.PostID]blog.Reaction, err error) {
	snap, err := s.query(ctx, tables[of.ByUser], user)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	found = make(map[blog.PostID]blog.Reaction, len(posts))
	for _, post := range posts {
		at := snap.at(post)
		for r := range snap.rows(span{at, with(at, pastCells)}, false) {
			given := blog.Reaction{User: blog.Author{ID: user}, Stands: true}
			if err := reactionLists[of.ByUser].read(r, &given); err != nil {
				return nil, err
			}
			found[post] = given
		}
	}
	return found, snap.err
}
