package cassandra_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cassandratest"

	"github.com/gocql/gocql"
)

func TestTmpThree(t *testing.T) {
	cluster := cassandratest.Launch(t, cassandratest.Options{Nodes: 3})
	hosts := cluster.Hosts()
	ids := func(host, keyspace string) map[string]string {
		c := gocql.NewCluster(host)
		_, c.Port, _ = cassandratest.SplitHosts([]string{host})
		c.ProtoVersion, c.Timeout = 4, time.Minute
		ip, _, _ := cassandratest.SplitHosts([]string{host})
		c.HostFilter = gocql.WhiteListHostFilter(ip[0])
		s, err := c.CreateSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		m := map[string]string{}
		it := s.Query(`SELECT table_name, id FROM system_schema.tables WHERE keyspace_name = ?`, keyspace).Consistency(gocql.One).Iter()
		var n string
		var id gocql.UUID
		for it.Scan(&n, &id) {
			m[n] = id.String()
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
		return m
	}
	var c cassandra.Config
	for round := range 3 {
		c = cassandra.Config{Keyspace: "t_" + strings.ToLower(rand.Text()), Replication: "3"}
		var wg sync.WaitGroup
		start := time.Now()
		for i := range 6 {
			wg.Go(func() {
				mine := c
				mine.Hosts = []string{hosts[i%3]}
				if err := cassandra.Apply(t.Context(), mine, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		a, b, d := ids(hosts[0], c.Keyspace), ids(hosts[1], c.Keyspace), ids(hosts[2], c.Keyspace)
		fmt.Println("round", round, time.Since(start), len(a), maps.Equal(a, b), maps.Equal(a, d))
		if !maps.Equal(a, b) || !maps.Equal(a, d) {
			t.Error(a, b, d)
		}
	}
	c.Hosts = hosts
	store, err := cassandra.Open(t.Context(), c, blog.Options{})
	must(t, err)
	defer store.Close()
	u := newUser(t, store)
	errs, ok := 0, 0
	var worst time.Duration
	load := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); {
			s := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			if _, err := store.UserByID(ctx, u.ID); err != nil {
				errs++
				fmt.Println(err)
			} else {
				ok++
			}
			cancel()
			worst = max(worst, time.Since(s))
			time.Sleep(time.Millisecond)
		}
		fmt.Println("ok", ok, "errors", errs, "worst", worst)
		ok, errs, worst = 0, 0, 0
	}
	load(2 * time.Second)
	must(t, cluster.Node(0).Kill())
	load(5 * time.Second)
	restarted := time.Now()
	must(t, cluster.Node(0).Restart(t.Context()))
	fmt.Println("restart took", time.Since(restarted))
	load(5 * time.Second)
	must(t, cluster.Node(1).Kill())
	load(3 * time.Second)
	fmt.Println("pause")
	must(t, cluster.Node(1).Restart(t.Context()))
	load(5 * time.Second)
	must(t, cluster.Node(2).Pause())
	load(20 * time.Second)
	must(t, cluster.Node(2).Resume())
	load(5 * time.Second)
}
