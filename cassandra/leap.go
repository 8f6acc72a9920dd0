package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"

	lru "github.com/hashicorp/golang-lru/v2"
)

// leaps remembers gaps that pages passed. A page that begins where one of those did needs the
// same three statements, and none of them has to wait for another:
//
//	the rows above ∥ is the gap there? ∥ the rows below
//
// What is remembered only says where to read. That no row stands between is what the gap says
// that was read with them; where it says something else, the rows below are read again, in
// turn.
type leaps struct{ known *lru.Cache[leapKey, leap] }

type leapKey struct {
	gap.Place
	descending bool
}

// leap is a gap, and the page that passed it.
type leap struct {
	gap.Gap
	start  blog.UUID // the near end of its span
	wanted int
}

const maxLeaps = 1 << 12 // some 150 bytes each

func newLeaps() *leaps {
	known, _ := lru.New[leapKey, leap](maxLeaps) // fails for a size below 1 only
	return &leaps{known}
}

func (p *passage[T]) leapKey() leapKey { return leapKey{p.place, p.descending} }

func (p *passage[T]) remember(g gap.Gap) {
	start := p.start.from
	if p.descending {
		start = p.start.to
	}
	p.store.leaps.known.Add(p.leapKey(), leap{g, start, p.wanted})
}

// leap reads the rows on both sides of the gap that a page like this one passed. It reports
// false, having read nothing, where none is known. Where the page is whole without it, or the
// gap is not what it was, it is forgotten.
func (p *passage[T]) leap(ctx context.Context) (leapt bool, err error) {
	known, found := p.store.leaps.known.Get(p.leapKey())
	if !found || p.wanted < known.wanted || !known.between(p.keys, p.descending) {
		return false, nil
	}
	near, far := p.keys, p.keys
	if p.descending {
		near.from, far.to = known.High, known.Low
	} else {
		near.to, far.from = known.Low, known.High
	}
	var above int
	var now gap.Gap
	var beyond []readRow[T]
	err = cql.Concurrently(
		func() (err error) {
			if near.from.Compare(near.to) < 0 {
				above, err = p.read(ctx, near, p.take)
			}
			return err
		},
		func() (err error) {
			now, err = p.store.gaps.At(ctx, p.place, known.Low)
			return err
		},
		func() error {
			_, err := p.read(ctx, far, func(row readRow[T]) { beyond = append(beyond, row) })
			return err
		},
	)
	switch {
	case err != nil:
		return true, err
	case above == p.wanted || !now.Covers(known.Low) || now.High.Compare(known.High) < 0:
		p.store.leaps.known.Remove(p.leapKey())
		p.wholes++
		return true, nil
	}
	p.remember(now)
	p.passed(known.Gap)
	for _, row := range beyond {
		p.take(row)
	}
	p.wholes++
	p.over = len(beyond) < p.wanted
	return true, nil
}

// between reports whether a page of a span meets a gap as the page before did, or closer to it,
// and goes on behind it.
func (l leap) between(keys span[blog.UUID], descending bool) bool {
	if descending {
		return keys.to.Compare(l.start) <= 0 && keys.to.Compare(l.Low) > 0 && keys.from.Compare(l.Low) < 0
	}
	return keys.from.Compare(l.start) >= 0 && keys.from.Compare(l.High) < 0 && keys.to.Compare(l.High) > 0
}
