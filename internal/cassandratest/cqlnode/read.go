package cqlnode

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"
)

// rows are an answer with rows.
type rows struct {
	keyspace, table string
	columns         []variable
	data            [][][]byte
	paging          []byte
}

// reading is one execution of a SELECT.
type reading struct {
	*selection
	*statement
	args     arguments
	now      int64 // in seconds
	pageSize int
	left     int // rows up to the LIMIT
	after    position
	reversed bool
	found    rows
	last     position
}

// position is where a page ended: the paging state, which the driver hands back.
type position struct {
	Partition []byte
	Row       [][]byte // nil: what stands above the rows
	Left      int
	Begun     bool // false: before everything
}

const noLimit = 1 << 30

func (e *engine) read(s *statement, args arguments, pageSize int, paging []byte) (*rows, error) {
	r := &reading{selection: s.parsed.(*selection), statement: s, args: args, now: args.now.Unix(), pageSize: pageSize, left: noLimit}
	if r.limit != nil {
		v, err := args.value(*r.limit, typed("int"))
		if err != nil {
			return nil, err
		}
		r.left = int(integer(v))
	}
	if len(paging) > 0 {
		if err := json.Unmarshal(paging, &r.after); err != nil {
			return nil, invalid("Invalid value for the paging state")
		}
		r.left = r.after.Left
	}
	if r.pageSize <= 0 || r.counts() {
		r.pageSize = noLimit
	}
	return r.run()
}

func (r *reading) run() (*rows, error) {
	r.describe()
	for _, o := range r.order {
		c := r.statement.table.column(o.column)
		r.reversed = c != nil && o.descending != c.descending
	}
	partitions, err := r.partitions()
	if err != nil {
		return nil, err
	}
	parts, err := r.args.slices(r.statement.where.rows)
	if err != nil {
		return nil, err
	}
	for _, p := range partitions {
		if !r.partition(p, parts) {
			break
		}
	}
	if r.counts() {
		r.found.data = [][][]byte{{encodeBigint(int64(len(r.found.data)))}}
	}
	return &r.found, nil
}

// describe names the answer's columns.
func (r *reading) describe() {
	t := r.statement.table
	r.found.keyspace, r.found.table = t.keyspace, t.name
	if r.json {
		r.found.columns = []variable{{"[json]", typed("text")}}
		return
	}
	if r.all {
		for _, c := range t.columns {
			r.found.columns = append(r.found.columns, variable{c.name, c.typ})
		}
		return
	}
	for _, s := range r.columns {
		r.found.columns = append(r.found.columns, s.describe(t))
	}
}

func (s selector) describe(t *table) variable {
	switch s.function {
	case "":
		return variable{cmp.Or(s.alias, s.column), t.column(s.column).typ}
	case "currenttimestamp":
		return variable{"system.currenttimestamp()", typed("timestamp")}
	case "ttl":
		return variable{cmp.Or(s.alias, "ttl("+s.column+")"), typed("int")}
	case "count":
		return variable{"count", typed("bigint")}
	}
	return variable{cmp.Or(s.alias, s.function+"("+s.column+")"), typed("bigint")}
}

func (r *reading) counts() bool { return len(r.columns) == 1 && r.columns[0].function == "count" }

// partitions returns those that are named, in the order of their tokens.
func (r *reading) partitions() ([]*partition, error) {
	w, t := r.statement.where, r.statement.table
	if !slices.Contains(w.key, nil) {
		keys, err := r.args.keys(w.key)
		var all []*partition
		for _, key := range keys {
			if p, known := t.byKey[raw(key)]; known {
				all = append(all, p)
			}
		}
		slices.SortFunc(all, (*partition).before)
		return slices.Compact(all), err
	}
	if slices.ContainsFunc(w.key, func(k *restriction) bool { return k != nil }) {
		return nil, invalid("Cannot execute this query as it might involve data filtering: %s", r.cql)
	}
	all := t.partitions
	for _, of := range w.tokens {
		v, err := r.args.value(of.values[0], typed("bigint"))
		if err != nil {
			return nil, err
		}
		all = within(all, of.operator, integer(v))
	}
	return all, nil
}

