package cqlnode

import (
	"errors"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

func valuesOf(all []*primitive.Value) (values [][]byte) {
	for _, v := range all {
		values = append(values, v.Contents)
	}
	return values
}

func columnsOf(keyspace, table string, all []variable) (columns []*message.ColumnMetadata) {
	for _, v := range all {
		columns = append(columns, &message.ColumnMetadata{Keyspace: keyspace, Table: table, Name: v.name, Type: v.typ.wire()})
	}
	return columns
}

// describe tells what a statement takes and what it returns.
func (e *engine) describe(keyspace, cql string) (variables, columns []*message.ColumnMetadata, keys []uint16, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.statement(keyspace, cql)
	if err != nil || s.table == nil {
		return nil, nil, nil, err
	}
	variables = columnsOf(s.table.keyspace, s.table.name, s.variables)
	if parsed, is := s.parsed.(*selection); is {
		r := &reading{selection: parsed, statement: s}
		r.describe()
		columns = columnsOf(s.table.keyspace, s.table.name, r.found.columns)
	}
	return variables, columns, s.keyMarkers, nil
}

func (r *rows) result() message.Message {
	columns := columnsOf(r.keyspace, r.table, r.columns)
	return &message.RowsResult{
		Metadata: &message.RowsMetadata{ColumnCount: int32(len(columns)), Columns: columns, PagingState: r.paging},
		Data:     r.data,
	}
}

func (c *change) result() *message.SchemaChangeResult {
	r := &message.SchemaChangeResult{ChangeType: primitive.SchemaChangeType(c.what), Target: primitive.SchemaChangeTargetKeyspace, Keyspace: c.keyspace}
	if c.table != "" {
		r.Target, r.Object = primitive.SchemaChangeTargetTable, c.table
	}
	return r
}

func errorOf(err error) message.Message {
	var syntax syntaxError
	var refused invalidError
	var exists existsError
	switch {
	case errors.As(err, &syntax):
		return &message.SyntaxError{ErrorMessage: syntax.message}
	case errors.As(err, &refused):
		return &message.Invalid{ErrorMessage: refused.message}
	case errors.As(err, &exists):
		return &message.AlreadyExists{ErrorMessage: exists.Error(), Keyspace: exists.keyspace, Table: exists.table}
	}
	return &message.ServerError{ErrorMessage: err.Error()}
}
