package harness

import (
	"io"
	"net"
	"strings"
)

// Connection is one that a test writes to byte by byte.
type Connection struct {
	S *Server
	net.Conn
}

// Connect opens a connection, which is closed when its test ends.
func (s *Server) Connect() Connection {
	s.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { conn.Close() })
	return Connection{s, conn}
}

// Send writes a text, and fails t where that can't be.
func (c Connection) Send(text string) {
	c.S.T.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.S.T.Fatal(err)
	}
}
