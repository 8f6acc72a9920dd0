package cassandratest

import (
	"context"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"broadsheet/cassandra/cassandratest/cqlnode"
)

// RequireEnv, set to "require", lets tests launch a Cassandra, and makes them
// fail rather than skip where there is none.
const RequireEnv = "BROADSHEET_TEST_CASSANDRA"

// required reports whether RequireEnv says so.
func required() bool { return os.Getenv(RequireEnv) == "require" }

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

// Hosts returns the addresses, "ip:port", of a node that t may use along with other tests, so t
// makes a keyspace of its own and drops it. It is a Cassandra where HostsEnv names one, or where
// RequireEnv is "require", for which one is launched; otherwise it is a double in this process,
// package cqlnode.
//
// Both end with the process; a test that looks for leaked goroutines has to let them pass.
func Hosts(t testing.TB) []string {
	t.Helper()
	hosts, err := hostsFor()
	if err == nil && hosts == nil {
		var n *cqlnode.Node
		if n, err = double(); err == nil {
			hosts = []string{n.Host()}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}

// Real skips t where [Hosts] is a double. why says what t needs that a double does not have.
func Real(t testing.TB, why string) {
	t.Helper()
	if Doubled() {
		t.Skipf("left out: %s needs a real Cassandra, for %s. `make test` runs it, so does %s=ip:port,… of a cluster for tests", t.Name(), why, HostsEnv)
	}
}

// Doubled reports whether [Hosts] is a double. It answers faster than a node, so less of what runs
// at once shares statements.
func Doubled() bool { return os.Getenv(HostsEnv) == "" && !required() }

// hostsFor returns no hosts and no error if there is no Cassandra to test with and none is
// required.
func hostsFor() ([]string, error) {
	if os.Getenv(HostsEnv) != "" {
		return externalHosts()
	}
	if !required() {
		return nil, nil
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
// names a cluster instead it skips t, which can't be had there.
func Launch(t testing.TB, o Options) *Cluster {
	t.Helper()
	if !required() {
		t.Skipf("left out: what %s does to nodes of its own. `make test` runs it", t.Name())
	}
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
