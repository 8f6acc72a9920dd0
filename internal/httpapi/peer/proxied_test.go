package peer

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listening returns a listener on loopback that trusts some, and what dials it.
func listening(t *testing.T, trusted Proxies, patience time.Duration) (net.Listener, func() net.Conn) {
	t.Helper()
	var config net.ListenConfig
	inner, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := trusted.Listen(inner, patience)
	t.Cleanup(func() { _ = p.Close() })
	return p, func() net.Conn {
		t.Helper()
		var dialer net.Dialer
		conn, err := dialer.DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

var loopback = Proxies{netip.MustParsePrefix("127.0.0.0/8")}

func TestProxied(t *testing.T) {
	t.Parallel()
	source := &net.TCPAddr{IP: net.ParseIP("2001:db8::7"), Port: 4711}
	second, err := proxyproto.HeaderProxyFromAddrs(2, source, &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 443}).Format()
	if err != nil {
		t.Fatal(err)
	}
	local, err := (&proxyproto.Header{Version: 2, Command: proxyproto.LOCAL, TransportProtocol: proxyproto.UNSPEC}).Format()
	if err != nil {
		t.Fatal(err)
	}
	const request = "GET / HTTP/1.1\r\n"
	for name, c := range map[string]struct {
		trusted        Proxies
		sent           string
		client, passes string
	}{
		"the first version":        {loopback, "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n" + request, "203.0.113.9", request},
		"the second":               {loopback, string(second) + request, "2001:db8::7", request},
		"the proxy's own question": {loopback, string(local) + request, "127.0.0.1", request},
		"of an unknown kind":       {loopback, "PROXY UNKNOWN\r\n" + request, "127.0.0.1", request},
		"of one that is not trusted": {nil, "PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n" + request, "127.0.0.1",
			"PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n" + request},
	} {
		t.Run(name, func(t *testing.T) {
			p, dial := listening(t, c.trusted, time.Minute)
			client := dial()
			send(t, client, c.sent)
			conn, err := p.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if got, _ := Parse(conn.RemoteAddr().String()); got.String() != c.client {
				t.Errorf("%s, not %s", got, c.client)
			}
			send(t, client, "later")
			want := c.passes + "later"
			got := make([]byte, len(want))
			if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}

// A trusted proxy's connection without a header can't be read, nor one whose header does not come in time, which
// keeps no other waiting.
func TestProxiedWithoutHeaders(t *testing.T) {
	t.Parallel()
	accepted := func(p net.Listener) net.Conn {
		conn, err := p.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	p, dial := listening(t, loopback, time.Minute)
	send(t, dial(), "PROXY TCP4 ")
	silent := accepted(p)
	send(t, dial(), "GET / HTTP/1.1\r\n\r\n")
	if n, err := accepted(p).Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("it is read without a header")
	}
	ended := make(chan error)
	go func() {
		_, err := silent.Read(make([]byte, 1))
		ended <- err
	}()
	_ = silent.Close()
	if <-ended == nil {
		t.Error("it is read without the rest of its header")
	}
	p, dial = listening(t, loopback, time.Millisecond)
	dial()
	if _, err := accepted(p).Read(make([]byte, 1)); err == nil {
		t.Error("its header is waited for too long")
	}
}
