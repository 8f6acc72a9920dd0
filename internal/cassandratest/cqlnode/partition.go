package cqlnode

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"sort"
)

// partition is all that is kept under one key.
type partition struct {
	key     [][]byte
	raw     string // the key in one piece
	token   int64
	deleted int64 // the time of its tombstone
	static  *row
	rows    []*row // in clustering order
	ranges  []rangeTombstone
}

// row is a row with its tombstone, or what is stored once above the rows.
type row struct {
	key     [][]byte
	marker  marker
	deleted int64
	cells   map[*column]cell
}

func newRow(key [][]byte) *row {
	return &row{key: key, marker: marker{at: never}, deleted: never, cells: map[*column]cell{}}
}

func newPartition(key [][]byte, raw string) *partition {
	return &partition{key: key, raw: raw, token: tokenOf([]byte(raw)), deleted: never, static: newRow(nil)}
}

// rangeTombstone deletes the rows that a slice names.
type rangeTombstone struct {
	slice []bound
	at    int64
}

func (p *partition) find(t *table, key [][]byte) (i int, found bool) {
	return slices.BinarySearchFunc(p.rows, key, func(r *row, key [][]byte) int { return t.compareRows(r.key, key) })
}

// at returns the row of a key, which it makes where there is none.
func (p *partition) at(t *table, key [][]byte) *row {
	i, found := p.find(t, key)
	if !found {
		p.rows = slices.Insert(p.rows, i, newRow(key))
	}
	return p.rows[i]
}

// put writes cells, as of now.
func (r *row) put(c *column, written cell) {
	standing, known := r.cells[c]
	switch {
	case c.isSet():
		r.cells[c] = standing.with(written, known)
	case known:
		r.cells[c] = newer(standing, written)
	default:
		r.cells[c] = written
	}
}

// with writes elements of a set, or the deletion of all of it.
func (c cell) with(written cell, known bool) cell {
	all := cell{at: never, set: map[string]cell{}}
	if known {
		all.at = c.at
		maps.Copy(all.set, c.set)
	}
	all.at = max(all.at, written.at)
	for e, of := range written.set {
		if standing, known := all.set[e]; known {
			of = newer(standing, of)
		}
		all.set[e] = of
	}
	return all
}

// deleteRange keeps a tombstone over a slice of the rows, the last one over each.
func (p *partition) deleteRange(slice []bound, at int64) {
	for i, r := range p.ranges {
		if slices.EqualFunc(r.slice, slice, bound.equal) {
			p.ranges[i].at = max(r.at, at)
			return
		}
	}
	p.ranges = append(p.ranges, rangeTombstone{slice, at})
}

// bound is a condition on the clustering key's first columns, or on some of them.
type bound struct {
	columns  []*column
	operator string
	values   [][]byte
}

func (b bound) equal(o bound) bool {
	return b.operator == o.operator && slices.Equal(b.columns, o.columns) && slices.EqualFunc(b.values, o.values, bytes.Equal)
}

// holds reports whether a row is within the bound.
func (b bound) holds(key [][]byte) bool {
	order := 0
	for i, c := range b.columns {
		if order = c.typ.compare(key[c.position], b.values[i]); order != 0 {
			break
		}
	}
	switch b.operator {
	case "=":
		return order == 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func allHold(bounds []bound, key [][]byte) bool {
	return !slices.ContainsFunc(bounds, func(b bound) bool { return !b.holds(key) })
}

// within returns the rows that bounds hold for. Those on the first clustering columns alone cut
// a run out of all rows, which is found without looking at each.
func (p *partition) within(bounds []bound) []*row {
	rows := p.rows
	var others []bound
	for _, b := range bounds {
		if !b.leads() {
			others = append(others, b)
			continue
		}
		for _, half := range b.halves() {
			rows = half.cut(rows)
		}
	}
	if others == nil {
		return rows
	}
	var all []*row
	for _, r := range rows {
		if allHold(others, r.key) {
			all = append(all, r)
		}
	}
	return all
}

// leads reports whether the bound's columns are the first of the key, in one direction.
func (b bound) leads() bool {
	for i, c := range b.columns {
		if c.position != i || c.descending != b.columns[0].descending {
			return false
		}
	}
	return true
}

func (b bound) halves() []bound {
	if b.operator != "=" {
		return []bound{b}
	}
	return []bound{{b.columns, ">=", b.values}, {b.columns, "<=", b.values}}
}

// cut returns the rows that the bound holds for, which are the first ones or the last.
func (b bound) cut(rows []*row) []*row {
	upper := b.operator[0] == '<'
	if upper == b.columns[0].descending { // the last ones
		return rows[sort.Search(len(rows), func(i int) bool { return b.holds(rows[i].key) }):]
	}
	return rows[:sort.Search(len(rows), func(i int) bool { return !b.holds(rows[i].key) })]
}

// shown is a row as a reader sees it at one time, with what stands above it.
type shown struct {
	p       *partition
	row     *row // nil: there is only what stands above
	deleted int64
	now     int64
}

// show returns a row, and whether it is there: it was inserted, or has a cell that is not null.
func (p *partition) show(r *row, now int64) (s shown, stands bool) {
	s = shown{p: p, row: r, deleted: max(p.deleted, r.deleted), now: now}
	for _, t := range p.ranges {
		if t.at > s.deleted && r.key != nil && allHold(t.slice, r.key) {
			s.deleted = t.at
		}
	}
	if r.marker.at > s.deleted && r.marker.live(now) {
		return s, true
	}
	for _, c := range r.cells {
		if _, stands := s.cell(c); stands {
			return s, true
		}
	}
	return s, false
}

// cell returns what a reader sees of a cell: null where it is not there.
func (s shown) cell(c cell) (cell, bool) {
	if c.set == nil {
		if c.at > s.deleted && c.live(s.now) {
			return c, true
		}
		return cell{}, false
	}
	var all [][]byte
	for e, of := range c.set {
		if of.at > max(s.deleted, c.at) && of.live(s.now) {
			all = append(all, []byte(e))
		}
	}
	if len(all) == 0 {
		return cell{}, false
	}
	slices.SortFunc(all, bytes.Compare)
	return cell{value: joined(all)}, true
}

// get returns the cell of a column, of the row or of what stands above it.
func (s shown) get(c *column) (cell, bool) {
	switch {
	case c.kind == partitionKey:
		return cell{value: s.p.key[c.position]}, true
	case c.kind == static:
		above := shown{p: s.p, row: s.p.static, deleted: s.p.deleted, now: s.now}
		return above.cell(s.p.static.cells[c])
	case s.row == nil:
		return cell{}, false
	case c.kind == clustering:
		return cell{value: s.row.key[c.position]}, true
	}
	return s.cell(s.row.cells[c])
}

// hasStatic reports whether anything stands above the rows.
func (p *partition) hasStatic(now int64) bool {
	_, stands := p.show(p.static, now)
	return stands
}

func (p *partition) before(o *partition) int {
	return cmp.Or(cmp.Compare(p.token, o.token), cmp.Compare(p.raw, o.raw))
}
