package cassandra_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest/cqlnode"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// Several servers whose node fails at any statement, in rounds: writers give commands, the node
// heals, what is left is recovered. Then every answer that was given holds, every command without
// one is there wholly or not at all, and every copy is as its truth says.
func TestRoundsOfFaults(t *testing.T) {
	t.Parallel()
	rounds := storetest.Seed(t)
	for name, of := range map[string]round{
		"lost answers": {Faults: cqlnode.Faults{NotSent: 3, Lost: 5, Unread: 2}},
		"late writes":  {Faults: cqlnode.Faults{Late: 8, Again: 3, Unread: 1}},
		"refusals":     {Faults: cqlnode.Faults{Unavailable: 5, Overloaded: 5}},
		"disorder":     {Faults: cqlnode.Faults{Slow: 20, Longest: 3 * time.Millisecond, Late: 3, Lost: 2}},
		"all at once":  {Faults: allAtOnce},
		"all at once, deaths, and clocks that step": {Faults: allAtOnce, deaths: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, commands, began, met := startNode(t), 0, time.Now(), cqlnode.Met{}
			for i := range roundsOfFaults * storetest.SoakFactor(t) {
				commands += of.run(t, n, rounds+uint64(i), met)
			}
			t.Logf("%d commands in %v, %.0f a second: %v", commands, time.Since(began).Round(time.Millisecond), float64(commands)/time.Since(began).Seconds(), met)
		})
	}
}

// TestSoakRoundsOfFaults is ten rounds of a minute with all faults, deaths, and clocks that step.
func TestSoakRoundsOfFaults(t *testing.T) {
	storetest.Soaks(t)
	rounds := storetest.Seed(t)
	n := startNode(t)
	for i := range uint64(10) {
		met := cqlnode.Met{}
		commands := round{allAtOnce, true, time.Minute}.run(t, n, rounds+i, met)
		t.Logf("round %d: %d commands, %v", i, commands, met)
	}
}

var allAtOnce = cqlnode.Faults{NotSent: 2, Lost: 2, Late: 3, Again: 2, Unread: 2, Unavailable: 1, Overloaded: 1, Slow: 5, Longest: time.Millisecond}

const (
	roundsOfFaults = 2
	ofARound       = 400 // commands that are acknowledged, at least
	betweenDeaths  = 80  // of them
)

// round is a workload while a node fails.
type round struct {
	cqlnode.Faults
	deaths bool          // servers die, others come; and clocks step
	during time.Duration // at least
}

func (of round) run(t *testing.T, n *cqlnode.Node, seed uint64, met cqlnode.Met) (commands int) {
	t.Helper()
	config := cassandra.Config{Config: cluster.Config{Hosts: []string{n.Host()}, Keyspace: fmt.Sprintf("round_%d", seed), Replication: "1"}, AccountAge: shortAge}
	testkeyspace.Apply(t, config)
	defer testkeyspace.Execute(t, config, "DROP KEYSPACE %s")
	var clocks []*movable
	var servers []*cassandra.Store
	var breakables []*breakable
	for range 3 {
		clocks = append(clocks, &movable{})
		b := &breakable{t: t, config: config, options: blog.Options{Clock: clocks[len(clocks)-1]}, byNodes: true}
		b.start()
		breakables, servers = append(breakables, b), append(servers, b.server)
	}
	w := newWorkloadOf(t, config, seed, servers, 9)
	w.addScenes(players * (1 + int(of.during.Seconds())/3))
	n.Break(seed, of.Faults)
	w.start()
	random := rand.New(rand.NewPCG(seed, 3))
	if of.deaths {
		w.writing.Go(func() { w.stepClocks(clocks, rand.New(rand.NewPCG(seed, 4))) })
	}
	for until := time.Now().Add(of.during); w.acknowledged() < ofARound || time.Now().Before(until); w.progress(betweenDeaths) {
		if of.deaths {
			w.die(breakables[random.IntN(len(breakables))], random, met)
		}
	}
	w.halt()
	for fault, times := range n.Heal() {
		met[fault] += times
	}
	w.settle()
	w.check(w.servers[0])
	for _, b := range breakables {
		b.server.Close()
	}
	if t.Failed() {
		t.Fatalf("STORETEST_SEED=%d", seed)
	}
	return w.acknowledged()
}

// stepClocks has clocks step until the workload is over, by as much as servers' clocks may be apart.
func (w *workload) stepClocks(clocks []*movable, random *rand.Rand) {
	upTo := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	for {
		select {
		case <-w.over:
			return
		case <-time.After(50*time.Millisecond + upTo(200*time.Millisecond)):
			for _, clock := range clocks {
				clock.ahead.Store(int64(upTo(8*time.Second) - 4*time.Second))
			}
		}
	}
}

// die has a server die at one of its next statements, and another come in its place.
func (w *workload) die(b *breakable, random *rand.Rand, met cqlnode.Met) {
	w.t.Helper()
	fault := []faultproxy.Fault{faultproxy.DieBefore, faultproxy.DieAfter}[random.IntN(2)]
	b.proxy.Strike(1+random.IntN(50), fault, nil)
	select {
	case <-b.proxy.Died():
	case <-time.After(workloadPatience):
		w.t.Fatal("the server lives")
	}
	met["died"]++
	died := b.server
	patiently(w.t, b.open)
	w.replace(died, b.server)
	died.Crash()
}

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
