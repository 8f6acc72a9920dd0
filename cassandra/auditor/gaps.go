package auditor

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

var (
	auditGaps = cql.On(blog.Gaps,
		`SELECT list, part, low, high FROM gaps WHERE token(list, part) > ? AND token(list, part) <= ?`)

	_ audit.GapReader = (*reader)(nil)
)

func (a *reader) EachGap(ctx context.Context, part int, visit func(hidden [][]any) error) error {
	type placed struct {
		gap.List
		gap.Gap
	}
	var gaps []placed
	err := a.part(ctx, auditGaps, part, auditPage, func(row gocql.Scanner) error {
		var g placed
		var list string
		err := row.Scan(&list, &g.Part, cql.Into(&g.Low), cql.Into(&g.High))
		if g.Table = blog.Table(list); !g.Low.IsZero() {
			gaps = append(gaps, g)
		}
		return err
	})
	for i := 0; err == nil && i < len(gaps); i++ {
		var hidden [][]any
		if hidden, err = a.hidden(ctx, gaps[i].List, gaps[i].Gap); err == nil {
			err = visit(hidden)
		}
	}
	return err
}

// hidden returns the rows that stand in a gap.
func (a *reader) hidden(ctx context.Context, list gap.List, g gap.Gap) (found [][]any, err error) {
	from, to := g.Low, g.High
	for seen := gap.Page; err == nil && seen == gap.Page && from.Compare(to) < 0; {
		err = a.patiently(ctx, func(ctx context.Context) error {
			seen = 0
			return a.Gaps.EachKey(ctx, list, from, to, true, gap.Page, func(key blog.UUID, version *int) bool {
				if seen++; version != nil && !gap.IsDead(version) {
					found = append(found, []any{list.Table, list.Part, key})
				}
				to = key
				return true
			})
		})
	}
	return found, err
}

func (a *reader) Hides(ctx context.Context, key []any) (bool, error) {
	k := gapKey(key)
	return patient(ctx, a.Auditor, func(ctx context.Context) (bool, error) {
		over, err := a.Gaps.AtSerial(ctx, k.List, k.ID)
		if err != nil || !over.Covers(k.ID) {
			return false, err
		}
		found, err := a.hidden(ctx, k.List, gap.Gap{Low: k.ID, High: cql.After(k.ID)})
		return len(found) > 0, err
	})
}

func gapKey(key []any) gap.Key {
	return gap.Key{List: gap.List{Table: key[0].(blog.Table), Part: key[1].(string)}, ID: key[2].(blog.UUID)}
}
