// Package testkeyspace gives tests keyspaces of their own on a real Cassandra, and
// drops them afterwards.
package testkeyspace

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cassandratest"

	"github.com/gocql/gocql"
)

// Name returns the configuration of a keyspace that does not exist yet, and drops
// it when t ends. Without a Cassandra t is skipped, or fails where one is required:
// see [cassandratest.Hosts].
func Name(t testing.TB) cassandra.Config {
	t.Helper()
	c := cassandra.Config{
		Hosts:       cassandratest.Hosts(t),
		Keyspace:    "test_" + strings.ToLower(rand.Text()),
		Replication: "1",
	}
	t.Cleanup(func() { Execute(t, c, "DROP KEYSPACE IF EXISTS %s") })
	return c
}

// New makes a keyspace with its schema. It takes some seconds.
func New(t testing.TB) cassandra.Config {
	t.Helper()
	c := Name(t)
	if err := cassandra.Apply(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// Open opens a store, and closes it when t ends.
func Open(t testing.TB, c cassandra.Config, options blog.Options) *cassandra.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store, err := cassandra.Open(ctx, c, options)
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

// Execute runs statements that name the keyspace as %s.
func Execute(t testing.TB, c cassandra.Config, cql ...string) {
	t.Helper()
	_, port, err := cassandratest.SplitHosts(c.Hosts)
	if err != nil {
		t.Fatal(err)
	}
	cluster := gocql.NewCluster(c.Hosts...)
	cluster.Port, cluster.ProtoVersion, cluster.Timeout = port, 4, time.Minute
	session, err := cluster.CreateSession()
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
