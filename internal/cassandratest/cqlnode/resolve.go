package cqlnode

import (
	"slices"
	"time"
)

// variable is what stands for a marker.
type variable struct {
	name string
	typ  dataType
}

// statement is a parsed text whose names were found in the schema.
type statement struct {
	cql        string
	parsed     any
	table      *table // nil: a definition
	variables  []variable
	keyMarkers []uint16 // which of them are the partition key, in its order; nil: not all are
	where      where
	changes    int // of the table, before it was parsed
}

// where is a WHERE, taken apart by what its relations are on.
type where struct {
	key    []*restriction // by the partition key's columns; nil: free
	tokens []restriction
	rows   []restriction
}

// restriction is a relation whose columns are known.
type restriction struct {
	columns  []*column
	operator string
	values   []term
}

// resolver finds the names of one statement.
type resolver struct {
	*statement
	err error
}

func (r *resolver) fail(format string, args ...any) {
	if r.err == nil {
		r.err = invalid(format, args...)
	}
}

func (r *resolver) column(name string) *column {
	c := r.table.column(name)
	if c == nil {
		r.fail("Undefined column name %s in table %s.%s", name, r.table.keyspace, r.table.name)
		return &column{name: name, typ: typed("text"), kind: regular}
	}
	return c
}

// declare says what a term's markers stand for.
func (r *resolver) declare(t *term, name string, typ dataType) {
	if t != nil && t.form == aMarker {
		r.variables[t.marker] = variable{name, typ}
	}
}

func resolve(cql string, parsed any, markers int, t *table) (*statement, error) {
	r := &resolver{statement: &statement{cql: cql, parsed: parsed, table: t, variables: make([]variable, markers)}}
	switch s := parsed.(type) {
	case *selection:
		r.selection(s)
	case *modification:
		r.modification(s)
	}
	return r.statement, r.err
}

func (r *resolver) selection(s *selection) {
	r.restrict(s.where)
	r.declare(s.limit, "[limit]", typed("int"))
	for _, c := range s.columns {
		if c.column != "" {
			r.column(c.column)
		}
	}
}

func (r *resolver) modification(m *modification) {
	r.declare(m.timestamp, "[timestamp]", typed("bigint"))
	r.declare(m.ttl, "[ttl]", typed("int"))
	if m.verb == "INSERT" {
		m.where, m.sets = r.keysOf(m)
	}
	for i := range m.sets {
		c := r.column(m.sets[i].column)
		r.declare(&m.sets[i].value, c.name, c.typ)
		if c.kind < static {
			r.fail("PRIMARY KEY part %s found in SET part", c.name)
		}
	}
	for _, name := range m.columns {
		r.column(name)
	}
	r.restrict(m.where)
	for i := range m.ifs {
		c := r.column(m.ifs[i].columns[0])
		if len(m.ifs[i].columns) != 1 || m.ifs[i].operator != "=" {
			r.fail("%s: only a condition of equality is known here", r.cql)
		}
		r.declare(&m.ifs[i].values[0], c.name, c.typ)
	}
	if slices.Contains(r.where.key, nil) {
		r.fail("Some partition key parts are missing in %s", r.cql)
	}
}

// keysOf splits what an INSERT sets into its keys and the rest. It is done once.
func (r *resolver) keysOf(m *modification) (keys []relation, others []assignment) {
	keys = m.where
	for _, a := range m.sets {
		if r.column(a.column).kind < static {
			keys = append(keys, relation{columns: []string{a.column}, operator: "=", values: []term{a.value}})
		} else {
			others = append(others, a)
		}
	}
	return keys, others
}

