package cassandra_test

import (
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest/cqlnode"
	"broadsheet/internal/cassandratest/testkeyspace"
	"broadsheet/internal/storetest"
)

// Several servers whose node fails at any statement, in rounds: writers give commands, the node
// heals, what is left is recovered. Then every answer that was given holds, every command without
// one is there wholly or not at all, and every copy is as its truth says.
func TestRoundsOfFaults(t *testing.T) {
	t.Parallel()
	seed := storetest.Seed(t)
	commands, began := 0, time.Now()
	met := cqlnode.Met{}
	for name, faults := range map[string]cqlnode.Faults{
		"lost answers": {NotSent: 3, Lost: 5, Unread: 2},
		"late writes":  {Late: 8, Again: 3, Unread: 1},
		"refusals":     {Unavailable: 5, Overloaded: 5},
		"disorder":     {Slow: 20, Longest: 3 * time.Millisecond, Late: 3, Lost: 2},
		"all at once":  {NotSent: 2, Lost: 2, Late: 3, Again: 2, Unread: 2, Unavailable: 1, Overloaded: 1, Slow: 5, Longest: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			n := startNode(t)
			for round := range roundsOfFaults * soakFactor(t) {
				w := roundOfFaults(t, n, seed+uint64(round), faults, met)
				commands += w.acknowledged()
				if t.Failed() {
					t.Fatalf("STORETEST_SEED=%d, round %d", seed, round)
				}
			}
		})
	}
	t.Logf("%d commands in %v, %.0f a second: %v", commands, time.Since(began).Round(time.Millisecond), float64(commands)/time.Since(began).Seconds(), met)
}

const (
	roundsOfFaults = 2
	ofARound       = 400 // commands that are acknowledged, at least
	scenesOfARound = 6
)

// startNode starts a double that no other test uses, also where there is a Cassandra.
func startNode(t *testing.T) *cqlnode.Node {
	t.Helper()
	n, err := cqlnode.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func roundOfFaults(t *testing.T, n *cqlnode.Node, seed uint64, faults cqlnode.Faults, met cqlnode.Met) *workload {
	t.Helper()
	config := cassandra.Config{Config: cluster.Config{Hosts: []string{n.Host()}, Keyspace: fmt.Sprintf("round_%d", seed), Replication: "1"}}
	testkeyspace.Apply(t, config)
	defer testkeyspace.Execute(t, config, "DROP KEYSPACE %s")
	var servers []*cassandra.Store
	for range 3 {
		servers = append(servers, testkeyspace.Open(t, config, blog.Options{}))
	}
	healer := testkeyspace.Open(t, config, blog.Options{Clock: offset(time.Minute)})
	w := newWorkloadOf(t, seed, servers, 9)
	w.addScenes(scenesOfARound)
	n.Break(seed, faults)
	w.start()
	w.progress(ofARound)
	w.halt()
	for fault, times := range n.Heal() {
		met[fault] += times
	}
	w.settle()
	w.check(servers[0], healer)
	w.judgeFeed(servers[0], config)
	w.judgeScenes(servers[0], config)
	for _, server := range append(servers, healer) {
		must(t, server.Close())
	}
	return w
}
