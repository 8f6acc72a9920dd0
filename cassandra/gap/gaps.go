package gap

import (
	"context"
	"log/slog"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"

	lru "github.com/hashicorp/golang-lru/v2"
)

var (
	selectGapsHead = cql.On(blog.Gaps, `SELECT DISTINCT version, making FROM gaps WHERE list = ? AND part = ?`)
	selectGap      = cql.On(blog.Gaps,
		`SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low <= ? ORDER BY low DESC LIMIT 1`)
	selectGapBelow = cql.On(blog.Gaps,
		`SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low < ? ORDER BY low DESC LIMIT 1`)
	selectGapAbove = cql.On(blog.Gaps,
		`SELECT low, high FROM gaps WHERE list = ? AND part = ? AND low >= ? ORDER BY low ASC LIMIT 1`)
	moveGaps = cql.On(blog.Gaps,
		`UPDATE gaps SET version = ?, making = ? WHERE list = ? AND part = ? IF version = ?`)
	putGap   = cql.On(blog.Gaps, `UPDATE gaps SET high = ? WHERE list = ? AND part = ? AND low = ?`)
	dropGaps = cql.On(blog.Gaps, `DELETE FROM gaps WHERE list = ? AND part = ? AND low > ? AND low < ?`)
)

const (
	// gapAge is how old a row must be before a gap may cover it, lateAge from when on its writer looks for gaps:
	// between them is what clocks may be apart, and as much again.
	gapAge  = lateAge + 2*blog.ClockSkew
	lateAge = cql.CommandDeadline

	// Least is how many dead rows a gap has: fewer it is as well to read. LeastBeside is how many
	// beside a gap make it grow: fewer a reader passes with the rows that it reads anyhow.
	Least       = 128
	LeastBeside = 16
)

// Gaps are those of all lists, as one process reads and changes them.
type Gaps struct {
	db         *cql.Session
	clock      blog.Clock // the cluster's time: readers make gaps too, whose server's clock may be wrong
	background *job.Background
	log        *slog.Logger
	makers     makers
}

// New returns the gaps of a cluster. They are made in the background.
func New(db *cql.Session, clock blog.Clock, background *job.Background, log *slog.Logger) *Gaps {
	deleted, _ := lru.New[List, int](maxLists) // fails for a size below 1 only
	return &Gaps{
		db: db, clock: clock, background: background, log: log,
		makers: makers{deleted: deleted, at: map[List]bool{}},
	}
}

// Gap is a range without a row that stands: from Low on, below High. One that was cut at its lowest key is empty.
type Gap struct{ Low, High blog.UUID }

// Covers reports whether a key lies in the gap.
func (g Gap) Covers(key blog.UUID) bool {
	return g.Low.Compare(key) <= 0 && key.Compare(g.High) < 0
}

// At returns the gap that covers a key, or the next below it; an empty one where there is none.
func (g *Gaps) At(ctx context.Context, list List, key blog.UUID) (Gap, error) {
	return found(ctx, g.db.One, selectGap, list, key)
}

// AtSerial is At at the serial consistency.
func (g *Gaps) AtSerial(ctx context.Context, list List, key blog.UUID) (Gap, error) {
	return found(ctx, g.db.OneSerial, selectGap, list, key)
}

// found returns the gap that a statement finds; an empty one where there is none.
func found(ctx context.Context, read cql.Reader, st cql.Statement, list List, key blog.UUID) (found Gap, err error) {
	err = read(ctx, st.With(string(list.Table), list.Part, cql.ID(key)), cql.Into(&found.Low), cql.Into(&found.High))
	return found, cql.AbsentIsZero(err)
}

// head is what stands above the gaps of a partition; all zero where there never was one.
type head struct {
	version int64
	making  bool
}

func (g *Gaps) head(ctx context.Context, list List) (h head, err error) {
	err = g.db.OneSerial(ctx, selectGapsHead.With(string(list.Table), list.Part), &h.version, &h.making)
	return h, cql.AbsentIsZero(err)
}

// change changes the gaps of a partition, under the guard of the head before. It reports
// false where another was faster, or may have been.
func (g *Gaps) change(ctx context.Context, list List, before head, making bool, changes ...cql.Bound) (bool, error) {
	var guard any
	if before.version > 0 {
		guard = before.version
	}
	batch := append([]cql.Bound{moveGaps.With(before.version+1, making, string(list.Table), list.Part, guard)}, changes...)
	applied, _, err := g.db.CompareAndSet(ctx, batch...)
	return applied, err
}

func (l List) put(g Gap) cql.Bound {
	return putGap.With(cql.ID(g.High), string(l.Table), l.Part, cql.ID(g.Low))
}

func (l List) drop(above, below blog.UUID) cql.Bound {
	return dropGaps.With(string(l.Table), l.Part, cql.ID(above), cql.ID(below))
}

// UncoverLate makes sure that no gap hides rows that were just written, where they are so old that one may.
func (g *Gaps) UncoverLate(ctx context.Context, copies []blog.Copy) error {
	return g.Uncover(ctx, g.Late(Keys(copies, false)))
}

// Late returns the keys that are older than fresh ones.
func (g *Gaps) Late(keys []Key) (old []Key) {
	now := g.clock.Now()
	for _, k := range keys {
		if now.Sub(k.ID.Time()) > lateAge {
			old = append(old, k)
		}
	}
	return old
}

// Uncover cuts the gaps that cover any of the keys, and keeps those that are being made from
// covering them. Rows at the keys are acknowledged.
func (g *Gaps) Uncover(ctx context.Context, keys []Key) error {
	if len(keys) == 0 {
		return nil
	}
	lists := map[List][]blog.UUID{}
	for _, k := range keys {
		lists[k.List] = append(lists[k.List], k.ID)
	}
	var cuts []func() error
	for list, keys := range lists {
		cuts = append(cuts, func() error {
			return cql.Insist(ctx, func(ctx context.Context) error { return g.uncoverAt(ctx, list, keys) })
		})
	}
	return cql.Concurrently(cuts...)
}

func (g *Gaps) uncoverAt(ctx context.Context, list List, keys []blog.UUID) error {
	return cql.Until(ctx, blog.Gaps, list, func() (done bool, _ any, err error) {
		now, err := g.head(ctx, list)
		if err != nil || now.version == 0 {
			return true, nil, err
		}
		key, over, err := g.covered(ctx, list, keys)
		if err != nil || over == (Gap{}) && !now.making {
			return true, nil, err
		}
		var cut []cql.Bound
		if over != (Gap{}) {
			cut = []cql.Bound{list.put(Gap{cql.After(key), over.High}), list.put(Gap{over.Low, key})}
		}
		_, err = g.change(ctx, list, now, false, cut...)
		return false, nil, err
	})
}

// covered returns the first of some keys that a gap covers, and the gap.
func (g *Gaps) covered(ctx context.Context, list List, keys []blog.UUID) (blog.UUID, Gap, error) {
	for _, key := range keys {
		over, err := g.AtSerial(ctx, list, key)
		if err != nil || over.Covers(key) {
			return key, over, err
		}
	}
	return blog.UUID{}, Gap{}, nil
}

// newest is the lowest id that no gap may cover yet, by the cluster's time.
func (g *Gaps) newest() blog.UUID {
	return blog.FirstUUIDAt(g.clock.Now().Add(-gapAge))
}