// restrict takes a WHERE apart.
func (r *resolver) restrict(relations []relation) {
	r.where.key = make([]*restriction, len(r.table.partitionKey))
	for _, of := range relations {
		found := restriction{operator: of.operator, values: of.values}
		for _, name := range of.columns {
			found.columns = append(found.columns, r.column(name))
		}
		r.declareValues(of, found.columns)
		switch first := found.columns[0]; {
		case of.ofToken:
			r.where.tokens = append(r.where.tokens, found)
		case first.kind == partitionKey && (of.operator == "=" || of.operator == "IN"):
			r.where.key[first.position] = &found
		case first.kind == clustering:
			r.where.rows = append(r.where.rows, found)
		default:
			r.fail("%s: a condition on %s is not known here", r.cql, first.name)
		}
	}
	r.keyMarkers = r.markersOfKey()
}

func (r *resolver) declareValues(of relation, columns []*column) {
	for i := range of.values {
		switch c := columns[0]; {
		case of.ofToken:
			r.declare(&of.values[i], "partition key token", typed("bigint"))
		case of.tuple:
			r.declare(&of.values[i], columns[i].name, columns[i].typ)
		case of.operator == "IN" && len(of.values) == 1 && of.values[0].form == aMarker:
			r.declare(&of.values[i], "in("+c.name+")", listOf(c.typ))
		default:
			r.declare(&of.values[i], c.name, c.typ)
		}
	}
}

func (r *resolver) markersOfKey() (all []uint16) {
	for _, k := range r.where.key {
		if k == nil || k.operator != "=" || k.values[0].form != aMarker {
			return nil
		}
		all = append(all, uint16(k.values[0].marker))
	}
	return all
}

// arguments are what a statement is executed with.
type arguments struct {
	values [][]byte
	now    time.Time
}

func (a arguments) value(t term, typ dataType) ([]byte, error) {
	if t.form != aMarker {
		return typ.literal(t, a.now)
	}
	if t.marker >= len(a.values) {
		return nil, invalid("there are %d values, and a marker beyond them", len(a.values))
	}
	return a.values[t.marker], typ.check(a.values[t.marker])
}

// keyValues returns what a restriction compares a column of the key with.
func (a arguments) keyValues(r *restriction) (all [][]byte, err error) {
	c := r.columns[0]
	if r.operator == "IN" && r.values[0].form == aMarker {
		list, err := a.value(r.values[0], listOf(c.typ))
		if err != nil {
			return nil, err
		}
		return elements(list)
	}
	for _, v := range r.values {
		value, err := a.value(v, c.typ)
		if err != nil {
			return nil, err
		}
		if value == nil {
			return nil, invalid("Invalid null value in condition for column %s", c.name)
		}
		all = append(all, value)
	}
	return all, nil
}

// keys returns the partition keys that are named, each once.
func (a arguments) keys(restrictions []*restriction) (all [][][]byte, err error) {
	all = [][][]byte{nil}
	for _, r := range restrictions {
		values, err := a.keyValues(r)
		if err != nil {
			return nil, err
		}
		var longer [][][]byte
		for _, key := range all {
			for _, v := range values {
				longer = append(longer, append(slices.Clone(key), v))
			}
		}
		all = longer
	}
	return all, nil
}

// slices returns the parts of a partition that restrictions name, in any order.
func (a arguments) slices(restrictions []restriction) (all [][]bound, err error) {
	all = [][]bound{nil}
	for _, r := range restrictions {
		bounds, err := a.bounds(r)
		if err != nil {
			return nil, err
		}
		var longer [][]bound
		for _, slice := range all {
			for _, b := range bounds {
				longer = append(longer, append(slices.Clone(slice), b))
			}
		}
		all = longer
	}
	return all, nil
}

// bounds returns one bound, or of an IN one for each value.
func (a arguments) bounds(r restriction) (all []bound, err error) {
	if len(r.columns) > 1 {
		b := bound{columns: r.columns, operator: r.operator}
		for i, c := range r.columns {
			v, err := a.value(r.values[i], c.typ)
			if err != nil {
				return nil, err
			}
			b.values = append(b.values, v)
		}
		return []bound{b}, nil
	}
	values, err := a.keyValues(&r)
	operator := r.operator
	if operator == "IN" {
		operator = "="
	}
	for _, v := range values {
		all = append(all, bound{r.columns, operator, [][]byte{v}})
	}
	return all, err
}
