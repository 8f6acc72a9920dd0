package cqlnode

import (
	"bytes"
	"slices"
)

// proposal is a conditional write, or a batch of which some are: all of it or nothing, in one
// partition.
type proposal []*write

func (all proposal) check() error {
	for _, w := range all {
		if w.table() != all[0].table() {
			return invalid("Batch with conditions cannot span multiple tables")
		}
		if raw(w.key) != raw(all[0].key) {
			return invalid("Batch with conditions cannot span multiple partitions")
		}
		if w.timestamp != nil {
			return invalid("Cannot provide custom timestamp for conditional BATCH")
		}
		for _, o := range all {
			if w.absent != o.absent && w.conditional() && o.conditional() && w.sameRow(o) {
				return invalid("Cannot mix IF conditions and IF NOT EXISTS for the same row")
			}
		}
	}
	return nil
}

func (w *write) sameRow(o *write) bool {
	mine, other := w.rowKey(), o.rowKey()
	return !w.aboveRows() && !o.aboveRows() && mine != nil && other != nil && w.table().compareRows(mine, other) == 0
}

// passes reports whether every condition holds.
func (all proposal) passes(p *partition) (bool, error) {
	for _, w := range all {
		if passes, err := w.passes(p); err != nil || !passes {
			return false, err
		}
	}
	return true, nil
}

func (w *write) passes(p *partition) (bool, error) {
	s, stands := w.current(p)
	switch {
	case w.absent:
		return !stands, nil
	case w.exists:
		return stands, nil
	}
	for _, of := range w.ifs {
		c := w.table().column(of.columns[0])
		want, err := w.args.value(of.values[0], c.typ)
		if err != nil {
			return false, err
		}
		held, _ := s.get(c)
		if (held.value == nil) != (want == nil) || !bytes.Equal(held.value, want) {
			return false, nil
		}
	}
	return true, nil
}

// current returns the row that a condition is on, and whether it is there.
func (w *write) current(p *partition) (shown, bool) {
	key := w.rowKey()
	if w.aboveRows() || key == nil {
		return shown{p: p, deleted: p.deleted, now: w.now}, p.hasStatic(w.now)
	}
	i, found := p.find(w.table(), key)
	if !found {
		return shown{p: p, deleted: p.deleted, now: w.now}, false
	}
	s, stands := p.show(p.rows[i], w.now)
	if !stands {
		s.row = nil
	}
	return s, stands
}

// applied is the answer to a conditional write that took place.
func applied(t *table) *rows {
	return &rows{keyspace: t.keyspace, table: t.name, columns: []variable{{"[applied]", typed("boolean")}}, data: [][][]byte{{boolean(true)}}}
}

// refused is the answer to one that did not: what the conditions' columns hold, of each row that
// is there.
func (all proposal) refused(p *partition, batch bool) *rows {
	t := all[0].table()
	answer := applied(t)
	answer.data[0][0] = boolean(false)
	found := all.standing(p)
	if len(found) == 0 {
		return answer
	}
	columns := all.columns(batch)
	for _, c := range columns {
		answer.columns = append(answer.columns, variable{c.name, c.typ})
	}
	answer.data = nil
	for _, s := range found {
		row := [][]byte{boolean(false)}
		for _, c := range columns {
			var held cell
			if c.kind != static || all.reads(c) {
				held, _ = s.get(c)
			}
			row = append(row, held.value)
		}
		answer.data = append(answer.data, row)
	}
	return answer
}

// columns are those that a refusal tells of.
func (all proposal) columns(batch bool) []*column {
	t := all[0].table()
	var named []*column
	if batch {
		named = append(slices.Clone(t.partitionKey), t.clustering...)
	}
	for _, w := range all {
		if w.absent || w.exists {
			return t.columns
		}
		for _, of := range w.ifs {
			if c := t.column(of.columns[0]); !slices.Contains(named, c) {
				named = append(named, c)
			}
		}
	}
	return named
}

// standing returns the rows that the conditions are on. Where those are on what stands above the
// rows alone it is the first row of the partition.
func (all proposal) standing(p *partition) (found []shown) {
	t, now, onRows := all[0].table(), all[0].now, false
	for _, w := range all {
		if !w.conditional() || w.aboveRows() {
			continue
		}
		onRows = true
		s, stands := w.current(p)
		if stands && s.row != nil && !slices.ContainsFunc(found, func(o shown) bool { return o.row == s.row }) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b shown) int { return t.compareRows(a.row.key, b.row.key) })
	if !onRows {
		found = all.first(p, now)
	}
	if len(found) == 0 && all.readsStatic(p, now) {
		found = []shown{{p: p, deleted: p.deleted, now: now}}
	}
	return found
}

// first returns the first row. Where no row is about to be written no cell of one is read, and
// only markers tell that a row is there.
func (all proposal) first(p *partition, now int64) []shown {
	markers := !slices.ContainsFunc(all, func(w *write) bool { return !w.aboveRows() })
	for _, r := range p.rows {
		s, stands := p.show(r, now)
		if stands && (!markers || r.marker.at > s.deleted && r.marker.live(now)) {
			return []shown{s}
		}
	}
	return nil
}

// readsStatic reports whether anything stands above the rows, of what is read of it.
func (all proposal) readsStatic(p *partition, now int64) bool {
	above := shown{p: p, deleted: p.deleted, now: now}
	return slices.ContainsFunc(all[0].table().columns, func(c *column) bool {
		_, stands := above.get(c)
		return c.kind == static && stands && all.reads(c)
	})
}

// reads reports whether the columns that are read for the conditions have a static one among
// them: each of them where one is about to be written, else those of the conditions.
func (all proposal) reads(c *column) bool {
	return slices.ContainsFunc(all, func(w *write) bool {
		return w.writesStatic() || slices.ContainsFunc(w.ifs, func(of relation) bool { return of.columns[0] == c.name })
	})
}

func (w *write) writesStatic() bool {
	return slices.ContainsFunc(w.sets, func(a assignment) bool { return w.table().column(a.column).kind == static }) ||
		slices.ContainsFunc(w.columns, func(name string) bool { return w.table().column(name).kind == static })
}
