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
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// Three nodes, each row on all of them, and 16 writers. A node is killed and comes
// back; then the line between the server and a node stalls, while the other nodes see
// it. Nothing that was acknowledged is lost, and commands fail only while the loss is
// being noticed. In the soak test, ten times as long.
func TestNodeLoss(t *testing.T) {
	nodes := cassandratest.Launch(t, cassandratest.Options{Nodes: 3})
	proxy := faultproxy.Start(t, nodes.Hosts())
	config := cassandra.Config{Config: cluster.Config{
		Hosts: nodes.Hosts(), Keyspace: "loss", Replication: "3",
		Timeout: 4 * time.Second, ConnectTimeout: 2 * time.Second,
	}}
	patiently(t, func(ctx context.Context) error { return migrate.Apply(ctx, config.Config, nil) })
	behind := config
	behind.Hosts = proxy.Hosts()
	server := testkeyspace.Open(t, behind, blog.Options{})

	w := newWorkload(t, config, []*cassandra.Store{server}, 16)
	w.start()
	part := storetest.SoakTimes(t, 150)
	t.Logf("all nodes: %d commands in %v", part, w.progress(part).Round(time.Millisecond))

	killed := time.Now()
	must(t, nodes.Node(1).Kill())
	t.Logf("a node killed: %d commands in %v", part, w.progress(part).Round(time.Millisecond))
	w.wantOnlyNoticing("a node was killed", killed)

	began := time.Now()
	must(t, nodes.Node(1).Restart(t.Context()))
	back := time.Now() // the others have asked it since it began to join them
	t.Logf("while it started: commands without an answer: %s", w.failed(began))
	t.Logf("the node answers again after %v; %d commands in %v", time.Since(began).Round(time.Second), part, w.progress(part).Round(time.Millisecond))
	w.wantOnlyNoticing("the node came back", back)

	for i := range 3 {
		if proxy.Line(i).Statements() == 0 {
			t.Errorf("no statement went by the line to node %d", i)
		}
	}
	apart := time.Now()
	proxy.Line(2).Stall(faultproxy.ToNode, faultproxy.ToServer)
	t.Logf("a line stalled: %d commands in %v", part, w.progress(part).Round(time.Millisecond))
	w.wantOnlyNoticing("a line stalled", apart)

	mended := time.Now()
	proxy.Line(2).Flow()
	t.Logf("the line flows: %d commands in %v", part, w.progress(part).Round(time.Millisecond))
	w.wantOnlyNoticing("the line flows", mended)

	w.stop()
	w.check(server)
	w.check(testkeyspace.Open(t, config, blog.Options{}))
}

// noticing is how long a loss may take to be noticed: by the driver, whose statements
// wait for Config.Timeout, and by the nodes among themselves.
const noticing = 15 * time.Second

// wantOnlyNoticing fails where a command that began later than a loss is noticed had no
// answer.
func (w *workload) wantOnlyNoticing(what string, since time.Time) {
	w.t.Helper()
	w.t.Logf("%s: commands without an answer: %s", what, w.failed(since))
	if n := w.failuresAfter(since.Add(noticing + limit)); n > 0 {
		w.t.Errorf("%s: %d commands failed later than %v after it", what, n, noticing+limit)
	}
}

// patiently repeats what a slow cluster may not answer in time.
func patiently(t *testing.T, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		if kind := blog.KindOf(err); ctx.Err() != nil || kind != blog.Unavailable && kind != blog.Timeout {
			t.Fatal(err)
		}
	}
}
