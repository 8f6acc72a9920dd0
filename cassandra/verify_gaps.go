package cassandra

import (
	"context"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	auditGaps = cql.On(blog.Gaps, `SELECT list, part, low, high FROM gaps WHERE token(list, part) > ? AND token(list, part) <= ?`)

	_ audit.GapReader = (*auditReader)(nil)
)

// EachGap is a method of blog.GapAudit.
func (a *auditReader) EachGap(ctx context.Context, part int, visit func(hidden [][]any) error) error {
	type placed struct {
		gapPlace
		gap
	}
	var gaps []placed
	err := a.part(ctx, auditGaps, part, func(row gocql.Scanner) error {
		var g placed
		var list string
		err := row.Scan(&list, &g.part, cql.Into(&g.low), cql.Into(&g.high))
		if g.list = blog.Table(list); !g.low.IsZero() {
			gaps = append(gaps, g)
		}
		return err
	})
	for _, g := range gaps {
		if err != nil {
			return err
		}
		var hidden [][]any
		if hidden, err = a.hidden(ctx, g.gapPlace, g.gap); err == nil {
			err = visit(hidden)
		}
	}
	return err
}

// hidden returns the rows that stand in a gap.
func (a *auditReader) hidden(ctx context.Context, place gapPlace, g gap) (found [][]any, err error) {
	keys := span[blog.UUID]{g.low, g.high}
	for seen := gapPage; err == nil && seen == gapPage && keys.from.Compare(keys.to) < 0; {
		err = a.patiently(ctx, func(ctx context.Context) error {
			seen = 0
			return a.eachKey(ctx, place, keys, true, gapPage, func(key blog.UUID, version *int) bool {
				if seen++; version != nil && !isDead(version) {
					found = append(found, []any{string(place.list), place.part, key.String()})
				}
				keys.to = key
				return true
			})
		})
	}
	return found, err
}

// Hides is a method of blog.GapAudit.
func (a *auditReader) Hides(ctx context.Context, key []any) (hides bool, err error) {
	k, err := gapKeyOf(key)
	if err != nil {
		return false, err
	}
	err = a.patiently(ctx, func(ctx context.Context) error {
		over, err := a.gapBy(ctx, a.db.OneSerial, selectGap, k.gapPlace, k.key)
		if err != nil || !over.covers(k.key) {
			hides = false
			return err
		}
		found, err := a.hidden(ctx, k.gapPlace, gap{k.key, cql.After(k.key)})
		hides = len(found) > 0
		return err
	})
	return hides, err
}

// repairGap cuts the gap in which a row stands.
func (s *Store) repairGap(ctx context.Context, d audit.Drift) error {
	k, err := gapKeyOf(d.Key)
	if err != nil {
		return err
	}
	return s.uncover(ctx, []gapKey{k})
}

func gapKeyOf(key []any) (gapKey, error) {
	row, err := blog.ParseUUID(key[2].(string))
	return gapKey{gapPlace{blog.Table(key[0].(string)), key[1].(string)}, row}, err
}
