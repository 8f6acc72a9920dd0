package embedded

import (
	"context"

	"broadsheet/blog"
)

// Reactions is a method of [blog.Floor].
func (s *Store) Reactions(ctx context.Context, of blog.Table, request blog.PageRequest[blog.ReactionPosition], parent any) (page blog.ReactionPage, err error) {
	given := list[blog.ReactionPosition, blog.Reaction]{listReader: reactionLists[of], parent: []any{parent}}
	if len(of.Declaration().Above) > 0 {
		given.count = func(counted string) (err error) {
			page.Count, err = sole[blog.Count](counted)
			return err
		}
	}
	page.Page, err = given.read(ctx, s, request)
	return page, err
}

// ReactionsByUser reads rows that hold no username: they are the user's own.
func (s *Store) ReactionsByUser(ctx context.Context, of *blog.ReactionKind, user blog.UserID, to []blog.UUID) (found map[blog.UUID]blog.Reaction, err error) {
	snap, err := s.query(ctx, tables[of.ByUser], user)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	found = make(map[blog.UUID]blog.Reaction, len(to))
	for _, parent := range to {
		for r := range snap.rows(snap.under(parent), false) {
			given := blog.Reaction{User: blog.Author{ID: user}, Stands: true}
			if err := reactionLists[of.ByUser].row(r, &given); err != nil {
				return nil, err
			}
			found[parent] = given
		}
	}
	return found, snap.err
}

// OwnReactions is a method of [blog.Floor].
func (s *Store) OwnReactions(ctx context.Context, of *blog.ReactionKind, user blog.UserID) (n int, err error) {
	snap, err := s.query(ctx, tables[of.ByUser], user)
	if err != nil {
		return 0, err
	}
	defer snap.close(&err)
	for range snap.rows(span{}, false) {
		n++
	}
	return n, snap.err
}
