package cluster

import (
	"context"
	"log"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

const (
	defaultPort = 9042

	// ConnectionsPerHost shares the work of decoding: one connection carries thousands of requests at once.
	ConnectionsPerHost = 2

	// reconnectEvery is how soon a node that others said was down is tried again. The driver
	// also hears of it from them, but waits 10 s then.
	reconnectEvery = time.Second

	// timeoutsOfAConnection is after how many statements without an answer the driver closes a connection, where there
	// is no other node to tell that this one hangs. The heartbeat would take most of a minute to notice.
	timeoutsOfAConnection = 3
)

// The driver has this setting for the whole process, and off. No configuration of a session has
// it, and connections read it without a lock: it can only be set before there is one.
func init() { gocql.TimeoutLimit = timeoutsOfAConnection }

// cluster returns the driver's configuration for sessions on a keyspace, or where that is empty on none.
func (c Config) cluster(keyspace string) (*gocql.ClusterConfig, error) {
	port, err := portOf(c.Hosts)
	if err != nil {
		return nil, err
	}
	cluster := gocql.NewCluster(c.Hosts...)
	cluster.Port = port
	cluster.Keyspace = keyspace
	cluster.ProtoVersion = 4
	cluster.NumConns = ConnectionsPerHost
	cluster.Consistency = consistencies[c.Consistency]
	cluster.SerialConsistency = serialConsistencies[c.SerialConsistency]
	cluster.Timeout = c.Timeout
	cluster.ConnectTimeout = c.ConnectTimeout
	// Only the code that made a statement knows whether a repetition is harmless.
	cluster.RetryPolicy = nil
	// Waiting for company costs a lone caller more than 1 ms a statement, where a read takes half of that.
	cluster.WriteCoalesceWaitTime = 0
	// One attempt at a time: reconnectEvery brings the next, and a node that
	// does not answer holds up the attempts on the others.
	cluster.ReconnectInterval = reconnectEvery
	cluster.ConvictionPolicy = &acquittal{}
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 1, Interval: time.Millisecond}
	// What the driver reads of the schema when it hears of a change, it reads while it holds what every
	// statement waits for: where the network fails in that moment, it waits for itself, for ever. Nothing here
	// goes by a schema of later than the session's beginning.
	cluster.Events.DisableSchemaEvents = true
	// The first replica in token order is every server's first choice, and so
	// coordinates all conditional writes of a partition.
	others := gocql.RoundRobinHostPolicy()
	if c.Datacenter != "" {
		others = gocql.DCAwareRoundRobinPolicy(c.Datacenter)
		cluster.HostFilter = gocql.DataCentreHostFilter(c.Datacenter)
	}
	cluster.PoolConfig.HostSelectionPolicy = choice{gocql.TokenAwareHostPolicy(others), c.Watch}
	cluster.HostDialer = c.Watch
	if c.Username != "" {
		cluster.AuthProvider = func(*gocql.HostInfo) (gocql.Authenticator, error) { // is called for each connection
			password, err := c.password()
			return gocql.PasswordAuthenticator{Username: c.Username, Password: password}, err
		}
	}
	cluster.Logger = log.New(driverLog{c.Log}, "", 0)
	if c.Received != nil {
		cluster.FrameHeaderObserver = received(c.Received)
	}
	return cluster, nil
}

// acquittal leaves a node that can't be connected to among those that are asked: a statement that would go to it
// has the driver connect again, and goes to the next. To convict a node races with a connection to it that was
// just made: up, but without a pool, it would not be asked again by this process.
type acquittal struct{ gocql.SimpleConvictionPolicy }

// AddFailure is a method of [gocql.ConvictionPolicy].
func (*acquittal) AddFailure(error, *gocql.HostInfo) bool { return false }

// received reports the frames that nodes send.
type received func(bytes int)

// ObserveFrameHeader is called by the driver for each.
func (r received) ObserveFrameHeader(_ context.Context, frame gocql.ObservedFrameHeader) {
	r(int(frame.Length))
}

// portOf returns the one port that all hosts share.
func portOf(hosts []string) (int, error) {
	port := 0
	for _, host := range hosts {
		its := defaultPort
		if _, text, err := net.SplitHostPort(host); err == nil {
			if its, err = strconv.Atoi(text); err != nil || its < 1 || its > 1<<16-1 {
				return 0, blog.Errorf(blog.Invalid, "Cassandra host %q: %q is no port", host, text)
			}
		}
		if port != 0 && port != its {
			return 0, blog.Errorf(blog.Invalid, "the Cassandra hosts %s have different ports: a cluster has one", strings.Join(hosts, ", "))
		}
		port = its
	}
	return port, nil
}

// agreementTimeout is how long the nodes may take to agree on a change of the schema.
const agreementTimeout = 30 * time.Second

// Connect opens a session of the driver on the keyspace. It is for programs that make statements
// of their own. Unavailable: no host answers.
func (c Config) Connect(ctx context.Context) (*gocql.Session, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	cluster, err := c.WithDefaults().cluster(c.WithDefaults().Keyspace)
	if err != nil {
		return nil, err
	}
	cluster.MaxWaitSchemaAgreement = agreementTimeout
	return connect(ctx, cluster)
}

// Session returns a session that makes statements through the driver's, at the consistencies of
// the configuration, which is complete. observer may be nil.
func (c Config) Session(driver *gocql.Session, observer blog.Observer) *cql.Session {
	return cql.NewSession(driver, consistencies[c.Consistency], serialConsistencies[c.SerialConsistency], observer)
}

// connect opens a session. Unavailable: no host answers. Invalid: it does, and refuses for ever. The driver knows no
// context while it connects: a session that comes after the end of ctx is closed.
func connect(ctx context.Context, cluster *gocql.ClusterConfig) (*gocql.Session, error) {
	var session *gocql.Session
	refused := &refusal{}
	cluster.ConnectObserver = refused
	connected := make(chan error)
	go func() {
		err := blog.Safely(func() (err error) { session, err = cluster.CreateSession(); return err })
		select {
		case connected <- err:
		case <-ctx.Done():
			if session != nil {
				session.Close()
			}
		}
	}()
	select {
	case err := <-connected:
		if refusal := refused.Load(); err != nil && refusal != nil {
			return nil, refusal
		}
		if err != nil {
			return nil, &blog.Error{Kind: blog.Unavailable, Message: "the Cassandra cluster can't be reached", Err: err}
		}
		return session, nil
	case <-ctx.Done():
		return nil, cql.Convert(ctx, ctx.Err())
	}
}

// ConnectAnywhere opens a session without a keyspace, to any node, and returns which nodes there are.
func (c Config) ConnectAnywhere(ctx context.Context) (*gocql.Session, Nodes, error) {
	c.Datacenter = ""
	cluster, err := c.cluster("")
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	nodes, counted := Nodes{}, map[string]bool{}
	cluster.NumConns = 1
	cluster.HostFilter = gocql.HostFilterFunc(func(host *gocql.HostInfo) bool {
		mu.Lock()
		defer mu.Unlock()
		if name, id := host.DataCenter(), host.HostID(); name != "" && !counted[id] {
			counted[id] = true
			nodes[name]++
		}
		return true
	})
	cluster.PoolConfig.HostSelectionPolicy = gocql.SingleHostReadyPolicy(gocql.RoundRobinHostPolicy())
	session, err := connect(ctx, cluster)
	mu.Lock()
	defer mu.Unlock()
	return session, maps.Clone(nodes), err
}
