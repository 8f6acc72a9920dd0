package load

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/embedded"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/dataset"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// kind is one of what a blog has, and a blog that has it, beside the same without it.
type kind struct {
	name    string
	size    dataset.Size
	without int // which of kinds; the first has none
}

var kinds = []kind{
	{"", dataset.Size{Users: 60}, 0}, // with what a file of a table takes in any case
	{"user", dataset.Size{Users: 660}, 0},
	{"post", dataset.Size{Users: 60, MinPosts: 5, MaxPosts: 5}, 0},
	{"comment", dataset.Size{Users: 60, MinPosts: 5, MaxPosts: 5, MaxComments: 20}, 2},
	{"like", dataset.Size{Users: 60, MinPosts: 5, MaxPosts: 5, MaxLikes: 40}, 2},
}

// TestCapacity measures what the embedded store takes on disk for one of each.
func TestCapacity(t *testing.T) {
	t.Parallel()
	taken := make([]int64, len(kinds))
	for i, kind := range kinds {
		dir := filepath.Join(t.TempDir(), "data")
		open := func() *embedded.Store {
			store, err := embedded.Open(dir, embedded.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return store
		}
		store := open()
		fill(t, store, kind.size)
		for range 2 { // a start makes tables of what is in logs
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			store = open()
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		taken[i] = bytesBelow(t, dir, func(path string) bool { return strings.HasSuffix(path, ".sst") })
	}
	compare(t, "embedded", taken)
}

// TestSoakCapacity measures what a replica on Cassandra takes.
func TestSoakCapacity(t *testing.T) {
	storetest.Soaks(t)
	nodes := cassandratest.Launch(t, cassandratest.Options{})
	for _, kind := range kinds {
		c := cassandra.Config{Config: cluster.Config{Hosts: nodes.Hosts(), Keyspace: "of_a_" + kind.name}}
		testkeyspace.Apply(t, c)
		fill(t, testkeyspace.Open(t, c, blog.Options{}), kind.size)
	}
	if err := nodes.Node(0).Stop(); err != nil { // which flushes all
		t.Fatal(err)
	}
	kept, passing := make([]int64, len(kinds)), make([]int64, len(kinds))
	for i, kind := range kinds {
		dir := filepath.Join(nodes.Node(0).Data(), "of_a_"+kind.name)
		passes := regexp.MustCompile(`/(journal|changes_by_log|change_\w+|idempotency_keys|leases|checkpoints)-`)
		kept[i] = bytesBelow(t, dir, func(path string) bool { return !passes.MatchString(path) })
		passing[i] = bytesBelow(t, dir, passes.MatchString)
	}
	compare(t, "Cassandra, a replica", kept)
	compare(t, "Cassandra, a replica, for three days", passing)
}

func fill(t *testing.T, store blog.Store, size dataset.Size) {
	t.Helper()
	err := dataset.NewPlan(size, 1).Write(t.Context(), store, dataset.Writing{})
	if err == nil {
		err = store.(interface{ Settle(context.Context) error }).Settle(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bytesBelow adds up the files of a folder that are counted.
func bytesBelow(t *testing.T, dir string, counted func(path string) bool) (sum int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && counted(path) {
			info, failed := entry.Info()
			if failed != nil {
				return failed
			}
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

var capacityRow = regexp.MustCompile(`(?m)^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`)

// compare fails unless the bytes of one of each kind are about what the row of deploy/capacity.md says.
func compare(t *testing.T, row string, taken []int64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Repository, "deploy", "capacity.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := capacityRow.FindAllStringSubmatch(string(text), -1)
	said := slices.IndexFunc(rows, func(found []string) bool { return found[1] == row })
	if said < 0 {
		t.Fatalf("deploy/capacity.md says nothing of %q", row)
	}
	for i, kind := range kinds[1:] {
		more, less := dataset.NewPlan(kind.size, 1).Totals(), dataset.NewPlan(kinds[kind.without].size, 1).Totals()
		of := []int{more.Users - less.Users, more.Posts, more.Comments, more.Likes}[i]
		each := (taken[i+1] - taken[kind.without]) / int64(of)
		want, err := strconv.ParseInt(rows[said][2+i], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: a %s takes %d bytes, of %d", row, kind.name, each, of)
		if each > 2*want || each < want/2 {
			t.Errorf("%s: a %s takes %d bytes, and deploy/capacity.md says %d", row, kind.name, each, want)
		}
	}
}
