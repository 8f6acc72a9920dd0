package kill

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
)

// Of three nodes one hangs, is slow, dies, restarts or is replaced under load: no request fails, the server stays
// ready, and a metric names the node. BROADSHEET_SOAK_PHASE chooses one of these.
func TestSoakNodes(t *testing.T) {
	storetest.Soaks(t)
	nodes := cassandratest.Launch(t, cassandratest.Options{Nodes: 3})
	config := cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Keyspace: "nodes"}}
	harness.Want(t, 0, "", harness.On(config, "migrate", "apply", "--cassandra-replication", "3")...)
	l := newNodeLoad(t, harness.LaunchProcess(t, harness.On(config)...))
	sick := nodes.Node(2)
	for _, phase := range []struct {
		name       string
		away       bool // so long that the metric says so
		begin, end func() error
	}{
		{"well", false, func() error { return nil }, func() error { return nil }},
		{"hung", true, sick.Pause, sick.Resume},
		{"slow", false, func() error { return pulses(sick, 30) }, func() error { return nil }},
		{"killed", true, sick.Kill, func() error { return sick.Restart(t.Context()) }},
		{"restarted", false, func() error { return sick.Restart(t.Context()) }, func() error { return nil }},
		{"replaced", true, sick.Kill, func() error { return sick.Replace(t.Context()) }},
	} {
		if only := os.Getenv("BROADSHEET_SOAK_PHASE"); only == "" || only == phase.name {
			l.during(phase.name+", before", 15*time.Second, func() error { return nil })
			l.during(phase.name+", it begins", 25*time.Second, phase.begin)
			if away := l.away(); phase.away != slices.Contains(away, sick.Host()) || len(away) > 1 {
				t.Errorf("%s: the metric has nodes as away: %v", phase.name, away)
			}
			l.during(phase.name+", it ends", 20*time.Second, phase.end)
			harness.Eventually(t, "all nodes are up", func() bool { return len(l.away()) == 0 })
		}
	}
}

// pulses stops a node for 150 of each 300 ms.
func pulses(n *cassandratest.Node, times int) error {
	for range times {
		if err := n.Pause(); err != nil {
			return err
		}
		time.Sleep(150 * time.Millisecond)
		if err := n.Resume(); err != nil {
			return err
		}
		time.Sleep(150 * time.Millisecond)
	}
	return nil
}

// nodeLoad is readers and writers of a server.
type nodeLoad struct {
	t       *testing.T
	server  *harness.Process
	posts   []string
	mu      sync.Mutex
	seconds map[int]*nodeSecond
}

// nodeSecond is what ended within a second.
type nodeSecond struct {
	reads, writes, late []time.Duration
	failed              []string
}

