package cqlnode

import (
	"fmt"
	"strings"
)

// parser reads the tokens of one statement. Its first error is kept, and what follows it
// reads as empty.
type parser struct {
	tokens  []token
	markers int
	err     error
}

// whole reads a statement, and nothing after it.
func (p *parser) whole() any {
	s := p.statement()
	p.try(";")
	if p.err == nil && len(p.tokens) > 0 {
		p.fail("the end")
	}
	return s
}

func (p *parser) statement() any {
	switch {
	case p.try("SELECT"):
		return p.selection()
	case p.try("INSERT"):
		return p.insertion()
	case p.try("UPDATE"):
		return p.update()
	case p.try("DELETE"):
		return p.deletion()
	case p.try("BEGIN", "UNLOGGED", "BATCH"), p.try("BEGIN", "BATCH"):
		return p.batch()
	default:
		return p.definition()
	}
}

func (p *parser) batch() *writtenBatch {
	b := &writtenBatch{}
	for p.err == nil && !p.try("APPLY", "BATCH") {
		if m, is := p.statement().(*modification); is {
			b.parts = append(b.parts, m)
		} else {
			p.fail("a write")
		}
		p.try(";")
	}
	return b
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("a form of CQL that is not known here: want %s at %q", want, p.peek().text)
	}
}

func (p *parser) peek() token {
	if p.err != nil || len(p.tokens) == 0 {
		return token{}
	}
	return p.tokens[0]
}

