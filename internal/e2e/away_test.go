package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
)

// Servers whose Cassandra goes away say so and come back with it, and one that is
// started meanwhile waits for it.
func TestCassandraAway(t *testing.T) {
	t.Parallel()
	nodes := cassandratest.Launch(t, cassandratest.Options{})
	node := nodes.Node(0)
	args := harness.On(cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Keyspace: "away"}},
		"--migrate", "--cassandra-timeout", "2s")
	running := harness.Start(t, args...).Ready()
	running.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").OK()

	if err := node.Kill(); err != nil {
		t.Fatal(err)
	}
	wantAway(running, "the Cassandra cluster does not answer")
	early := harness.Start(t, args...)
	harness.Eventually(t, "the log says that it tries again", func() bool { return strings.Contains(early.Log.String(), "trying until it can") })
	wantAway(early, "the Cassandra cluster can't be reached")

	if err := node.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	for _, s := range []*harness.Server{running, early} {
		s.Ready()
		t.Logf("ready %v after Cassandra", time.Since(back).Round(time.Millisecond))
		s.As("ann", `{ viewer { username } }`, "").OK().Want("data.viewer.username", "ann")
		s.As("ann", `mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code } } }`, "").OK()
		if code := s.Stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, s.Log.String())
		}
	}
}

// wantAway checks what is said while the store is away, from the first request on.
func wantAway(s *harness.Server, reason string) {
	s.T.Helper()
	for _, query := range []string{`{ feed { edges { cursor } } }`, `{ viewer { id } }`, `{ viewer { id } user(username: "ann") { id } }`} {
		if a := s.As("ann", query, ""); a.Status != http.StatusServiceUnavailable || a.Code() != "UNAVAILABLE" {
			s.T.Errorf("%s: %d %s", query, a.Status, a.Text)
		}
	}
	if a := s.Get("/livez"); a.Status != http.StatusOK {
		s.T.Errorf("/livez: %d", a.Status)
	}
	ready := s.Get("/readyz")
	if ready.Status != http.StatusServiceUnavailable || !strings.Contains(ready.At("reason"), reason) {
		s.T.Errorf("/readyz: %d %s", ready.Status, ready.Text)
	}
}
