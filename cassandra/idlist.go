package cassandra

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// idList is a list whose keys are ids, and whose deleted rows stay as dead ones.
type idList[T any] struct {
	listing[blog.UUID, T]
	list       gap.List
	statements *int // counts those for rows or their keys; nil: nothing does
}

// newIDList returns the list of a table that some values name, as of [gap.In].
func newIDList[T any](list blog.Table, row func(gocql.Scanner) (blog.UUID, T, bool, error), parent ...any) idList[T] {
	return idList[T]{list: gap.In(list, parent...), listing: listing[blog.UUID, T]{
		pages: tables.Lists[list], partition: tables.Arguments(parent), row: row, next: cql.After,
		bind: func(keys span[blog.UUID]) []any { return []any{cql.ID(keys.from), cql.ID(keys.to)} },
	}}
}

// rows returns the first rows of a span that stand, as many as wanted if there are so many, from the end at which the
// page begins.
func (l idList[T]) rows(ctx context.Context, s *Store, keys span[blog.UUID], descending bool, wanted int) ([]T, error) {
	p := &passage[T]{idList: l, store: s, keys: keys, descending: descending, wanted: wanted}
	err := p.pass(ctx)
	if p.noticed.rows > 0 {
		s.gaps.Notice(gap.Key{List: l.list, ID: p.noticed.end})
	}
	return p.items, err
}

// passage is the reading of a page. It makes one statement, and where rows that do not stand
// left it short, others, in whose number what was deleted hardly counts:
//
//	whole rows ─ enough? ─────────────────────────────────────────────▶ the page
//	     │ short, few dead in a row: once more
//	     │ short, the last ones are dead
//	     ▼
//	is there a gap? ─ yes: go on behind it, with whole rows
//	     │ no
//	     ▼
//	keys alone, ever more at once ─ then the whole rows of those that stand, together
type passage[T any] struct {
	idList[T]
	store      *Store
	keys       span[blog.UUID] // what is left to read
	descending bool
	wanted     int

	items    []T
	standing []blog.UUID // keys that were read alone
	over     bool        // nothing is left to read
	effort
	run     deadRun // at the end of what was read
	noticed deadRun // the last one that a gap should have covered
}

// effort is what a page has taken since it began.
type effort struct {
	wholes int // readings of whole rows since the last gap
	jumps  int // over gaps
	step   int // keys that are read at once next
}

// deadRun is some dead rows that follow each other and lie in no gap that was found.
type deadRun struct {
	rows   int
	end    blog.UUID
	beside bool // a gap, which ends where they begin
}

// lacksGap reports whether the rows are so many that a gap should have covered them.
func (r deadRun) lacksGap() bool {
	return r.rows > 2*gap.Least || r.beside && r.rows >= gap.LeastBeside
}

const (
	lookAfter = 8    // dead rows in a row, before a reader of whole rows looks for a gap
	firstStep = 128  // keys
	lastStep  = 1024 // keys, few enough for the database not to warn
)

func (p *passage[T]) pass(ctx context.Context) error {
	for {
		if err := p.next(ctx); err != nil {
			return err
		}
		if p.over || len(p.items)+len(p.standing) >= p.wanted {
			if err := p.fetch(ctx); err != nil {
				return err
			}
		}
		if p.over || len(p.items) >= p.wanted {
			return nil
		}
	}
}

func (p *passage[T]) next(ctx context.Context) error {
	if p.run.rows >= lookAfter && p.wholes > 0 || p.run.rows >= gap.Least {
		passed, err := p.jump(ctx)
		if err != nil || p.over {
			return err
		}
		if !passed {
			p.wholes = 0
			return p.scan(ctx)
		}
	}
	if p.run.rows < lookAfter && p.wholes < 2 && p.jumps < 2 && p.step == 0 {
		return p.whole(ctx)
	}
	return p.scan(ctx)
}

// whole reads the next rows as they are, behind those whose keys were noted.
func (p *passage[T]) whole(ctx context.Context) error {
	if err := p.fetch(ctx); err != nil {
		return err
	}
	p.begin()
	seen := 0
	err := p.store.db.Each(ctx, p.page(p.keys, p.descending, p.wanted), p.wanted, func(row gocql.Scanner) error {
		key, item, stands, err := p.row(row)
		seen++
		if err != nil {
			return err
		}
		if p.saw(key, stands); stands && len(p.items) < p.wanted {
			p.items = append(p.items, item)
		}
		return nil
	})
	p.wholes++
	p.over = p.over || seen < p.wanted
	return err
}

func (p *passage[T]) begin() {
	if p.statements != nil {
		*p.statements++
	}
}

// scan reads the next keys, and notes those whose rows stand.
func (p *passage[T]) scan(ctx context.Context) error {
	p.begin()
	p.step = min(max(4*p.step, firstStep, 4*p.wanted), lastStep)
	seen := 0
	err := p.store.gaps.EachKey(ctx, p.list, p.keys.from, p.keys.to, p.descending, p.step, func(key blog.UUID, version *int) bool {
		seen++
		if p.saw(key, !gap.IsDead(version)); !gap.IsDead(version) {
			p.standing = append(p.standing, key)
		}
		return len(p.items)+len(p.standing) < p.wanted
	})
	p.over = p.over || seen < p.step && len(p.items)+len(p.standing) < p.wanted
	return err
}

// saw notes that a row was read: what is left lies behind it.
func (p *passage[T]) saw(key blog.UUID, stands bool) {
	if p.descending {
		p.keys.to = key
	} else {
		p.keys.from = cql.After(key)
	}
	if stands {
		p.run = deadRun{}
		return
	}
	p.run.rows, p.run.end = p.run.rows+1, key
	if p.run.lacksGap() {
		p.noticed = p.run
	}
}

// jump goes on behind the gap in which the last row lies. It reports false where there is none.
func (p *passage[T]) jump(ctx context.Context) (passed bool, err error) {
	found, err := p.store.gaps.At(ctx, p.list, p.run.end)
	if err != nil || !found.Covers(p.run.end) {
		return false, err
	}
	if p.descending {
		p.keys.to = found.Low
	} else {
		p.keys.from = found.High
	}
	p.run, p.wholes, p.step = deadRun{beside: true}, 0, 0
	p.jumps++
	p.over = p.keys.from.Compare(p.keys.to) >= 0
	return true, nil
}

// fetch reads the rows whose keys were noted, in one statement.
func (p *passage[T]) fetch(ctx context.Context) error {
	if len(p.standing) == 0 {
		return nil
	}
	rows := make(map[blog.UUID]T, len(p.standing))
	err := p.store.db.Each(ctx, p.pages.Some.With(append(slices.Clone(p.partition), cql.IDs(p.standing))...), len(p.standing), func(row gocql.Scanner) error {
		key, item, stands, err := p.row(row)
		if err == nil && stands {
			rows[key] = item
		}
		return err
	})
	for _, key := range p.standing { // in the order of the page
		if item, stands := rows[key]; stands {
			p.items = append(p.items, item)
		}
	}
	p.standing = p.standing[:0]
	return err
}
