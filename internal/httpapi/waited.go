package httpapi

import (
	"context"
	"net"
	"syscall"
	"time"
)

// A server that has more to do than it can does not notice by itself: requests wait in the
// sockets and in the scheduler's queue until a goroutine comes to read them, and each is
// then executed in no time, however late. When the request came shows it.

// crowd is how many connections never have a request refused for having waited: twice the
// 64 that meet no limit, for those that were closed just now may still be counted.
const crowd = 128

type connectionKey struct{}

// ConnContext is for [http.Server].ConnContext: requests then know what they came on.
func (c *Connections) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// waited returns how long a request's last bytes have waited to be read, where there are
// many connections; 0 where there are few, or where the system does not say.
func waited(ctx context.Context) time.Duration {
	conn, ok := ctx.Value(connectionKey{}).(*counted)
	if !ok || !conn.listener.crowded() {
		return 0
	}
	inner := conn.Conn
	if proxied, ok := inner.(interface{ Raw() net.Conn }); ok {
		inner = proxied.Raw()
	}
	socket, ok := inner.(syscall.Conn)
	if !ok {
		return 0
	}
	return sinceReceived(socket)
}

func (c *Connections) crowded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all > crowd
}