func newNodeLoad(t *testing.T, server *harness.Process) *nodeLoad {
	l := &nodeLoad{t: t, server: server}
	for i := range nodeWriters {
		name := fmt.Sprintf("node_writer_%d", i)
		server.As(name, fmt.Sprintf(`mutation { createUser(input: {username: %q}) { user { id } } }`, name), "").OK()
		for range 10 {
			post := server.As(name, `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").OK().At("data.createPost.post.id")
			server.As(name, fmt.Sprintf(`mutation { createComment(input: {postId: %q, content: "c"}) { comment { id } } }`, post), "").OK()
			l.posts = append(l.posts, post)
		}
	}
	return l
}

const (
	nodeReaders = 8
	nodeWriters = 3
)

// during loads the server for at least a time, while something is done, and reports each second.
func (l *nodeLoad) during(what string, least time.Duration, do func() error) {
	l.t.Helper()
	began := time.Now()
	l.seconds = map[int]*nodeSecond{}
	over, end := context.WithCancel(l.t.Context())
	var all sync.WaitGroup
	every := func(pause time.Duration, act func(s *nodeSecond, began time.Time)) {
		all.Go(func() {
			for over.Err() == nil {
				time.Sleep(pause)
				var s nodeSecond
				act(&s, time.Now())
				l.mu.Lock()
				second := int(time.Since(began) / time.Second)
				if l.seconds[second] == nil {
					l.seconds[second] = &nodeSecond{}
				}
				sum := l.seconds[second]
				sum.reads, sum.writes = append(sum.reads, s.reads...), append(sum.writes, s.writes...)
				sum.late, sum.failed = append(sum.late, s.late...), append(sum.failed, s.failed...)
				l.mu.Unlock()
			}
		})
	}
	for range nodeReaders {
		every(100*time.Millisecond, func(s *nodeSecond, began time.Time) {
			query := fmt.Sprintf(`{ post(id: %q) { title content author { bio } comments(first: 20) { edges { node { content } } } } }`, l.posts[rand.IntN(len(l.posts))])
			if rand.IntN(3) == 0 {
				query = `{ feed(first: 20) { edges { node { title commentCount } } } }`
			}
			l.ask(s, "", query)
			s.reads = append(s.reads, time.Since(began))
		})
	}
	for i := range nodeWriters {
		every(200*time.Millisecond, func(s *nodeSecond, began time.Time) {
			post := l.posts[rand.IntN(len(l.posts))]
			mutation := fmt.Sprintf(`mutation { likePost(input: {postId: %q}) { post { id } } }`, post)
			switch rand.IntN(3) {
			case 0:
				mutation = fmt.Sprintf(`mutation { createComment(input: {postId: %q, content: "c"}) { comment { id } } }`, post)
			case 1:
				mutation = `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`
			}
			l.ask(s, fmt.Sprintf("node_writer_%d", i), mutation)
			s.writes = append(s.writes, time.Since(began))
		})
	}
	every(200*time.Millisecond, func(s *nodeSecond, began time.Time) {
		if a, err := l.server.Try(http.MethodGet, "/readyz", http.NoBody, nil); err != nil || a.Status != http.StatusOK {
			s.failed = append(s.failed, fmt.Sprint("/readyz: ", a.Status, a.Text, err))
		}
	})
	every(0, func(s *nodeSecond, began time.Time) {
		time.Sleep(10 * time.Millisecond)
		s.late = append(s.late, time.Since(began)-10*time.Millisecond)
	})
	if err := do(); err != nil {
		l.t.Errorf("%s: %v", what, err)
	}
	time.Sleep(time.Until(began.Add(least)))
	end()
	all.Wait()
	l.report(what)
}

// ask executes an operation.
func (l *nodeLoad) ask(s *nodeSecond, subject, query string) {
	body, _ := json.Marshal(map[string]string{"query": query})
	headers := map[string]string{"Content-Type": "application/json"}
	if subject != "" {
		headers["Authorization"] = "Bearer " + subject
	}
	a, err := l.server.Try(http.MethodPost, "/graphql", strings.NewReader(string(body)), headers)
	if err != nil || a.Status != http.StatusOK || strings.Contains(a.Text, `"errors":[{`) {
		s.failed = append(s.failed, fmt.Sprint(query, ": ", a.Text, err))
	}
}

// report prints each second: the machine's own delays are those of a clock that rings each 10 ms.
func (l *nodeLoad) report(what string) {
	l.t.Helper()
	l.t.Logf("%s: hedged %v", what, l.metric(`broadsheet_cassandra_hedged_reads_total (\d+)`))
	worst := time.Duration(0)
	for _, second := range slices.Sorted(maps.Keys(l.seconds)) {
		s := l.seconds[second]
		worst = max(worst, p99(s.reads))
		l.t.Logf("%3d s: %3d reads, p99 %4d ms; %2d writes, slowest %5d ms; the machine's own delay %3d ms",
			second, len(s.reads), p99(s.reads).Milliseconds(), len(s.writes), last(s.writes).Milliseconds(), last(s.late).Milliseconds())
		for _, failed := range s.failed {
			l.t.Errorf("%s, %d s: %s", what, second, failed)
		}
	}
	l.t.Logf("%s: the worst second's p99 of reads was %d ms", what, worst.Milliseconds())
}

func p99(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

func last(all []time.Duration) time.Duration { return slices.Max(append(all, 0)) }

// metric returns what a metric's lines have.
func (l *nodeLoad) metric(line string) (found []string) {
	for _, m := range regexp.MustCompile(line).FindAllStringSubmatch(l.server.Get("/metrics").Text, -1) {
		found = append(found, m[1])
	}
	return found
}

// away returns the nodes that are not up.
func (l *nodeLoad) away() []string {
	return l.metric(`broadsheet_cassandra_node_up\{node="([^"]*)"\} 0`)
}
