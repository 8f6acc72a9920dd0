package cql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

func TestConvert(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want blog.Kind
	}{
		{"an error of the domain stays", context.Background(), blog.ErrNoUser(), blog.NotFound},
		{"also where the deadline passed", gone, blog.ErrNoUser(), blog.NotFound},
		{"the deadline passed", gone, gocql.ErrTimeoutNoResponse, blog.Timeout},
		{"a deadline of the driver's own", context.Background(), context.DeadlineExceeded, blog.Unavailable},
		{"a connection that was given up", context.Background(), context.Canceled, blog.Unavailable},
		{"no node is connected", context.Background(), gocql.ErrNoConnections, blog.Unavailable},
		{"no answer", context.Background(), gocql.ErrTimeoutNoResponse, blog.Unavailable},
		{"the connection broke", context.Background(), fmt.Errorf("read: %w", &net.OpError{Op: "read", Err: syscall.ECONNRESET}), blog.Unavailable},
		{"the node died while it was asked", context.Background(), io.EOF, blog.Unavailable},
		{"too few replicas", context.Background(), &gocql.RequestErrUnavailable{}, blog.Unavailable},
		{"a write that timed out", context.Background(), &gocql.RequestErrWriteTimeout{}, blog.Unavailable},
		{"a failure of no known kind", context.Background(), errors.New("gocql: heartbeat failed"), blog.Unavailable},
		{"a value that can't be written", context.Background(), gocql.MarshalError("wrong type"), blog.Internal},
		{"a statement that does not fit its arguments", context.Background(), gocql.ErrQueryArgLength, blog.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Convert(c.ctx, c.err)
			if blog.KindOf(err) != c.want {
				t.Errorf("got %v, want kind %v", err, c.want)
			}
			if !errors.Is(err, c.err) {
				t.Error("the cause is lost")
			}
		})
	}
}
