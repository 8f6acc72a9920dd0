package faultproxy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Native protocol, version 4:
// https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec
const (
	headerLen = 9
	maxBody   = 256 << 20 // the protocol's own bound

	opResult  = 0x08
	opQuery   = 0x07
	opPrepare = 0x09
	opExecute = 0x0A
	opEvent   = 0x0C
	opBatch   = 0x0D

	resultPrepared = 4
	answerBit      = 0x80
	lastVersion    = 4
)

// frame is one message, header and body.
type frame []byte

func readFrame(r io.Reader) (frame, error) {
	var header [headerLen]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, err
	}
	if version := header[0] &^ answerBit; version > lastVersion {
		return nil, fmt.Errorf("faultproxy: protocol version %d, of which it knows nothing", version)
	}
	length := binary.BigEndian.Uint32(header[5:])
	if length > maxBody {
		return nil, fmt.Errorf("faultproxy: a frame of %d bytes", length)
	}
	f := make(frame, headerLen+int(length))
	copy(f, header[:])
	_, err := io.ReadFull(r, f[headerLen:])
	return f, err
}

func (f frame) opcode() byte   { return f[4] }
func (f frame) stream() uint16 { return binary.BigEndian.Uint16(f[2:]) }
func (f frame) body() reader   { return reader(f[headerLen:]) }

// reader takes a body apart. What is cut short reads as empty.
type reader []byte

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(*r) {
		n = len(*r)
	}
	taken := (*r)[:n]
	*r = (*r)[n:]
	return taken
}

func (r *reader) number(bytes int) int {
	n := 0
	for _, b := range r.take(bytes) {
		n = n<<8 | int(b)
	}
	return n
}

func (r *reader) longString() string { return string(r.take(r.number(4))) }
func (r *reader) shortBytes() []byte { return r.take(r.number(2)) }

// value passes over a [value], whose length may be negative: null, or not set.
func (r *reader) value() {
	if n := int32(r.number(4)); n > 0 {
		r.take(int(n))
	}
}

// statements returns the CQL of a request, one text a statement. prepared tells that
// of a prepared one by its id.
func (f frame) statements(prepared func(id []byte) string) []string {
	body := f.body()
	switch f.opcode() {
	case opQuery, opPrepare:
		return []string{body.longString()}
	case opExecute:
		return []string{prepared(body.shortBytes())}
	case opBatch:
		return batched(body, prepared)
	}
	return nil
}

func batched(body reader, prepared func(id []byte) string) []string {
	body.take(1) // logged or not
	all := make([]string, body.number(2))
	for i := range all {
		if body.number(1) == 0 {
			all[i] = body.longString()
		} else {
			all[i] = prepared(body.shortBytes())
		}
		for range body.number(2) {
			body.value()
		}
	}
	return all
}

// preparedID returns the id in the answer to a PREPARE.
func (f frame) preparedID() (id []byte, ok bool) {
	body := f.body()
	if f.opcode() != opResult || body.number(4) != resultPrepared {
		return nil, false
	}
	return body.shortBytes(), true
}

// Request is what a server asks of a node.
type Request struct {
	Node int
	// CQL are the statements, several of a batch. It is empty for what is none.
	CQL []string

	opcode byte
}

// IsStatement reports whether it is a statement of the server's own: not one of the
// driver's, which looks at the cluster and prepares statements beforehand.
func (r Request) IsStatement() bool {
	switch r.opcode {
	case opExecute, opBatch:
		return true
	case opQuery:
		return !r.ofSystem()
	}
	return false
}

// Conditional reports whether it is a conditional write.
func (r Request) Conditional() bool {
	for _, cql := range r.CQL {
		if !strings.HasPrefix(cql, "SELECT") && !strings.HasPrefix(cql, "CREATE") && strings.Contains(cql, " IF ") {
			return true
		}
	}
	return false
}

// Writes reports whether it is a write to a table.
func (r Request) Writes(table string) bool {
	for _, cql := range r.CQL {
		for _, verb := range []string{"INSERT INTO ", "UPDATE ", "DELETE FROM "} {
			if strings.HasPrefix(cql, verb+table+" ") {
				return true
			}
		}
	}
	return false
}

func (r Request) ofSystem() bool {
	return len(r.CQL) == 1 && strings.Contains(strings.ToLower(r.CQL[0]), "from system")
}

func (r Request) String() string { return strings.Join(r.CQL, "; ") }
