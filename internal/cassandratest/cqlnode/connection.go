package cqlnode

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/frame"
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
)

const version = primitive.ProtocolVersion4

// connection serves one client. Requests are executed one after the other; their answers may
// overtake each other.
type connection struct {
	node       *Node
	socket     net.Conn
	codec      frame.Codec
	keyspace   string
	registered atomic.Bool // for changes of the schema
	writing    sync.Mutex
}

func newConnection(n *Node, socket net.Conn) *connection {
	return &connection{node: n, socket: socket, codec: frame.NewCodec()}
}

func (c *connection) close() { _ = c.socket.Close() }

func (c *connection) serve() {
	defer c.close()
	in := bufio.NewReaderSize(c.socket, 64<<10)
	for {
		f, err := c.codec.DecodeFrame(in)
		var old *frame.ProtocolVersionErr
		if errors.As(err, &old) {
			c.answer(0, &message.ProtocolError{ErrorMessage: "Invalid or unsupported protocol version; the lowest supported version is 4 and the greatest is 4"})
		}
		if err != nil {
			return
		}
		c.handle(f.Header.StreamId, f.Body.Message)
	}
}

// answer sends a message. Where the client is gone nothing happens.
func (c *connection) answer(stream int16, m message.Message) {
	var b bytes.Buffer
	if err := c.codec.EncodeFrame(frame.NewFrame(version, stream, m), &b); err != nil {
		b.Reset()
		_ = c.codec.EncodeFrame(frame.NewFrame(version, stream, &message.ServerError{ErrorMessage: err.Error()}), &b)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.socket.Write(b.Bytes())
}

func (c *connection) handle(stream int16, m message.Message) {
	switch m := m.(type) {
	case *message.Options:
		c.answer(stream, &message.Supported{Options: map[string][]string{"CQL_VERSION": {"3.4.7"}, "COMPRESSION": {}}})
	case *message.Startup:
		c.answer(stream, &message.Ready{})
	case *message.Register:
		c.registered.Store(true)
		c.answer(stream, &message.Ready{})
	case *message.Prepare:
		c.answer(stream, c.prepare(m.Query))
	case *message.Query:
		c.execute(stream, []request{{keyspace: c.keyspace, cql: m.Query}}, m.Options)
	case *message.Execute:
		q, known := c.node.preparedBy(m.QueryId)
		if !known {
			c.answer(stream, &message.Unprepared{ErrorMessage: "no such prepared statement", Id: m.QueryId})
			return
		}
		c.execute(stream, []request{q}, m.Options)
	case *message.Batch:
		c.batch(stream, m)
	default:
		c.answer(stream, &message.ProtocolError{ErrorMessage: "a message that is not known here"})
	}
}

func (c *connection) prepare(cql string) message.Message {
	variables, columns, keys, err := c.node.engine.describe(c.keyspace, cql)
	if err != nil {
		return errorOf(err)
	}
	return &message.PreparedResult{
		PreparedQueryId:   c.node.prepare(c.keyspace, cql),
		VariablesMetadata: &message.VariablesMetadata{PkIndices: keys, Columns: variables},
		ResultMetadata:    &message.RowsMetadata{ColumnCount: int32(len(columns)), Columns: columns},
	}
}

// execute makes one statement, with its options.
func (c *connection) execute(stream int16, all []request, o *message.QueryOptions) {
	q := &all[0]
	q.timestamp = never
	if o.DefaultTimestamp != nil {
		q.timestamp = *o.DefaultTimestamp
	}
	q.values, q.pageSize, q.paging = valuesOf(o.PositionalValues), int(o.PageSize), o.PagingState
	c.run(stream, newStatement(all, o.Consistency), func() (outcome, error) { return c.node.engine.execute(*q) })
}

func (c *connection) batch(stream int16, m *message.Batch) {
	var all []request
	for _, child := range m.Children {
		q, known := c.node.preparedBy(child.Id)
		if !known && child.Query == "" {
			c.answer(stream, &message.Unprepared{ErrorMessage: "no such prepared statement", Id: child.Id})
			return
		}
		if child.Query != "" {
			q = request{keyspace: c.keyspace, cql: child.Query}
		}
		q.timestamp = never
		if m.DefaultTimestamp != nil {
			q.timestamp = *m.DefaultTimestamp
		}
		q.values = valuesOf(child.Values)
		all = append(all, q)
	}
	c.run(stream, newStatement(all, m.Consistency), func() (outcome, error) { return c.node.engine.batch(all) })
}

// run executes a statement, or what its fault leaves of it.
func (c *connection) run(stream int16, s Statement, execute func() (outcome, error)) {
	of := fate{apply: true}
	if !s.ofSystem() {
		var arrived func()
		if of, arrived = c.node.faulty.meet(s); arrived != nil {
			arrived()
		}
	}
	var m message.Message
	if of.apply {
		m = c.outcome(execute())
	}
	if of.later {
		c.node.faulty.hold(func() { _, _ = execute() })
	}
	if of.answer != nil {
		m = of.answer
	}
	switch {
	case of.cut:
		c.close()
	case of.pause > 0:
		time.AfterFunc(of.pause, func() { c.answer(stream, m) })
	default:
		c.answer(stream, m)
	}
}

// ofSystem reports whether it is no statement on the tests' tables: it changes the schema, or reads
// what the system says.
func (s Statement) ofSystem() bool {
	cql := strings.TrimSpace(s.CQL[0])
	verb, _, _ := strings.Cut(cql, " ")
	return !strings.Contains("SELECT INSERT UPDATE DELETE", verb) || strings.Contains(strings.ToLower(cql), "from system")
}

func (c *connection) outcome(o outcome, err error) message.Message {
	switch {
	case err != nil:
		return errorOf(err)
	case o.change != nil:
		defer c.node.tell(o.change)
		return o.change.result()
	case o.keyspace != "":
		c.keyspace = o.keyspace
		return &message.SetKeyspaceResult{Keyspace: o.keyspace}
	case o.rows != nil:
		return o.rows.result()
	}
	return &message.VoidResult{}
}

func (c *connection) tell(of *change) {
	if !c.registered.Load() {
		return
	}
	r := of.result()
	go c.answer(-1, &message.SchemaChangeEvent{ChangeType: r.ChangeType, Target: r.Target, Keyspace: r.Keyspace, Object: r.Object})
}
