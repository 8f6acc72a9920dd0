package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// inTwoDatacentres returns a keyspace with replicas in two datacentres, of which there is one.
func inTwoDatacentres(t *testing.T) cassandra.Config {
	t.Helper()
	c := testkeyspace.Name(t)
	testkeyspace.Execute(t, c, "CREATE KEYSPACE %s WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1, 'elsewhere': 1}")
	testkeyspace.Apply(t, c)
	return c
}

// A keyspace in two datacentres says which one writes. Another takes over once no server runs, and has to be noted.
func TestFailover(t *testing.T) {
	t.Parallel()
	c := inTwoDatacentres(t)
	failover := harness.On(c, "migrate", "failover")
	first := harness.Start(t, harness.On(c)...).Ready()
	testkeyspace.Execute(t, c, "UPDATE %s.checkpoints SET position = 'SERIAL' WHERE name = 'writers'")
	harness.Eventually(t, "a server that runs says that others write", func() bool {
		return strings.Contains(first.Get("/readyz").At("reason"), "made at SERIAL")
	})
	harness.Want(t, 1, "a server ran within the last 20 s", failover...)
	first.Stop()
	harness.Want(t, 1, "conditional writes of the keyspace are made at SERIAL", harness.On(c, "user", "--username", "ann")...)
	harness.Want(t, 0, "were made at SERIAL", failover...)
	harness.Want(t, 0, "were made at LOCAL_SERIAL in the datacentre datacenter1", failover...)
	harness.Start(t, harness.On(c)...).Ready()

	testkeyspace.Execute(t, c, "DELETE FROM %s.checkpoints WHERE name = 'writers'")
	harness.Want(t, 1, "which one writes is not noted: run `broadsheet migrate apply`", harness.On(c, "user", "--username", "ann")...)
	harness.Want(t, 1, "has replicas in one datacentre only", harness.On(testkeyspace.New(t), "migrate", "failover")...)
}

// One of two datacentres writes: servers of the other are refused, until it is lost and the other takes over, with all that
// was acknowledged before; and the one that was lost does not write when it is back, until it is given the writing again.
func TestSoakDatacentres(t *testing.T) {
	storetest.Soaks(t)
	const one, two = "datacenter1", "datacenter2"
	nodes := cassandratest.Launch(t, cassandratest.Options{Nodes: 2, Datacenters: 2, JMX: true})
	keyspace := cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Keyspace: "two"}}
	in := func(datacenter string, command ...string) []string {
		return harness.On(keyspace, append(command, "--cassandra-datacenter", datacenter)...)
	}
	refused := func(datacenter, says string) {
		t.Helper()
		for _, command := range []string{"serve --listen 127.0.0.1:0", "user suspend --username ann", "verify --repair", "migrate apply"} {
			harness.Want(t, 1, says, in(datacenter, strings.Fields(command)...)...)
		}
	}
	const both = "--cassandra-replication=datacenter1=1,datacenter2=1"
	harness.Want(t, 0, "The schema is current", in(one, "migrate", "apply", both)...)
	harness.Want(t, 1, "LOCAL_SERIAL in the datacentre "+one, in(two, "migrate", "apply", both)...)

	var posts []string
	write := func(s *harness.Process) {
		t.Helper()
		for i := range 20 {
			post := s.As("ann", fmt.Sprintf(`mutation { createPost(input: {title: "%d", content: "C"}) { post { id } userErrors { code } } }`, i), "").OK().At("data.createPost.post.id")
			s.As("ann", fmt.Sprintf(`mutation { createComment(input: {postId: %q, content: "C"}) { userErrors { code } } likePost(input: {postId: %[1]q}) { userErrors { code } } }`, post), "").OK()
			posts = append(posts, post)
		}
	}
	has := func(s *harness.Process) {
		t.Helper()
		for _, post := range posts {
			s.As("ann", fmt.Sprintf(`{ post(id: %q) { commentCount likeCount } }`, post), "").OK().Want("data.post", `{"commentCount":1,"likeCount":1}`)
		}
		harness.Want(t, 0, "", in(s.Args[slices.Index(s.Args, "--cassandra-datacenter")+1], "verify")...)
	}
	first := harness.LaunchProcess(t, in(one)...)
	first.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").OK()
	write(first)
	refused(two, "LOCAL_SERIAL in the datacentre "+one)
	harness.Want(t, 1, "made at LOCAL_SERIAL in the datacentre "+one, in(one, "serve", "--cassandra-serial-consistency", "SERIAL", "--cassandra-consistency", "QUORUM")...)
	harness.Want(t, 1, "a server ran within the last 20 s", in(two, "migrate", "failover")...)

	first.Kill()
	if err := nodes.Node(0).Kill(); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the leases of the server that was killed end", func() bool {
		code, _, says := harness.Command(t, in(two, "migrate", "failover")...)
		return code == 1 && strings.Contains(says, "a datacentre does not answer")
	})
	refused(two, "LOCAL_SERIAL in the datacentre "+one)
	harness.Want(t, 0, "were made at LOCAL_SERIAL in the datacentre "+one, in(two, "migrate", "failover", "--lost")...)
	second := harness.LaunchProcess(t, in(two)...)
	has(second)
	write(second)

	if err := nodes.Node(0).Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(one, "LOCAL_SERIAL in the datacentre "+two)
	second.Terminate()
	if <-second.Ended; second.Code != 0 {
		t.Errorf("exit code %d: %s", second.Code, second.Log.String())
	}
	repair := append(nodes.Node(0).Nodetool(), "repair", "--full", keyspace.Keyspace)
	if out, err := exec.CommandContext(t.Context(), repair[0], repair[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("nodetool repair: %v\n%s", err, out)
	}
	harness.Want(t, 0, "were made at LOCAL_SERIAL in the datacentre "+two, in(one, "migrate", "failover")...)
	third := harness.LaunchProcess(t, in(one)...)
	has(third)
}
