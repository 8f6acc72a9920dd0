package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
)

// Servers whose Cassandra goes away say so and come back with it, and one that is
// started meanwhile waits for it.
func TestCassandraAway(t *testing.T) {
	t.Parallel()
	nodes := cassandratest.Launch(t, cassandratest.Options{})
	node := nodes.Node(0)
	args := on(cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Keyspace: "away"}},
		"--migrate", "--cassandra-timeout", "2s", "--cassandra-connect-timeout", "1s")
	running := start(t, args...).ready()
	running.as("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").ok()

	if err := node.Kill(); err != nil {
		t.Fatal(err)
	}
	running.wantAway("the Cassandra cluster does not answer")
	early := start(t, args...)
	eventually(t, "the log says that it tries again", func() bool { return strings.Contains(early.log.String(), "trying until it can") })
	early.wantAway("the Cassandra cluster can't be reached")

	if err := node.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	for _, s := range []*server{running, early} {
		s.ready()
		t.Logf("ready %v after Cassandra", time.Since(back).Round(time.Millisecond))
		s.as("ann", `{ viewer { username } }`, "").ok().want("data.viewer.username", "ann")
		s.as("ann", `mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code } } }`, "").ok()
		if code := s.stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, s.log.String())
		}
	}
}

// wantAway checks what is said while the store is away, from the first request on.
func (s *server) wantAway(reason string) {
	s.t.Helper()
	for _, query := range []string{`{ feed { edges { cursor } } }`, `{ viewer { id } }`, `{ viewer { id } user(username: "ann") { id } }`} {
		if a := s.as("ann", query, ""); a.status != http.StatusServiceUnavailable || a.code() != "UNAVAILABLE" {
			s.t.Errorf("%s: %d %s", query, a.status, a.text)
		}
	}
	if a := s.get("/livez"); a.status != http.StatusOK {
		s.t.Errorf("/livez: %d", a.status)
	}
	ready := s.get("/readyz")
	if ready.status != http.StatusServiceUnavailable || !strings.Contains(ready.at("reason"), reason) {
		s.t.Errorf("/readyz: %d %s", ready.status, ready.text)
	}
}
