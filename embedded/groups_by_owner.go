package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

// GroupsByOwner is a method of [blog.Queries].
func (s *Store) GroupsByOwner(ctx context.Context, owner blog.UserID) (groups []blog.Group, err error) {
	snap, err := s.query(ctx, tables[blog.GroupsByOwner], owner)
	if err != nil {
		return nil, err
	}
	defer snap.close(&err)
	return ownGroups(snap, owner)
}

func ownGroups(snap *snapshot, owner blog.UserID) (groups []blog.Group, err error) {
	for r := range snap.rows(span{}, false) {
		g := blog.Group{Owner: owner}
		if err := groupLists[blog.GroupsByOwner].row(r, &g); err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	blog.NewestGroups(groups)
	return groups, snap.err
}

// mayOwnMore refuses one more group of a user that has as many as one can.
func (tx *tx) mayOwnMore(owner blog.UserID) (err error) {
	snap, err := tx.snapshot(tx.ctx, tables[blog.GroupsByOwner], owner)
	if err != nil {
		return err
	}
	defer snap.close(&err)
	groups, err := ownGroups(snap, owner)
	return cmp.Or(err, blog.MayOwnMore(groups))
}