// within returns the partitions on one side of a token.
func within(all []*partition, operator string, token int64) []*partition {
	from := sort.Search(len(all), func(i int) bool {
		return all[i].token > token || all[i].token == token && (operator == ">=" || operator == "<")
	})
	if operator[0] == '>' {
		return all[from:]
	}
	return all[:from]
}

// partition reads from one partition. It reports whether more is wanted.
func (r *reading) partition(p *partition, parts [][]bound) bool {
	again := false // the page before ended in it
	if r.after.Begun {
		at := &partition{raw: string(r.after.Partition), token: tokenOf(r.after.Partition)}
		order := p.before(at)
		if order < 0 {
			return true
		}
		again = order == 0
	}
	if again && (r.distinct || r.after.Row == nil) {
		return true
	}
	found := false
	for _, row := range r.rows(p, parts) {
		if again && !r.follows(row.key) {
			continue
		}
		s, stands := p.show(row, r.now)
		if !stands {
			continue
		}
		found = true
		if r.distinct {
			s.row = nil
		}
		if !r.emit(s) {
			return false
		}
		if r.distinct {
			return true
		}
	}
	// What stands above the rows is an answer where there are none, unless rows were asked for.
	if !found && !again && len(r.statement.where.rows) == 0 && p.hasStatic(r.now) {
		return r.emit(shown{p: p, deleted: p.deleted, now: r.now})
	}
	return true
}

// rows returns the rows of some parts of a partition, in the order that is asked for.
func (r *reading) rows(p *partition, parts [][]bound) (all []*row) {
	t := r.statement.table
	if len(parts) == 1 {
		all = p.within(parts[0])
	} else {
		for _, slice := range parts {
			all = append(all, p.within(slice)...)
		}
		slices.SortFunc(all, func(a, b *row) int { return t.compareRows(a.key, b.key) })
		all = slices.Compact(all)
	}
	if r.reversed {
		all = slices.Clone(all)
		slices.Reverse(all)
	}
	return all
}

// follows reports whether a row comes after those of the page before.
func (r *reading) follows(key [][]byte) bool {
	order := r.statement.table.compareRows(key, r.after.Row)
	if r.reversed {
		order = -order
	}
	return order > 0
}

// emit adds a row to the page. It reports whether there is room for another.
func (r *reading) emit(s shown) bool {
	if r.left == 0 {
		return false
	}
	r.found.data = append(r.found.data, r.values(s))
	r.left--
	r.last = position{Partition: []byte(s.p.raw), Left: r.left, Begun: true}
	if s.row != nil {
		r.last.Row = s.row.key
	}
	if r.left > 0 && len(r.found.data) >= r.pageSize && !r.ends(s) {
		r.found.paging, _ = json.Marshal(r.last)
		return false
	}
	return r.left > 0
}

// ends reports whether nothing can follow in what is asked for: one partition, of which this is
// the only row.
func (r *reading) ends(s shown) bool {
	one := !slices.Contains(r.statement.where.key, nil)
	return one && (s.row == nil || len(s.row.key) == 0)
}

func (r *reading) values(s shown) [][]byte {
	if r.json {
		return [][]byte{jsonOf(s, r.statement.table.columns)}
	}
	var all [][]byte
	if r.all {
		for _, c := range r.statement.table.columns {
			v, _ := s.get(c)
			all = append(all, v.value)
		}
		return all
	}
	for _, of := range r.columns {
		all = append(all, r.value(s, of))
	}
	return all
}

func (r *reading) value(s shown, of selector) []byte {
	if of.function == "currenttimestamp" {
		return encodeBigint(r.args.now.UnixMilli())
	}
	if of.column == "" {
		return nil
	}
	c, stands := s.get(r.statement.table.column(of.column))
	switch {
	case !stands:
		return nil
	case of.function == "writetime":
		return encodeBigint(c.at)
	case of.function == "ttl" && c.expires == 0:
		return nil
	case of.function == "ttl":
		return encodeInt(int(c.expires - r.now))
	}
	return c.value
}