func (p *parser) take() token {
	t := p.peek()
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// try takes words or symbols where they come next, all of them or none.
func (p *parser) try(words ...string) bool {
	if p.err != nil || len(p.tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if !p.tokens[i].is(w) {
			return false
		}
	}
	p.tokens = p.tokens[len(words):]
	return true
}

func (p *parser) want(words ...string) {
	if !p.try(words...) {
		p.fail(strings.Join(words, " "))
	}
}

func (p *parser) word() string {
	if p.peek().kind != word {
		p.fail("a name")
	}
	return strings.ToLower(p.take().text)
}

func (p *parser) name() name {
	first := p.word()
	if p.try(".") {
		return name{first, p.word()}
	}
	return name{table: first}
}

// list reads what is separated by commas.
func (p *parser) list(item func()) {
	for item(); p.err == nil && p.try(","); {
		item()
	}
}

// words reads names in brackets.
func (p *parser) words() (all []string) {
	p.want("(")
	p.list(func() { all = append(all, p.word()) })
	p.want(")")
	return all
}

func (p *parser) selection() *selection {
	s := &selection{distinct: p.try("DISTINCT"), json: p.try("JSON"), all: p.try("*")}
	if !s.all {
		p.list(func() { s.columns = append(s.columns, p.selector()) })
	}
	p.want("FROM")
	s.from = p.name()
	if p.try("WHERE") {
		s.where = p.relations()
	}
	if p.try("ORDER", "BY") {
		p.list(func() { s.order = append(s.order, p.ordering()) })
	}
	if p.try("LIMIT") {
		s.limit = p.termOf()
	}
	return s
}

func (p *parser) selector() selector {
	s := selector{column: p.word()}
	if p.try("(") {
		s = selector{function: s.column}
		if !p.try("*") && !p.peek().is(")") {
			s.column = p.word()
		}
		p.want(")")
	}
	if p.try("AS") {
		s.alias = p.word()
	}
	return s
}

func (p *parser) ordering() ordering {
	o := ordering{column: p.word()}
	o.descending = p.try("DESC")
	if !o.descending {
		p.try("ASC")
	}
	return o
}

func (p *parser) relations() (all []relation) {
	all = append(all, p.relation())
	for p.err == nil && p.try("AND") {
		all = append(all, p.relation())
	}
	return all
}

func (p *parser) relation() (r relation) {
	switch {
	case p.try("token", "("):
		p.list(func() { r.columns = append(r.columns, p.word()) })
		p.want(")")
		r.ofToken = true
	case p.peek().is("("):
		r.columns, r.tuple = p.words(), true
	default:
		r.columns = []string{p.word()}
	}
	r.operator = p.operator()
	if r.tuple || r.operator == "IN" && p.peek().is("(") {
		p.want("(")
		p.list(func() { r.values = append(r.values, p.term()) })
		p.want(")")
	} else {
		r.values = []term{p.term()}
	}
	return r
}

func (p *parser) operator() string {
	for _, o := range []string{"=", "<=", ">=", "<", ">", "IN"} {
		if p.try(o) {
			return o
		}
	}
	p.fail("an operator")
	return ""
}

func (p *parser) termOf() *term {
	t := p.term()
	return &t
}

func (p *parser) term() term {
	switch {
	case p.try("?"):
		p.markers++
		return term{form: aMarker, marker: p.markers - 1}
	case p.try("null"):
		return term{form: aNull}
	case p.peek().is("true"), p.peek().is("false"):
		return term{form: aBoolean, text: p.word()}
	case p.try("["):
		return p.items("]")
	case p.try("{"):
		return p.items("}")
	}
	t := p.take()
	switch t.kind {
	case text:
		return term{form: aText, text: t.text}
	case number:
		return term{form: aNumber, text: t.text}
	case uuid:
		return term{form: aUUID, text: t.text}
	case blob:
		return term{form: aBlob, text: t.text}
	case word:
		return p.call(t.text)
	}
	p.fail("a value")
	return term{}
}

// items reads a list or a set up to its end.
func (p *parser) items(last string) term {
	t := term{form: aList}
	if p.try(last) {
		return t
	}
	p.list(func() { t.items = append(t.items, p.term()) })
	p.want(last)
	return t
}

func (p *parser) call(function string) term {
	t := term{form: aFunction, text: strings.ToLower(function)}
	p.want("(")
	if !p.try(")") {
		p.list(func() { t.items = append(t.items, p.term()) })
		p.want(")")
	}
	return t
}

func (p *parser) insertion() *modification {
	p.want("INTO")
	m := &modification{verb: "INSERT", table: p.name()}
	columns := p.words()
	p.want("VALUES", "(")
	p.list(func() {
		if len(m.sets) == len(columns) {
			p.fail("as many values as columns")
			return
		}
		m.sets = append(m.sets, assignment{column: columns[len(m.sets)], value: p.term()})
	})
	p.want(")")
	if len(m.sets) < len(columns) {
		p.fail("as many values as columns")
	}
	m.absent = p.try("IF", "NOT", "EXISTS")
	p.using(m)
	return m
}

func (p *parser) using(m *modification) {
	if !p.try("USING") {
		return
	}
	for {
		switch {
		case p.try("TIMESTAMP"):
			m.timestamp = p.termOf()
		case p.try("TTL"):
			m.ttl = p.termOf()
		default:
			p.fail("TIMESTAMP or TTL")
		}
		if !p.try("AND") {
			return
		}
	}
}

func (p *parser) update() *modification {
	m := &modification{verb: "UPDATE", table: p.name()}
	p.using(m)
	p.want("SET")
	p.list(func() { m.sets = append(m.sets, p.assignment()) })
	p.want("WHERE")
	m.where = p.relations()
	p.conditions(m)
	return m
}

func (p *parser) assignment() assignment {
	a := assignment{column: p.word()}
	p.want("=")
	a.adds, a.removes = p.try(a.column, "+"), p.try(a.column, "-")
	a.value = p.term()
	return a
}

func (p *parser) deletion() *modification {
	m := &modification{verb: "DELETE"}
	if !p.peek().is("FROM") {
		p.list(func() { m.columns = append(m.columns, p.word()) })
	}
	p.want("FROM")
	m.table = p.name()
	p.using(m)
	p.want("WHERE")
	m.where = p.relations()
	p.conditions(m)
	return m
}

func (p *parser) conditions(m *modification) {
	switch {
	case p.try("IF", "EXISTS"):
		m.exists = true
	case p.try("IF"):
		m.ifs = p.relations()
	}
}
