package cqlnode

import (
	"crypto/md5"
	"net"
	"sync"
	"time"
)

// Node is a server of CQL's native protocol, version 4, in this process. Close it.
type Node struct {
	engine   *engine
	faulty   faulty
	listener net.Listener

	mu          sync.Mutex
	connections map[*connection]bool
	prepared    map[[md5.Size]byte]request
	closed      bool
	serving     sync.WaitGroup
}

// Start begins to serve at an address, "ip:port".
func Start(address string) (*Node, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	n := &Node{
		engine: newEngine(time.Now), listener: l,
		connections: map[*connection]bool{}, prepared: map[[md5.Size]byte]request{},
	}
	n.engine.addSystem(l.Addr().(*net.TCPAddr).IP.To4())
	n.serving.Go(n.accept)
	return n, nil
}

// Host returns the address, "ip:port".
func (n *Node) Host() string { return n.listener.Addr().String() }

// Meet makes others known to the node as its cluster. They share no data.
func (n *Node) Meet(others ...*Node) {
	n.engine.mu.Lock()
	defer n.engine.mu.Unlock()
	for _, other := range others {
		n.engine.peers = append(n.engine.peers, other.listener.Addr().(*net.TCPAddr))
	}
	n.engine.generation++
}

// Close ends every connection. All data is gone.
func (n *Node) Close() error {
	n.mu.Lock()
	n.closed = true
	err := n.listener.Close()
	for c := range n.connections {
		c.close()
	}
	n.mu.Unlock()
	n.serving.Wait()
	return err
}

func (n *Node) accept() {
	for {
		socket, err := n.listener.Accept()
		if err != nil {
			return
		}
		c := newConnection(n, socket)
		n.mu.Lock()
		if n.closed {
			c.close()
		}
		n.connections[c] = true
		n.mu.Unlock()
		n.serving.Go(func() {
			c.serve()
			n.mu.Lock()
			defer n.mu.Unlock()
			delete(n.connections, c)
		})
	}
}

// prepare remembers a text, and returns its id.
func (n *Node) prepare(keyspace, cql string) []byte {
	id := md5.Sum([]byte(keyspace + " " + cql))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.prepared[id] = request{keyspace: keyspace, cql: cql}
	return id[:]
}

func (n *Node) preparedBy(id []byte) (request, bool) {
	if len(id) != md5.Size {
		return request{}, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	q, known := n.prepared[[md5.Size]byte(id)]
	return q, known
}

// tell has every connection that asked for it hear of a change of the schema.
func (n *Node) tell(c *change) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for each := range n.connections {
		each.tell(c)
	}
}
