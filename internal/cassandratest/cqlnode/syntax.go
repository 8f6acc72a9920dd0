package cqlnode

// name is of a table. The keyspace is empty where it is the connection's.
type name struct{ keyspace, table string }

// term is a value as a statement has it.
type term struct {
	form   form
	text   string // of a literal; a function's name
	marker int    // which of the statement's markers, from 0
	items  []term // of a list or set in the text; a function's arguments
}

type form int

const (
	aMarker form = iota
	aNull
	aText
	aNumber
	aUUID
	aBlob
	aBoolean
	aList
	aFunction
)

// relation is a condition on columns: of WHERE, or of IF.
type relation struct {
	columns  []string // several of a tuple, or of a token
	ofToken  bool
	tuple    bool
	operator string // = < <= > >= IN
	values   []term // of a tuple or of IN (…), several
}

// selection is a SELECT.
type selection struct {
	from     name
	distinct bool
	all      bool // *
	json     bool // each row as a text
	columns  []selector
	where    []relation
	order    []ordering
	limit    *term
}

// selector is a column, or a function of it.
type selector struct{ function, column, alias string }

type ordering struct {
	column     string
	descending bool
}

// modification is an INSERT, an UPDATE or a DELETE. An INSERT's keys are in where.
type modification struct {
	verb      string
	table     name
	timestamp *term
	ttl       *term
	sets      []assignment
	columns   []string // that a DELETE names; none: rows
	where     []relation
	absent    bool // IF NOT EXISTS
	exists    bool // IF EXISTS
	ifs       []relation
}

func (m *modification) conditional() bool { return m.absent || m.exists || len(m.ifs) > 0 }

// assignment sets a column, or changes a set by elements.
type assignment struct {
	column  string
	value   term
	adds    bool
	removes bool
}

// writtenBatch is BEGIN … APPLY BATCH.
type writtenBatch struct{ parts []*modification }

type createKeyspace struct {
	name        string
	ifAbsent    bool
	replication map[string]string
}

type createTable struct {
	name         name
	ifAbsent     bool
	columns      []columnDefinition
	partitionKey []string
	clustering   []string
	descending   map[string]bool
	ttl          int
}

type columnDefinition struct {
	name   string
	typ    dataType
	static bool
}

type alterTable struct {
	name     name
	ifAbsent bool
	add      []columnDefinition
	drop     string
}

type dropTable struct {
	name     name
	ifExists bool
}

type dropKeyspace struct {
	name     string
	ifExists bool
}

type truncate struct{ name name }

type use struct{ keyspace string }
