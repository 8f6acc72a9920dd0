package measure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"
)

// connections are those of one server. A caller writes its request and reads the answer
// itself, where [http.Transport] has two goroutines for each connection: what the generator
// takes of the machine, the server doesn't get.
type connections struct{ idle chan *connection }

func newConnections(n int) *connections { return &connections{make(chan *connection, n)} }

type connection struct {
	net.Conn
	reader *bufio.Reader
	writer *bufio.Writer
	answer bytes.Buffer
}

// do makes a request, and calls read with the answer, which is gone afterwards.
func (c *connections) do(request *http.Request, read func(status int, answer []byte) error) error {
	one, err := c.take(request)
	if err != nil {
		return err
	}
	response, err := one.exchange(request)
	if err != nil {
		return errors.Join(err, one.Close())
	}
	err = read(response.StatusCode, one.answer.Bytes())
	if response.Close {
		return errors.Join(err, one.Close())
	}
	c.put(one)
	return err
}

// exchange sends a request and receives the answer.
func (c *connection) exchange(request *http.Request) (*http.Response, error) {
	if err := c.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return nil, err
	}
	if err := request.Write(c.writer); err != nil {
		return nil, err
	}
	if err := c.writer.Flush(); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, request)
	if err != nil {
		return nil, err
	}
	c.answer.Reset()
	_, err = c.answer.ReadFrom(response.Body)
	err = errors.Join(err, response.Body.Close())
	return response, err
}

// take returns a connection that is not in use, or a new one.
func (c *connections) take(request *http.Request) (*connection, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	select {
	case one := <-c.idle:
		return one, nil
	default:
	}
	to := request.URL
	var dialer interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	} = &net.Dialer{}
	port := "80"
	if to.Scheme == "https" {
		dialer, port = &tls.Dialer{}, "443"
	}
	conn, err := dialer.DialContext(request.Context(), "tcp", net.JoinHostPort(to.Hostname(), cmp.Or(to.Port(), port)))
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), writer: bufio.NewWriter(conn)}, nil
}

func (c *connections) put(one *connection) {
	select {
	case c.idle <- one:
	default:
		_ = one.Close()
	}
}

// close closes those that are not in use.
func (c *connections) close() {
	for {
		select {
		case one := <-c.idle:
			_ = one.Close()
		default:
			return
		}
	}
}
