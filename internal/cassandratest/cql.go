package cassandratest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Just enough of the native protocol, version 4, to ask a node how it is:
// https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec
const (
	protocolRequest  = 0x04
	protocolResponse = 0x84
	headerLen        = 9
	maxBody          = 1 << 20

	opError        = 0x00
	opStartup      = 0x01
	opReady        = 0x02
	opAuthenticate = 0x03
	opQuery        = 0x07
	opResult       = 0x08

	consistencyOne = 0x0001
	consistencyAll = 0x0005
)

// attemptLimit is how long one connection may take to answer all its
// requests. A node that is paused or starting may never answer.
const attemptLimit = 3 * time.Second

// conn is one connection that did STARTUP.
type conn struct {
	net  net.Conn
	auth bool // the node wants credentials, so it answers no queries
}

// dial connects to host ("ip:port") and starts up.
func dial(ctx context.Context, host string) (*conn, error) {
	d := net.Dialer{Timeout: attemptLimit}
	nc, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(attemptLimit)
	if limit, ok := ctx.Deadline(); ok && limit.Before(deadline) {
		deadline = limit
	}
	c := &conn{net: nc}
	if err := nc.SetDeadline(deadline); err != nil {
		c.close()
		return nil, err
	}
	op, _, err := c.request(opStartup, startupBody())
	if err == nil && op != opReady && op != opAuthenticate {
		err = fmt.Errorf("answered STARTUP with opcode %#02x", op)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	c.auth = op == opAuthenticate
	return c, nil
}

func (c *conn) close() { _ = c.net.Close() }

// ping returns nil if host takes CQL connections.
func ping(ctx context.Context, host string) error {
	c, err := dial(ctx, host)
	if err != nil {
		return err
	}
	c.close()
	return nil
}

// query returns the body of the RESULT. Of a single row with a single column,
// that value is the body's end.
func (c *conn) query(cql string, consistency uint16) ([]byte, error) {
	body := binary.BigEndian.AppendUint32(nil, uint32(len(cql)))
	body = append(body, cql...)
	body = binary.BigEndian.AppendUint16(body, consistency)
	body = append(body, 0) // no flags: no values, no paging
	op, result, err := c.request(opQuery, body)
	if err != nil {
		return nil, err
	}
	if op != opResult {
		return nil, fmt.Errorf("answered %q with opcode %#02x", cql, op)
	}
	return result, nil
}

// last returns the last n bytes of the RESULT of cql, read at ONE.
func (c *conn) last(cql string, n int) ([]byte, error) {
	body, err := c.query(cql, consistencyOne)
	if err != nil {
		return nil, err
	}
	if len(body) < n {
		return nil, fmt.Errorf("answered %q with %d bytes", cql, len(body))
	}
	return body[len(body)-n:], nil
}

// request sends one frame and reads one. An ERROR frame becomes an error.
func (c *conn) request(op byte, body []byte) (answer byte, result []byte, err error) {
	frame := []byte{protocolRequest, 0, 0, 0, op}
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(body)))
	if _, err := c.net.Write(append(frame, body...)); err != nil {
		return 0, nil, err
	}
	var header [headerLen]byte
	if _, err := io.ReadFull(c.net, header[:]); err != nil {
		return 0, nil, err
	}
	if header[0] != protocolResponse {
		return 0, nil, errors.New("answered in something else than CQL's protocol 4")
	}
	length := binary.BigEndian.Uint32(header[5:])
	if length > maxBody {
		return 0, nil, fmt.Errorf("answered with %d bytes", length)
	}
	result = make([]byte, length)
	if _, err := io.ReadFull(c.net, result); err != nil {
		return 0, nil, err
	}
	if header[4] == opError {
		return opError, nil, errorOf(result)
	}
	return header[4], result, nil
}

// startupBody is a [string map] of one entry.
func startupBody() []byte {
	body := binary.BigEndian.AppendUint16(nil, 1)
	body = appendString(body, "CQL_VERSION")
	return appendString(body, "3.0.0")
}

func appendString(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
}

// errorOf reads an ERROR's body: [int] code, [string] message, more.
func errorOf(body []byte) error {
	if len(body) < 6 {
		return errors.New("answered with an ERROR cut short")
	}
	code, message := binary.BigEndian.Uint32(body), body[6:]
	n := min(len(message), int(binary.BigEndian.Uint16(body[4:])))
	return fmt.Errorf("error %#04x: %s", code, message[:n])
}
