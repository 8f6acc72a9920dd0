package load

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/dataset"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// TestSoakCompaction prints, for the settings of the schema and for others, how many files a read of a table touches and
// what compaction writes: a blog is filled and read at once, while each table's memory is flushed all the time, so that a
// minute has the files of some hours.
func TestSoakCompaction(t *testing.T) {
	storetest.Soaks(t)
	node := cassandratest.Launch(t, cassandratest.Options{JMX: true, HeapMB: 1024, JVM: []string{"-Dcassandra.unsafesystem=true"}}).Node(0)
	const unified = "{'class': 'UnifiedCompactionStrategy', 'scaling_parameters': '%s'}"
	for _, variant := range []struct{ name, compaction string }{
		{"chosen", ""},
		{"size", "{'class': 'SizeTieredCompactionStrategy'}"},
		{"levels", "{'class': 'LeveledCompactionStrategy'}"},
		{"t4", fmt.Sprintf(unified, "T4")},
		{"l4", fmt.Sprintf(unified, "L4")},
	} {
		c := cassandra.Config{Config: cluster.Config{Hosts: []string{node.Host()}, Keyspace: "by_" + variant.name}}
		testkeyspace.Apply(t, c)
		var tables []string
		for _, row := range testkeyspace.Rows(t, c, "SELECT table_name, compaction FROM system_schema.tables WHERE keyspace_name = '%s'") {
			table, set := row["table_name"].(string), "memtable_flush_period_in_ms = 1500"
			byTime := strings.Contains(row["compaction"].(map[string]string)["class"], "TimeWindow")
			if variant.compaction != "" && !byTime {
				set += " AND compaction = " + variant.compaction
			}
			testkeyspace.Execute(t, c, "ALTER TABLE %s."+table+" WITH "+set)
			if strings.Contains(table, "_by_") && !byTime || table == "like_claims" {
				tables = append(tables, table)
			}
		}
		reads, took := fillBesideReads(t, c)
		var written int64
		history := regexp.MustCompile(`(?m)^\S+ +` + c.Keyspace + ` +\S+ +\S+ +\d+ +(\d+)`)
		for _, compaction := range history.FindAllStringSubmatch(nodetool(t, node, "compactionhistory"), -1) {
			written += number(t, compaction[1])
		}
		t.Logf("%s: filled in %v beside %d reads; compaction wrote %.1f MB", variant.name, took.Round(time.Second), reads, float64(written)/1e6)
		for _, table := range tables {
			var files []string
			for _, line := range regexp.MustCompile(`(?m)^(50|75|95|99)% +\S+ +\S+ +(\d+)`).FindAllStringSubmatch(nodetool(t, node, "tablehistograms", c.Keyspace, table), -1) {
				files = append(files, line[2])
				if variant.compaction == "" && line[1] == "99" && number(t, line[2]) > 2 {
					t.Errorf("%s lies in more files than two", table)
				}
			}
			t.Logf("%-8s %-28s files a read, p50 to p99: %s", variant.name, table, strings.Join(files, " "))
		}
	}
}

// fillBesideReads makes a blog, and says how many pages were read meanwhile.
func fillBesideReads(t *testing.T, c cassandra.Config) (reads int, took time.Duration) {
	t.Helper()
	s := harness.Start(t, harness.On(c, "--no-demo")...).Ready()
	defer s.Stop()
	ctx, end := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			feed := s.As("", `{ feed(first: 20) { edges { node { id title commentCount author { username } } } } }`, "").OK()
			names := feed.All("data.feed.edges", "node.author.username")
			for i, post := range feed.All("data.feed.edges", "node.id") {
				for _, query := range []string{
					fmt.Sprintf(`{ post(id: %q) { title likeCount comments(first: 20) { edges { node { content } } } } }`, post),
					fmt.Sprintf(`{ post(id: %q) { likes(first: 20) { edges { node { createdAt } } } } }`, post),
					fmt.Sprintf(`{ user(username: %q) { bio posts(first: 20) { edges { node { title } } } } }`, names[i]),
				} {
					s.As("", query, "").OK()
					reads++
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	began := time.Now()
	fill(t, testkeyspace.Open(t, c, blog.Options{}), dataset.Size{Users: 30, MinPosts: 5, MaxPosts: 25, MaxComments: 30, MaxLikes: 30})
	took = time.Since(began)
	end()
	reading.Wait()
	return reads, took
}

func nodetool(t *testing.T, node *cassandratest.Node, args ...string) string {
	t.Helper()
	command := append(node.Nodetool(), args...)
	out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("nodetool %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func number(t *testing.T, text string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
