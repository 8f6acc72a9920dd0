package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// HomeByUser is a method of [blog.Queries].
func (s *Store) HomeByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
	home := listing[blog.UUID, blog.Homed]{
		pages: tables.Lists[blog.HomeByUser], partition: []any{cql.ID(user.UUID)}, next: cql.After,
		bind: func(keys span[blog.UUID]) []any { return []any{cql.ID(keys.from), cql.ID(keys.to)} },
		row: func(row gocql.Scanner) (blog.UUID, blog.Homed, bool, error) {
			h := blog.Homed{User: user}
			err := row.Scan(cql.Into(&h.Post.UUID), cql.Into(&h.Author.UUID))
			return h.Post.UUID, h, !h.Author.IsZero(), err
		},
	}
	return readPage(ctx, s, home, idSpan(page), page, nil, s.unlessFound(ctx, user))
}
