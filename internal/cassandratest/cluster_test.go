package cassandratest

import (
	"context"
	"strings"
	"testing"
	"time"
)

// One node is paused, killed and started again, and has what it acknowledged.
func TestNodeSurvivesItsDeath(t *testing.T) {
	t.Parallel()
	c := Launch(t, Options{})
	n := c.Node(0)
	if n.Host() != c.Hosts()[0] {
		t.Errorf("node 0 is %s, the cluster %v", n.Host(), c.Hosts())
	}
	for _, cql := range []string{
		"CREATE KEYSPACE k WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': 1}",
		"CREATE TABLE k.t (id int PRIMARY KEY, word text)",
		"INSERT INTO k.t (id, word) VALUES (1, 'kept') IF NOT EXISTS",
	} {
		ask(t, n, cql)
	}

	if err := n.Pause(); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := ping(short, n.Host()); err == nil {
		t.Error("a paused node answers")
	}
	if err := n.Resume(); err != nil {
		t.Fatal(err)
	}
	ask(t, n, "SELECT word FROM k.t WHERE id = 1")

	if err := n.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := ping(t.Context(), n.Host()); err == nil {
		t.Error("a killed node answers")
	}
	if err := n.Pause(); err == nil {
		t.Error("a killed node can be paused")
	}
	if err := n.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, n, "SELECT word FROM k.t WHERE id = 1"); !strings.HasSuffix(got, "kept") {
		t.Errorf("answer %q: want the row that was there before", got)
	}

	dir := c.dir.path
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if exists(dir) {
		t.Error("the data are still there after Close")
	}
}

// ask returns the RESULT of cql.
func ask(t *testing.T, n *Node, cql string) string {
	t.Helper()
	conn, err := dial(t.Context(), n.Host())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	result, err := conn.query(cql, consistencyOne)
	if err != nil {
		t.Fatal(err)
	}
	return string(result)
}

func TestFailedStartShowsTheLog(t *testing.T) {
	t.Parallel()
	if _, err := javaPath(t.Context()); !required() || err != nil {
		t.Skipf("left out: how a failed start is told, which needs %s=require and Java (%v)", RequireEnv, err)
	}
	parent := t.TempDir()
	_, err := Start(t.Context(), Options{
		Dir:      parent,
		Settings: map[string]string{"concurrent_reads": "1"},
	})
	if err == nil || !strings.Contains(err.Error(), "concurrent_reads must be at least 2") {
		t.Errorf("%v; want what the node complained of", err)
	}
	wantOnly(t, parent)
}
