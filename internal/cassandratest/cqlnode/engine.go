package cqlnode

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// engine executes statements, one at a time.
type engine struct {
	clock func() time.Time

	mu         sync.Mutex
	keyspaces  map[string]*keyspace
	generation int   // of the schema
	ballot     int64 // the write time of the last conditional write
	tokens     map[string][]token
	statements map[[2]string]*statement
	virtual    map[name]*virtual
	ip         net.IP         // of the node
	peers      []*net.TCPAddr // other nodes
}

func newEngine(clock func() time.Time) *engine {
	return &engine{clock: clock, keyspaces: map[string]*keyspace{}, tokens: map[string][]token{}, statements: map[[2]string]*statement{}}
}

// maxBatchBytes is the largest batch over several partitions: batch_size_fail_threshold.
const maxBatchBytes = 50 << 10

// statement parses a text, once while its table stays as it is.
func (e *engine) statement(keyspace, cql string) (*statement, error) {
	key := [2]string{keyspace, cql}
	if s, known := e.statements[key]; known {
		if t, err := e.tableOf(keyspace, s.parsed); err == nil && t == s.table && (t == nil || t.changes == s.changes) {
			return s, nil
		}
	}
	tokens, err := e.lexed(cql)
	if err != nil {
		return nil, syntaxError{err.Error() + ": " + cql}
	}
	p := &parser{tokens: tokens}
	parsed := p.whole()
	if p.err != nil {
		return nil, syntaxError{p.err.Error() + ": " + cql}
	}
	t, err := e.tableOf(keyspace, parsed)
	if err != nil {
		return nil, err
	}
	s, err := resolve(cql, parsed, p.markers, t)
	if err != nil {
		return nil, err
	}
	if t != nil {
		s.changes = t.changes
	}
	e.statements[key] = s
	return s, nil
}

// lexed takes a text apart, once for all keyspaces.
func (e *engine) lexed(cql string) ([]token, error) {
	if known := e.tokens[cql]; known != nil {
		return known, nil
	}
	tokens, err := lex(cql)
	if err == nil {
		e.tokens[cql] = tokens
	}
	return tokens, err
}

// syntaxError is what the node answers with code SyntaxError. It names the text.
type syntaxError struct{ message string }

func (e syntaxError) Error() string { return e.message }

// tableOf returns nil for a definition.
func (e *engine) tableOf(keyspace string, parsed any) (*table, error) {
	switch s := parsed.(type) {
	case *selection:
		return e.table(s.from.in(keyspace))
	case *modification:
		return e.table(s.table.in(keyspace))
	}
	return nil, nil
}

func (n name) in(keyspace string) name {
	if n.keyspace == "" {
		n.keyspace = keyspace
	}
	return n
}

func (e *engine) table(n name) (*table, error) {
	if v, known := e.virtual[n]; known {
		return e.current(v), nil
	}
	if n.keyspace == "" {
		return nil, invalid("No keyspace has been specified")
	}
	k, known := e.keyspaces[n.keyspace]
	if !known {
		return nil, invalid("keyspace %s does not exist", n.keyspace)
	}
	t, known := k.tables[n.table]
	if !known {
		return nil, invalid("table %s does not exist", n.table)
	}
	return t, nil
}

// request is a statement with its values.
type request struct {
	keyspace, cql string
	values        [][]byte
	timestamp     int64 // by default; never: the node's
	pageSize      int
	paging        []byte
}

// change is what became of the schema. Its table is empty where it is the keyspace's.
type change struct{ what, keyspace, table string }

// outcome is the answer to a request: rows, a change of the schema, a keyspace to use, or nothing.
type outcome struct {
	rows     *rows
	change   *change
	keyspace string
}

// execute executes one statement.
func (e *engine) execute(q request) (outcome, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.statement(q.keyspace, q.cql)
	if err != nil {
		return outcome{}, err
	}
	if len(q.values) != len(s.variables) {
		return outcome{}, invalid("Invalid amount of bind variables: %d for %s", len(q.values), q.cql)
	}
	switch s.parsed.(type) {
	case *selection:
		found, err := e.read(s, arguments{q.values, e.clock()}, q.pageSize, q.paging)
		return outcome{rows: found}, err
	case *modification:
		found, err := e.write([]request{q}, false)
		return outcome{rows: found}, err
	}
	if b, is := s.parsed.(*writtenBatch); is {
		found, err := e.written(q, b)
		return outcome{rows: found}, err
	}
	return e.define(q.keyspace, s.parsed)
}

// batch executes writes together.
func (e *engine) batch(all []request) (outcome, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	found, err := e.write(all, true)
	return outcome{rows: found}, err
}

