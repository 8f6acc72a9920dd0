package gap

import (
	"context"
	"slices"
	"sync"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"

	lru "github.com/hashicorp/golang-lru/v2"
)

// makers make gaps of what this process has deleted, and of what its readers had to pass.
type makers struct {
	mu      sync.Mutex
	deleted *lru.Cache[List, int] // rows, since a gap was last made there
	at      map[List]bool         // where one is being made
}

const (
	makeEvery = 64      // deletions in a partition, after which it is looked at
	maxLists  = 1 << 12 // partitions whose deletions are counted
	maxMakers = 4       // at once
	Page      = 500     // keys that are read at once
	maxPages  = 200     // that one look reads: what is left is found by the next
)

// Count counts rows that became dead, and now and then has a gap made of them.
func (g *Gaps) Count(keys []Key) {
	for _, k := range keys {
		if g.makers.count(k.List) {
			g.Notice(k)
		}
	}
}

// Notice has a gap made around a dead row, in the background. Where that is being done, or
// too much else, it is left to the next reader that notices.
func (g *Gaps) Notice(k Key) {
	if newest := g.newest(); k.ID.Compare(newest) >= 0 {
		k.ID = newest
	}
	if !g.makers.begin(k.List) {
		return
	}
	begun := g.background.Try(func(ctx context.Context) {
		defer g.makers.end(k.List)
		err := job.Briefly(ctx, func(ctx context.Context) error { return g.make(ctx, k) })
		if err != nil && ctx.Err() == nil {
			g.log.Warn("a run of deleted rows could not be noted; readers go through it until it is", "list", k.Table, "partition", k.Part, "error", err)
		}
	})
	if !begun {
		g.makers.end(k.List)
	}
}

// count counts a row that became dead, and reports whether the partition is to be looked at.
func (m *makers) count(list List) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _ := m.deleted.Get(list)
	n++
	m.deleted.Add(list, n%makeEvery)
	return n == makeEvery
}

// begin reports whether a gap may be made in a partition now.
func (m *makers) begin(list List) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at[list] || len(m.at) >= maxMakers {
		return false
	}
	m.at[list] = true
	return true
}

func (m *makers) end(list List) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.at, list)
}

// make makes one gap of the dead rows around a key, and of the gaps that they touch, where that is worth while.
func (g *Gaps) make(ctx context.Context, k Key) error {
	if found, err := g.survey(ctx, k); err != nil || !found.worth() {
		return err
	}
	m, begun, err := g.Begin(ctx, k)
	if err != nil || !begun {
		return err
	}
	return m.Write(ctx)
}

// Making is a gap that is being made. Its rows were looked for after its partition was marked.
type Making struct {
	gaps  *Gaps
	list  List
	under head
	found survey
}

// Begin says that a gap is being made, and looks how far the dead rows around a key go. It
// reports false where another was faster, or may have been.
func (g *Gaps) Begin(ctx context.Context, k Key) (m Making, begun bool, err error) {
	before, err := g.head(ctx, k.List)
	if err != nil {
		return m, false, err
	}
	if begun, err = g.change(ctx, k.List, before, true); err != nil || !begun {
		return m, false, err
	}
	found, err := g.survey(ctx, k)
	return Making{g, k.List, head{version: before.version + 1}, found}, err == nil, err
}

// Write writes the gap, if no other has moved the partition's version since its beginning.
func (m Making) Write(ctx context.Context) error {
	var changes []cql.Bound
	if m.found.worth() {
		changes = append(changes, m.list.put(m.found.Gap))
	}
	if m.found.holdsOthers() {
		changes = append(changes, m.list.drop(m.found.Low, m.found.High))
	}
	_, err := m.gaps.change(ctx, m.list, m.under, false, changes...)
	return err
}

// survey is a range without a row that stands.
type survey struct {
	Gap
	dead  int         // rows in it that lie in no gap yet
	gaps  []blog.UUID // the low ends of gaps in it
	pages int
}

// worth reports whether the range is to become a gap. One that grows at its low end leaves a tombstone behind.
func (v survey) worth() bool { return v.dead >= Least || len(v.gaps) > 0 && v.dead >= LeastBeside }

// holdsOthers reports whether gaps lie within the range that its own row does not replace.
func (v survey) holdsOthers() bool {
	return slices.ContainsFunc(v.gaps, func(low blog.UUID) bool { return low != v.Low })
}

// survey finds how far the dead rows around a key go.
func (g *Gaps) survey(ctx context.Context, k Key) (v survey, err error) {
	v.Low, v.High = k.ID, k.ID
	over, err := g.At(ctx, k.List, k.ID)
	if err != nil {
		return v, err
	}
	if over.Covers(k.ID) {
		v.Gap, v.gaps = over, append(v.gaps, over.Low)
	}
	if err = g.surveyDown(ctx, k.List, &v); err == nil {
		v.pages = 0
		err = g.surveyUp(ctx, k.List, &v)
	}
	return v, err
}

// surveyDown lowers a range to the next row that stands. At the end of the partition it takes
// in all that lies below: there nothing is left to read.
func (g *Gaps) surveyDown(ctx context.Context, list List, v *survey) error {
	for {
		below, err := found(ctx, g.db.One, selectGapBelow, list, v.Low)
		if err != nil {
			return err
		}
		floor := blog.UUID(cql.FirstID)
		if below != (Gap{}) {
			floor = slices.MinFunc([]blog.UUID{below.High, v.Low}, blog.UUID.Compare)
		}
		ended, err := g.surveyKeys(ctx, list, v, floor, true)
		if err != nil || !ended {
			return err
		}
		if below == (Gap{}) {
			v.Low = floor
			return nil
		}
		v.Low, v.gaps = below.Low, append(v.gaps, below.Low)
	}
}

// surveyUp raises a range to the next row that stands, or that is too young.
func (g *Gaps) surveyUp(ctx context.Context, list List, v *survey) error {
	newest := g.newest()
	for {
		above, err := found(ctx, g.db.One, selectGapAbove, list, v.High)
		if err != nil {
			return err
		}
		ceiling := newest
		if above != (Gap{}) {
			ceiling = slices.MinFunc([]blog.UUID{above.Low, newest}, blog.UUID.Compare)
		}
		ended, err := g.surveyKeys(ctx, list, v, ceiling, false)
		if err != nil || !ended || above == (Gap{}) || ceiling != above.Low {
			return err
		}
		v.High, v.gaps = above.High, append(v.gaps, above.Low)
	}
}

// surveyKeys takes dead rows into a range, from an end of it on, and reports whether no other row is before a limit.
func (g *Gaps) surveyKeys(ctx context.Context, list List, v *survey, to blog.UUID, down bool) (ended bool, err error) {
	for {
		keys := Gap{v.High, to}
		if down {
			keys = Gap{to, v.Low}
		}
		if keys.Low.Compare(keys.High) >= 0 {
			return true, nil
		}
		if v.pages++; v.pages > maxPages {
			return false, nil
		}
		seen, standing := 0, false
		err := g.EachKey(ctx, list, keys.Low, keys.High, down, Page, func(key blog.UUID, version *int) bool {
			if standing = !IsDead(version); standing {
				return false
			}
			seen++
			v.dead++
			if down {
				v.Low = key
			} else {
				v.High = cql.After(key)
			}
			return true
		})
		if err != nil || standing || seen < Page {
			return err == nil && !standing, err
		}
	}
}
