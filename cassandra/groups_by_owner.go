package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

var (
	ownGroup            = blog.RowOf[blog.Group](blog.OwnGroup)
	selectGroupsByOwner = cql.On(blog.GroupsByOwner, `SELECT `+tables.OwnGroup+`, group_id FROM groups_by_owner`+
		` WHERE owner_id = ? AND bucket = 0`)
)

// GroupsByOwner reads the whole partition: a user has few groups.
func (s *Store) GroupsByOwner(ctx context.Context, owner blog.UserID) (groups []blog.Group, err error) {
	if err := s.built(ctx, blog.GroupsByOwner); err != nil {
		return nil, err
	}
	err = s.db.Each(ctx, selectGroupsByOwner.With(cql.ID(owner.UUID)), 2*blog.MaxOwnGroups, func(row gocql.Scanner) error {
		g := blog.Group{Owner: owner}
		err := row.Scan(tables.Into(ownGroup, &g, cql.Into(&g.ID.UUID))...)
		if g.CreatedAt = g.CreatedAt.UTC(); err == nil && g.Name != "" {
			groups = append(groups, g)
		}
		return err
	})
	blog.NewestGroups(groups)
	return groups, err
}
