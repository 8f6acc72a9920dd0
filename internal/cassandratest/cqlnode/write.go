package cqlnode

import (
	"slices"
)

// write is a modification with its arguments, about to be carried out.
type write struct {
	*modification
	*statement
	args  arguments
	at    int64 // its write time
	hides int64 // that of its tombstones over rows: a ballot's hide nothing that was written at it
	now   int64 // in seconds
	key   [][]byte
	slice []bound // of the clustering key
}

func newWrite(s *statement, args arguments, at int64) (*write, error) {
	w := &write{modification: s.parsed.(*modification), statement: s, args: args, at: at, now: args.now.Unix()}
	keys, err := args.keys(s.where.key)
	if err != nil {
		return nil, err
	}
	parts, err := args.slices(s.where.rows)
	if err != nil {
		return nil, err
	}
	if len(keys) != 1 || len(parts) != 1 {
		return nil, invalid("%s: IN in a write is not known here", s.cql)
	}
	w.key, w.slice = keys[0], parts[0]
	if w.timestamp != nil {
		v, err := args.value(*w.timestamp, typed("bigint"))
		if err != nil {
			return nil, err
		}
		w.at = integer(v)
	}
	w.hides = w.at
	return w, w.check()
}

// check refuses what does not say which rows it is about.
func (w *write) check() error {
	switch {
	case w.conditional() && w.timestamp != nil:
		return invalid("Cannot provide custom timestamp for conditional updates")
	case w.rowKey() == nil && !w.aboveRows() && (w.verb != "DELETE" || len(w.columns) > 0):
		return invalid("Some clustering keys are missing in %s", w.cql)
	}
	return nil
}

// rowKey returns the key of the one row that is named, nil where there is not one.
func (w *write) rowKey() [][]byte {
	key := make([][]byte, len(w.table().clustering))
	for _, b := range w.slice {
		if b.operator != "=" {
			return nil
		}
		for i, c := range b.columns {
			key[c.position] = b.values[i]
		}
	}
	if slices.ContainsFunc(key, func(v []byte) bool { return v == nil }) {
		return nil
	}
	return key
}

func (w *write) table() *table { return w.statement.table }

// aboveRows reports whether it is about what is stored once above the rows alone.
func (w *write) aboveRows() bool {
	names := slices.Clone(w.columns)
	for _, a := range w.sets {
		names = append(names, a.column)
	}
	for _, of := range w.ifs {
		names = append(names, of.columns...)
	}
	return len(names) > 0 && w.rowKey() == nil && !slices.ContainsFunc(names, func(n string) bool { return w.table().column(n).kind != static })
}

// apply carries it out.
func (w *write) apply() error {
	p := w.table().partition(w.key)
	switch {
	case w.verb == "DELETE" && len(w.columns) == 0:
		w.deleteRows(p)
		return nil
	case w.verb == "DELETE":
		for _, name := range w.columns {
			c := w.table().column(name)
			w.rowOf(p, c).put(c, cell{at: w.at})
		}
		return nil
	}
	ttl, err := w.timeToLive()
	if err != nil {
		return err
	}
	if w.verb == "INSERT" && !w.aboveRows() {
		r := p.at(w.table(), w.rowKey())
		r.marker = r.marker.merged(marker{at: w.at, expires: w.expiry(ttl)})
	}
	return w.assign(p, ttl)
}

func (w *write) deleteRows(p *partition) {
	switch key := w.rowKey(); {
	case len(w.slice) == 0 && len(w.table().clustering) > 0:
		p.deleted = max(p.deleted, w.hides)
	case key == nil:
		p.deleteRange(w.slice, w.hides)
	default:
		r := p.at(w.table(), key)
		r.deleted = max(r.deleted, w.hides)
	}
}

// rowOf returns where a column's cell is kept.
func (w *write) rowOf(p *partition, c *column) *row {
	if c.kind == static {
		return p.static
	}
	return p.at(w.table(), w.rowKey())
}

func (w *write) timeToLive() (int64, error) {
	if w.ttl == nil {
		return int64(w.table().ttl), nil
	}
	v, err := w.args.value(*w.ttl, typed("int"))
	return integer(v), err
}

func (w *write) expiry(ttl int64) int64 {
	if ttl == 0 {
		return 0
	}
	return w.now + ttl
}

func (w *write) assign(p *partition, ttl int64) error {
	for _, a := range w.sets {
		c := w.table().column(a.column)
		v, err := w.args.value(a.value, c.typ)
		if err != nil {
			return err
		}
		written := cell{at: w.at, value: v, ttl: ttl, expires: w.expiry(ttl)}
		if v == nil || a.removes {
			written.value, written.ttl, written.expires = nil, 0, 0
		}
		if c.isSet() {
			whole := !a.adds && !a.removes
			if written, err = elementsAs(v, written); err != nil {
				return err
			}
			if whole { // what was there before goes
				written.at = w.at - 1
			}
		}
		w.rowOf(p, c).put(c, written)
	}
	return nil
}

// elementsAs returns the cell that writes elements of a set, or removes them.
func elementsAs(set []byte, as cell) (cell, error) {
	c := cell{at: never, set: map[string]cell{}}
	if set == nil {
		return c, nil
	}
	if as.value != nil {
		as.value = []byte{}
	}
	all, err := elements(set)
	for _, e := range all {
		c.set[string(e)] = as
	}
	return c, err
}

// size is about how many bytes a batch counts for it.
func (w *write) size() (n int) {
	for _, v := range w.args.values {
		n += len(v)
	}
	return n
}
