package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Members is a method of [blog.Floor].
func (s *Store) Members(ctx context.Context, group blog.GroupID, shard int, page blog.PageRequest[blog.UserID]) (blog.Page[blog.Reaction], error) {
	members := listing[blog.UUID, blog.Reaction]{
		pages: tables.Lists[blog.MembersByGroup], partition: []any{cql.ID(group.UUID), shard}, next: cql.After,
		bind: func(keys span[blog.UUID]) []any { return []any{cql.ID(keys.from), cql.ID(keys.to)} },
		row: func(row gocql.Scanner) (blog.UUID, blog.Reaction, bool, error) {
			r := blog.Reaction{Group: group, Stands: true}
			err := row.Scan(cql.Into(&r.User.ID.UUID), &r.At, &r.User.Username, cql.IntoText(&r.User.DisplayName))
			r.At = r.At.UTC()
			return r.User.ID.UUID, r, !r.At.IsZero(), err
		},
	}
	return readPage(ctx, s, members, idSpan(page), page, reactionUser, func(int) error { return nil })
}
