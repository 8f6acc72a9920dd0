package cassandratest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/cassandratest/cqlnode"
)

// RequireEnv, set to "require", lets tests launch a Cassandra, and makes them fail rather than skip
// where there is none. With "everywhere" each test that needs a node of any kind has a Cassandra,
// and not those alone for which [OnNode] was called.
const RequireEnv = "BROADSHEET_TEST_CASSANDRA"

const everywhere = "everywhere"

// required reports whether RequireEnv says so.
func required() bool {
	value := os.Getenv(RequireEnv)
	return value == "require" || value == everywhere
}

// shared is the node that Hosts launches, at most one a process. It ends with
// the process, and the next Start removes what it leaves on disk.
var shared = sync.OnceValues(func() (*Cluster, error) {
	return Start(context.Background(), Options{})
})

// double is the node in this process that stands in for a Cassandra.
var double = sync.OnceValues(func() (*cqlnode.Node, error) {
	ips, err := freeIPs(1)
	if err != nil {
		return nil, err
	}
	return cqlnode.Start(net.JoinHostPort(ips[0], "0"))
})

// Hosts returns the address, "ip:port", of a node that t may use along with other tests, so t makes
// a keyspace of its own and drops it. It is a double in this process, package cqlnode. For a test
// of which [OnNode] was called it is a Cassandra, where there is one: that which HostsEnv names, or
// one that is launched where RequireEnv says so.
//
// Both end with the process; a test that looks for leaked goroutines has to let them pass.
func Hosts(t testing.TB) []string {
	t.Helper()
	hosts, err := hostsFor(t)
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}

// OnNode runs t, and the tests below it, on a Cassandra where there is one, and elsewhere on a
// double as every other test. It is for what a double can't show: that a node takes a statement,
// what it makes of write times, conditions and deleted rows, how it pages, how it changes a schema.
// It is called before [Hosts].
func OnNode(t testing.TB) { onNode.Store(t.Name(), true) }

// onNode has the names of the tests for which OnNode was called.
var onNode sync.Map

// asked reports whether OnNode was called for t or a test that it is below. A benchmark of a double would say nothing.
func asked(t testing.TB) bool {
	if _, measures := t.(*testing.B); measures {
		return true
	}
	for name := t.Name(); ; {
		if _, found := onNode.Load(name); found {
			return true
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 {
			return false
		}
		name = name[:end]
	}
}

// Real is [OnNode] for a test that a double is not enough for: it is skipped there. why says what
// a double lacks.
func Real(t testing.TB, why string) {
	t.Helper()
	OnNode(t)
	if Doubled(t) {
		t.Skipf("left out: %s needs a real Cassandra, for %s. `make test` runs it, so does %s=ip:port,… of a cluster for tests", t.Name(), why, HostsEnv)
	}
}

// Doubled reports whether [Hosts] is a double. It answers faster than a node, so less of what runs
// at once shares statements.
func Doubled(t testing.TB) bool {
	if os.Getenv(RequireEnv) == everywhere {
		return false
	}
	return !asked(t) || os.Getenv(HostsEnv) == "" && !required()
}

// hostsFor is Hosts.
func hostsFor(t testing.TB) ([]string, error) {
	if Doubled(t) {
		n, err := double()
		if err != nil {
			return nil, err
		}
		return []string{n.Host()}, nil
	}
	if os.Getenv(HostsEnv) != "" {
		return externalHosts()
	}
	c, err := shared()
	if err != nil {
		return nil, err
	}
	return c.Hosts(), nil
}

// Launch starts a cluster for t alone, and closes it when t ends. It skips t
// unless RequireEnv is "require". With that it fails t where nodes can't be
// launched as processes, which killing and pausing needs; but where HostsEnv
// names a cluster instead it skips t, which can't be had there. It waits for
// its turn: of all the tests of a machine one has launched a cluster, whose
// nodes would starve beside those of others.
func Launch(t testing.TB, o Options) *Cluster {
	t.Helper()
	if !required() {
		t.Skipf("left out: what %s does to nodes of its own. `make test` runs it", t.Name())
	}
	awaitTurn(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := javaPath(ctx); err != nil {
		if os.Getenv(HostsEnv) != "" {
			t.Skipf("left out: what %s does to nodes of its own, which %s doesn't give: install Java 17 or 21 (%v)", t.Name(), HostsEnv, err)
		}
		t.Fatalf("%s needs nodes of its own: install Java 17 or 21 (%v)", t.Name(), err)
	}
	c, err := Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// awaitTurn returns when no other test has launched a cluster; t's end is the next one's turn.
func awaitTurn(t testing.TB) {
	t.Helper()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("%slaunch.%d.lock", workPrefix, os.Getuid()))
	turn, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		t.Cleanup(func() { _ = turn.Close() })
		err = lock(turn)
	}
	if err != nil {
		t.Fatal(err)
	}
}
