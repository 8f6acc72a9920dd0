package embedded

import (
	"cmp"
	"context"

	"broadsheet/blog"
)

var (
	groupsByID = tables[blog.GroupsByID]
	groupText  = readerOf[blog.Group](blog.GroupText)
)

// GroupByID is a method of [blog.Queries].
func (s *Store) GroupByID(ctx context.Context, id blog.GroupID) (g blog.Group, err error) {
	snap, err := s.query(ctx, groupsByID, id)
	if err != nil {
		return g, err
	}
	defer snap.close(&err)
	for r := range snap.rows(span{}, false) {
		if g, err = decodeGroup(id, r.cells[truthCell]); err != nil || g.Version > 0 {
			return g, err
		}
	}
	return g, cmp.Or(snap.err, blog.ErrNoGroup())
}

func decodeGroup(id blog.GroupID, value string) (g blog.Group, err error) {
	g.ID = id
	g.Stamp, err = groupText.read(value, &g)
	return g, err
}

// group reads the truth of a group. NotFound: there is none, or no more; taken: its name is.
func (tx *tx) group(id blog.GroupID) (g blog.Group, taken bool, err error) {
	value, err := tx.get(groupsByID, truthCell, id)
	if err == nil && value != "" {
		g, err = decodeGroup(id, value)
	}
	if err == nil && g.Version == 0 {
		err = blog.ErrNoGroup()
	}
	return g, value != "", err
}

// putGroup writes the truth of a group, and its copies.
func (tx *tx) putGroup(g blog.Group) {
	tx.putTruth(groupsByID, encodeFamily(blog.GroupText, g.Stamp, g), g.ID)
	tx.putCopies(blog.CopiesOfGroup(g))
}

// unlessModerated returns nil in place of a refusal where the actor owns or moderates the post's group.
func (tx *tx) unlessModerated(refused error, actor blog.UserID, post blog.PostRef) error {
	return blog.UnlessModerated(refused, actor, post, func(id blog.GroupID) (blog.Group, error) {
		g, _, err := tx.group(id)
		return g, err
	})
}
