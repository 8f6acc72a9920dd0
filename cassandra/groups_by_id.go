package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
)

var selectGroupsByID = cql.On(blog.GroupsByID,
	`SELECT `+tables.Groups.Columns+`, stamp, deleted_at FROM groups_by_id WHERE group_id = ?`)

// GroupByID reads the truth itself.
func (s *Store) GroupByID(ctx context.Context, id blog.GroupID) (blog.Group, error) {
	g := blog.Group{ID: id}
	var deletedAt time.Time
	err := s.db.One(ctx, selectGroupsByID.With(cql.ID(id.UUID)), tables.Groups.Into(&g, &g.Stamp, &deletedAt)...)
	if err == cql.ErrAbsent || err == nil && (!deletedAt.IsZero() || g.Title == "") {
		err = blog.ErrNoGroup()
	}
	g.CreatedAt = g.CreatedAt.UTC()
	return g, err
}

// unlessModerated returns nil in place of a refusal where the actor owns or moderates the post's group.
func (s *Store) unlessModerated(ctx context.Context, refused error, actor blog.UserID, post blog.PostRef) error {
	return blog.UnlessModerated(refused, actor, post, func(id blog.GroupID) (blog.Group, error) { return s.GroupByID(ctx, id) })
}