// written executes a batch that is one text.
func (e *engine) written(q request, b *writtenBatch) (*rows, error) {
	var all proposal
	now := e.clock()
	for _, m := range b.parts {
		t, err := e.tableOf(q.keyspace, m)
		if err != nil {
			return nil, err
		}
		s, err := resolve(q.cql, m, 0, t)
		if err != nil {
			return nil, err
		}
		w, err := newWrite(s, arguments{now: now}, q.at(now))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return e.carryOut(all, true)
}

// at is the write time where the statement has none of its own.
func (q request) at(now time.Time) int64 {
	if q.timestamp == never {
		return now.UnixMicro()
	}
	return q.timestamp
}

func (e *engine) write(requests []request, batch bool) (*rows, error) {
	var all proposal
	now := e.clock()
	for _, q := range requests {
		s, err := e.statement(q.keyspace, q.cql)
		if err != nil {
			return nil, err
		}
		if _, is := s.parsed.(*modification); !is || len(q.values) != len(s.variables) {
			return nil, invalid("%s with %d values is no part of a batch", q.cql, len(q.values))
		}
		w, err := newWrite(s, arguments{q.values, now}, q.at(now))
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return e.carryOut(all, batch)
}

func (e *engine) carryOut(all proposal, batch bool) (*rows, error) {
	if slices.ContainsFunc(all, func(w *write) bool { return w.conditional() }) {
		return e.propose(all, batch)
	}
	if err := all.fits(); err != nil {
		return nil, err
	}
	return nil, all.apply()
}

// fits refuses a batch over several partitions that is too large.
func (all proposal) fits() error {
	size, partitions := 0, map[string]bool{}
	for _, w := range all {
		size += w.size()
		partitions[w.table().keyspace+"."+w.table().name+" "+raw(w.key)] = true
	}
	if len(partitions) > 1 && size > maxBatchBytes {
		return invalid("Batch too large")
	}
	return nil
}

func (all proposal) apply() error {
	for _, w := range all {
		if err := w.apply(); err != nil {
			return err
		}
	}
	return nil
}

// propose carries out a conditional write. Its write time is its ballot's, which is later than
// that of any before.
func (e *engine) propose(all proposal, batch bool) (*rows, error) {
	if err := all.check(); err != nil {
		return nil, err
	}
	p := all[0].table().partition(all[0].key)
	passes, err := all.passes(p)
	if err != nil {
		return nil, err
	}
	if !passes {
		return all.refused(p, batch), nil
	}
	e.ballot = max(e.ballot+1, e.clock().UnixMicro())
	for _, w := range all {
		w.at, w.hides = e.ballot, e.ballot-1
	}
	return applied(all[0].table()), all.apply()
}

// define changes the schema.
func (e *engine) define(keyspace string, parsed any) (outcome, error) {
	c, err := e.changed(keyspace, parsed)
	if c != nil {
		e.generation++
	}
	o := outcome{change: c}
	if u, is := parsed.(*use); is && err == nil {
		o.keyspace = u.keyspace
	}
	return o, err
}

func (e *engine) changed(keyspace string, parsed any) (*change, error) {
	switch s := parsed.(type) {
	case *createKeyspace:
		return e.createKeyspace(s)
	case *dropKeyspace:
		return e.dropKeyspace(s)
	case *createTable:
		s.name = s.name.in(keyspace)
		return e.createTable(s)
	case *alterTable:
		return e.alterTable(s, s.name.in(keyspace))
	case *dropTable:
		return e.dropTable(s, s.name.in(keyspace))
	case *truncate:
		t, err := e.table(s.name.in(keyspace))
		if err == nil {
			t.empty()
		}
		return nil, err
	case *use:
		if _, known := e.keyspaces[s.keyspace]; !known {
			return nil, invalid("Keyspace '%s' does not exist", s.keyspace)
		}
		return nil, nil
	}
	return nil, fmt.Errorf("%T is not executed here", parsed)
}

func (e *engine) createKeyspace(s *createKeyspace) (*change, error) {
	if _, known := e.keyspaces[s.name]; known {
		if s.ifAbsent {
			return nil, nil
		}
		return nil, existsError{keyspace: s.name}
	}
	e.keyspaces[s.name] = &keyspace{name: s.name, replication: s.replication, tables: map[string]*table{}}
	return &change{"CREATED", s.name, ""}, nil
}

// existsError is what the node answers with code AlreadyExists.
type existsError struct{ keyspace, table string }

func (e existsError) Error() string { return e.keyspace + "." + e.table + " exists already" }

func (e *engine) dropKeyspace(s *dropKeyspace) (*change, error) {
	if _, known := e.keyspaces[s.name]; !known {
		if s.ifExists {
			return nil, nil
		}
		return nil, invalid("Keyspace '%s' doesn't exist", s.name)
	}
	delete(e.keyspaces, s.name)
	maps.DeleteFunc(e.statements, func(_ [2]string, of *statement) bool { return of.table != nil && of.table.keyspace == s.name })
	return &change{"DROPPED", s.name, ""}, nil
}

func (e *engine) createTable(s *createTable) (*change, error) {
	k, known := e.keyspaces[s.name.keyspace]
	if !known {
		return nil, invalid("Keyspace '%s' doesn't exist", s.name.keyspace)
	}
	if k.tables[s.name.table] != nil {
		if s.ifAbsent {
			return nil, nil
		}
		return nil, existsError{s.name.keyspace, s.name.table}
	}
	t, err := newTable(k.name, s)
	if err != nil {
		return nil, err
	}
	k.tables[t.name] = t
	return &change{"CREATED", k.name, t.name}, nil
}

func (e *engine) alterTable(s *alterTable, n name) (*change, error) {
	t, err := e.table(n)
	if err != nil {
		return nil, err
	}
	for _, d := range s.add {
		if s.ifAbsent && t.column(d.name) != nil {
			continue
		}
		if err := t.add(d); err != nil {
			return nil, err
		}
	}
	if s.drop != "" {
		err = t.drop(s.drop)
	}
	return &change{"UPDATED", t.keyspace, t.name}, err
}

func (e *engine) dropTable(s *dropTable, n name) (*change, error) {
	t, err := e.table(n)
	if err != nil {
		if s.ifExists {
			return nil, nil
		}
		return nil, err
	}
	delete(e.keyspaces[n.keyspace].tables, t.name)
	return &change{"DROPPED", n.keyspace, n.table}, nil
}
