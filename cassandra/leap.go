package cassandra

import (
	"context"

	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
)

// remember remembers a gap that the page passed.
func (p *passage[T]) remember(g gap.Gap) {
	start := p.start.from
	if p.descending {
		start = p.start.to
	}
	p.store.gaps.Remember(p.list, p.descending, gap.Leap{Gap: g, Start: start, Wanted: p.wanted})
}

// leap reads the rows on both sides of the gap that a page like this one passed. It reports
// false, having read nothing, where none is known. Where the page is whole without it, or the
// gap is not what it was, it is forgotten.
func (p *passage[T]) leap(ctx context.Context) (leapt bool, err error) {
	known, found := p.store.gaps.Leap(p.list, p.descending)
	if !found || p.wanted < known.Wanted || !known.Between(p.keys.from, p.keys.to, p.descending) {
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
			now, err = p.store.gaps.At(ctx, p.list, known.Low)
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
		p.store.gaps.Forget(p.list, p.descending)
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
