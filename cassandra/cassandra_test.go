package cassandra_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cassandratest"

	"github.com/gocql/gocql"
)

// The tests of this process share one keyspace: the schema takes seconds to create.
var shared struct {
	sync.Mutex
	hosts    []string
	keyspace string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.keyspace != "" {
		if err := drop(shared.hosts, shared.keyspace); err != nil {
			fmt.Fprintln(os.Stderr, "drop the tests' keyspace:", err)
		}
	}
	os.Exit(code)
}

// config returns the configuration of a keyspace that stands, with its schema.
func config(t testing.TB) cassandra.Config {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.keyspace == "" {
		c := freshConfig(t)
		shared.hosts, shared.keyspace = c.Hosts, c.Keyspace
		if err := cassandra.Apply(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
	}
	return cassandra.Config{Hosts: shared.hosts, Keyspace: shared.keyspace}
}

// freshConfig names a keyspace that does not exist.
func freshConfig(t testing.TB) cassandra.Config {
	return cassandra.Config{Hosts: cassandratest.Hosts(t), Keyspace: "test_" + strings.ToLower(rand.Text()), Replication: "1"}
}

func drop(hosts []string, keyspace string) error {
	session, err := admin(hosts)
	if err != nil {
		return err
	}
	defer session.Close()
	return session.Query("DROP KEYSPACE IF EXISTS " + keyspace).Exec()
}

// admin opens a session without a keyspace.
func admin(hosts []string) (*gocql.Session, error) {
	cluster := gocql.NewCluster(hosts...)
	_, port, err := cassandratest.SplitHosts(hosts)
	if err != nil {
		return nil, err
	}
	cluster.Port, cluster.ProtoVersion, cluster.Timeout = port, 4, time.Minute
	return cluster.CreateSession()
}

// newKeyspace makes a keyspace for one test.
func newKeyspace(t testing.TB) cassandra.Config {
	t.Helper()
	c := freshConfig(t)
	t.Cleanup(func() {
		if err := drop(c.Hosts, c.Keyspace); err != nil {
			t.Error(err)
		}
	})
	if err := cassandra.Apply(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB, options blog.Options) *cassandra.Store {
	t.Helper()
	return openConfig(t, config(t), options)
}

func openConfig(t testing.TB, config cassandra.Config, options blog.Options) *cassandra.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store, err := cassandra.Open(ctx, config, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// execute runs statements on a keyspace, which they name as %s.
func execute(t testing.TB, c cassandra.Config, cql ...string) {
	t.Helper()
	session, err := admin(c.Hosts)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, text := range cql {
		if err := session.Query(strings.ReplaceAll(text, "%s", c.Keyspace)).Exec(); err != nil {
			t.Fatal(err)
		}
	}
}
