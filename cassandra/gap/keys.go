package gap

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// IsDead reports whether a row with such a version is dead. One without is not certain to be.
func IsDead(version *int) bool { return version != nil && *version == 0 }

// EachKey visits the keys from one on, below another, with their rows' versions, so many at most, until visit
// reports false.
func (g *Gaps) EachKey(ctx context.Context, list List, from, to blog.UUID, descending bool, limit int, visit func(key blog.UUID, version *int) bool) error {
	st := tables.Lists[list.Table].OldestKeys
	if descending {
		st = tables.Lists[list.Table].NewestKeys
	}
	going := true
	return g.db.Each(ctx, st.With(append(list.Partition(), cql.ID(from), cql.ID(to), limit)...), limit, func(row gocql.Scanner) error {
		if !going {
			return nil
		}
		var key blog.UUID
		var version *int
		err := row.Scan(cql.Into(&key), &version)
		going = visit(key, version)
		return err
	})
}
