package cassandra

import (
	"context"
	"slices"
	"sync"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	lru "github.com/hashicorp/golang-lru/v2"
)

// gapMaker makes gaps of what this process has deleted, and of what its readers had to pass.
type gapMaker struct {
	mu      sync.Mutex
	deleted *lru.Cache[gapPlace, int] // rows, since a gap was last made there
	at      map[gapPlace]bool         // where one is being made
}

const (
	gapEvery     = 64      // deletions in a partition, after which it is looked at
	maxGapPlaces = 1 << 12 // partitions whose deletions are counted
	maxGapMakers = 4       // at once
	gapPage      = 500     // keys
	maxGapPages  = 200     // that one look reads: what is left is found by the next
)

func newGapMaker() *gapMaker {
	deleted, _ := lru.New[gapPlace, int](maxGapPlaces) // fails for a size below 1 only
	return &gapMaker{deleted: deleted, at: map[gapPlace]bool{}}
}

// count counts rows that became dead, and now and then has a gap made of them.
func (g *gapMaker) count(s *Store, keys []gapKey) {
	for _, k := range keys {
		g.mu.Lock()
		n, _ := g.deleted.Get(k.gapPlace)
		n++
		g.deleted.Add(k.gapPlace, n%gapEvery)
		g.mu.Unlock()
		if n == gapEvery {
			g.notice(s, k)
		}
	}
}

// notice has a gap made around a dead row, in the background. Where that is being done, or
// too much else, it is left to the next who notices.
func (g *gapMaker) notice(s *Store, k gapKey) {
	if newest := s.newestInGap(); k.key.Compare(newest) >= 0 {
		k.key = newest
	}
	if !g.begin(k.gapPlace) {
		return
	}
	begun := s.background.Try(func(ctx context.Context) {
		defer g.end(k.gapPlace)
		err := s.briefly(ctx, func(ctx context.Context) error { return s.makeGap(ctx, k) })
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a run of deleted rows could not be noted; readers go through it until it is", "list", k.list, "partition", k.part, "error", err)
		}
	})
	if !begun {
		g.end(k.gapPlace)
	}
}

// begin reports whether a gap may be made in a partition now.
func (g *gapMaker) begin(place gapPlace) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at[place] || len(g.at) >= maxGapMakers {
		return false
	}
	g.at[place] = true
	return true
}

func (g *gapMaker) end(place gapPlace) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.at, place)
}

// makeGap makes one gap of the dead rows around a key, and of the gaps that they touch. It
// first looks whether that is worth while, then says that it is at work, looks again, and
// writes the gap if nobody has moved the partition's version meanwhile.
func (s *Store) makeGap(ctx context.Context, k gapKey) error {
	if found, err := s.survey(ctx, k); err != nil || !found.worth() {
		return err
	}
	head, err := s.gapsHead(ctx, k.gapPlace)
	if err != nil {
		return err
	}
	if begun, err := s.changeGaps(ctx, k.gapPlace, head, true); err != nil || !begun {
		return err
	}
	found, err := s.survey(ctx, k)
	if err != nil {
		return err
	}
	return s.writeGap(ctx, k, gapsHead{version: head.version + 1}, found)
}

// writeGap writes what a survey found, if the version is still that of its beginning.
func (s *Store) writeGap(ctx context.Context, k gapKey, head gapsHead, found survey) error {
	var changes []cql.Bound
	if found.worth() {
		changes = append(changes, k.put(found.gap))
	}
	if found.holdsOthers() {
		changes = append(changes, k.drop(found.low, found.high))
	}
	_, err := s.changeGaps(ctx, k.gapPlace, head, false, changes...)
	return err
}

// survey is a range without a row that stands.
type survey struct {
	gap
	dead  int         // rows in it that lie in no gap yet
	gaps  []blog.UUID // the low ends of gaps in it
	pages int
}

// worth reports whether the range is to become a gap. One that grows at its high end is
// written in place; at its low end that leaves a tombstone behind.
func (v survey) worth() bool { return v.dead >= minGap || len(v.gaps) > 0 && v.dead >= gapEvery/2 }

// holdsOthers reports whether gaps lie within the range that its own row does not replace.
func (v survey) holdsOthers() bool {
	return slices.ContainsFunc(v.gaps, func(low blog.UUID) bool { return low != v.low })
}

// survey finds how far the dead rows around a key go.
func (s *Store) survey(ctx context.Context, k gapKey) (v survey, err error) {
	v.low, v.high = k.key, k.key
	over, err := s.gapBy(ctx, s.db.One, selectGap, k.gapPlace, k.key)
	if err != nil {
		return v, err
	}
	if over.covers(k.key) {
		v.gap, v.gaps = over, append(v.gaps, over.low)
	}
	if err = s.surveyDown(ctx, k.gapPlace, &v); err == nil {
		v.pages = 0
		err = s.surveyUp(ctx, k.gapPlace, &v)
	}
	return v, err
}

// surveyDown lowers a range to the next row that stands. At the end of the partition it takes
// in all that lies below: there nothing is left to read.
func (s *Store) surveyDown(ctx context.Context, place gapPlace, v *survey) error {
	for {
		below, err := s.gapBy(ctx, s.db.One, selectGapBelow, place, v.low)
		if err != nil {
			return err
		}
		floor := blog.UUID(cql.FirstID)
		if below != (gap{}) {
			floor = earlierID(below.high, v.low)
		}
		ended, err := s.surveyKeys(ctx, place, v, span[blog.UUID]{floor, v.low}, true, func(key blog.UUID) { v.low = key })
		if err != nil || !ended {
			return err
		}
		if below == (gap{}) {
			v.low = floor
			return nil
		}
		v.low, v.gaps = below.low, append(v.gaps, below.low)
	}
}

// surveyUp raises a range to the next row that stands, or that is too young.
func (s *Store) surveyUp(ctx context.Context, place gapPlace, v *survey) error {
	newest := s.newestInGap()
	for {
		above, err := s.gapBy(ctx, s.db.One, selectGapAbove, place, v.high)
		if err != nil {
			return err
		}
		ceiling := newest
		if above != (gap{}) {
			ceiling = earlierID(above.low, newest)
		}
		ended, err := s.surveyKeys(ctx, place, v, span[blog.UUID]{v.high, ceiling}, false, func(key blog.UUID) { v.high = cql.After(key) })
		if err != nil || !ended || above == (gap{}) || ceiling != above.low {
			return err
		}
		v.high, v.gaps = above.high, append(v.gaps, above.low)
	}
}

// surveyKeys goes through the keys of a span, and reports whether all rows in it are dead.
func (s *Store) surveyKeys(ctx context.Context, place gapPlace, v *survey, keys span[blog.UUID], descending bool, dead func(blog.UUID)) (ended bool, err error) {
	for keys.from.Compare(keys.to) < 0 {
		if v.pages++; v.pages > maxGapPages {
			return false, nil
		}
		seen, standing := 0, false
		err := s.eachKey(ctx, place, keys, descending, gapPage, func(key blog.UUID, version *int) bool {
			if standing = !isDead(version); standing {
				return false
			}
			seen++
			v.dead++
			if dead(key); descending {
				keys.to = key
			} else {
				keys.from = cql.After(key)
			}
			return true
		})
		if err != nil || standing {
			return false, err
		}
		if seen < gapPage {
			return true, nil
		}
	}
	return true, nil
}

func earlierID(a, b blog.UUID) blog.UUID {
	if b.Compare(a) < 0 {
		return b
	}
	return a
}
