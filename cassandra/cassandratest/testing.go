package cassandratest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"
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

// Hosts returns the addresses, "ip:port", of a Cassandra that t may use along
// with other tests, so t makes a keyspace of its own and drops it. Without
// HostsEnv it launches one node for this test process if RequireEnv is
// "require", and skips t otherwise.
//
// The node it launches ends with the process; a test that looks for leaked
// goroutines has to let one pass, which waits for the node.
func Hosts(t testing.TB) []string {
	t.Helper()
	hosts, err := hostsFor()
	if err != nil {
		t.Fatal(err)
	}
	if hosts == nil {
		t.Skipf("left out: what %s shows on a real Cassandra. `make test` runs it, so does %s=ip:port,… of a cluster for tests", t.Name(), HostsEnv)
	}
	return hosts
}

// hostsFor returns no hosts and no error if there is nothing to test with and
// nothing required.
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
	if err := javaUsable(ctx); err != nil {
		if os.Getenv(HostsEnv) != "" {
			t.Skipf("left out: what %s does to nodes of its own, which %s doesn't give: install Java 17 and Maven (%v)", t.Name(), HostsEnv, err)
		}
		t.Fatalf("%s needs nodes of its own: install Java 17 and Maven (%v)", t.Name(), err)
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
