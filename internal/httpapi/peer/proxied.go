package peer

import (
	"net"
	"sync"
	"time"

	"github.com/pires/go-proxyproto"
)

// Proxied accepts connections of trusted proxies with the addresses of the clients that they are
// for, by the PROXY protocol. A connection of a trusted proxy that does not begin with its header
// is closed; one of another peer is passed on as it is, whatever it begins with. Make it with
// [NewProxied].
type Proxied struct {
	net.Listener
	trusted  Proxies
	patience time.Duration // with a header

	accepted chan net.Conn
	failed   chan error
	ended    chan struct{} // closed by Close

	mu      sync.Mutex
	waiting map[net.Conn]bool // for their headers; nil once it is closed
}

// NewProxied accepts on a listener, which is closed with it.
func NewProxied(l net.Listener, trusted Proxies, patience time.Duration) *Proxied {
	p := &Proxied{
		Listener: l, trusted: trusted, patience: patience,
		accepted: make(chan net.Conn), failed: make(chan error), ended: make(chan struct{}), waiting: map[net.Conn]bool{},
	}
	go p.run()
	return p
}

// Accept is a method of [net.Listener].
func (p *Proxied) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case err := <-p.failed:
		return nil, err
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// Close is a method of [net.Listener]. Connections whose header has not come are closed, too.
func (p *Proxied) Close() error {
	p.mu.Lock()
	waiting := p.waiting
	p.waiting = nil
	p.mu.Unlock()
	if waiting == nil {
		return net.ErrClosed
	}
	close(p.ended)
	for conn := range waiting {
		_ = conn.Close()
	}
	return p.Listener.Close()
}

// run reads no header itself: a proxy that is slow keeps nothing but its own connection waiting.
func (p *Proxied) run() {
	for {
		conn, err := p.Listener.Accept()
		if err != nil {
			select {
			case p.failed <- err:
				continue // the server asks again where it may pass
			case <-p.ended:
				return
			}
		}
		if from, _ := Parse(conn.RemoteAddr().String()); !p.trusted.Trust(from) {
			p.pass(conn)
		} else if p.await(conn) {
			go p.read(conn)
		}
	}
}

// await notes that a connection's header is waited for.
func (p *Proxied) await(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		_ = conn.Close()
		return false
	}
	p.waiting[conn] = true
	return true
}

func (p *Proxied) read(conn net.Conn) {
	client := proxyproto.NewConn(conn, proxyproto.SetReadHeaderTimeout(p.patience))
	header := client.ProxyHeader()
	p.mu.Lock()
	delete(p.waiting, conn)
	p.mu.Unlock()
	if header == nil {
		_ = conn.Close()
		return
	}
	p.pass(client)
}

func (p *Proxied) pass(conn net.Conn) {
	select {
	case p.accepted <- conn:
	case <-p.ended:
		_ = conn.Close()
	}
}
