package cassandra_test

import (
	"context"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/cassandratest"
)

// A cluster that goes away makes the store Unavailable, and one that comes back is
// used again without anybody's help.
func TestClusterGoesAwayAndComesBack(t *testing.T) {
	nodes := cassandratest.Launch(t, cassandratest.Options{})
	node := nodes.Node(0)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()

	config := cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Timeout: 2 * time.Second, ConnectTimeout: time.Second}}
	if err := migrate.Apply(ctx, config.Config, nil); err != nil {
		t.Fatal(err)
	}
	store, err := cassandra.Open(ctx, config, blog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	author, err := store.CreateUser(ctx, blog.CreateUser{Subject: "ann", Username: "ann"})
	if err != nil {
		t.Fatal(err)
	}

	if err := node.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.UserByID(ctx, author.ID); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("a query while the cluster is away: %v, want unavailable", err)
	}
	if err := store.Ready(ctx); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("Ready while the cluster is away: %v, want unavailable", err)
	}
	soon, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	if _, err := store.CreatePost(soon, blog.CreatePost{Author: author.ID, Title: "t", Content: "c"}); err == nil {
		t.Error("a command succeeded while the cluster was away")
	}
	if _, err := cassandra.Open(ctx, config, blog.Options{}); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("Open while the cluster is away: %v, want unavailable", err)
	}

	if err := node.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	for store.Ready(ctx) != nil {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the store does not find back to its cluster")
		}
	}
	t.Logf("used again %v after it answered", time.Since(back).Round(time.Millisecond))
	if _, err := store.UserByID(ctx, author.ID); err != nil {
		t.Errorf("a query after the cluster came back: %v", err)
	}
	if _, err := store.CreatePost(ctx, blog.CreatePost{Author: author.ID, Title: "t", Content: "c"}); err != nil {
		t.Errorf("a command after the cluster came back: %v", err)
	}
}
