// Package testkeyspace gives tests keyspaces of their own on a Cassandra, or on the double
// that stands in for it, and drops them afterwards.
package testkeyspace

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/cassandratest"

	"github.com/gocql/gocql"
)

// Name returns the configuration of a keyspace that does not exist yet, and drops
// it when t ends. Where it is, see [cassandratest.Hosts].
func Name(t testing.TB) cassandra.Config {
	t.Helper()
	c := unused(t)
	t.Cleanup(func() { Execute(t, c, "DROP KEYSPACE IF EXISTS %s") })
	return c
}

func unused(t testing.TB) cassandra.Config {
	t.Helper()
	return cassandra.Config{Config: cluster.Config{
		Hosts:       cassandratest.Hosts(t),
		Keyspace:    "test_" + strings.ToLower(rand.Text()),
		Replication: "1",
		Timeout:     patience, ConnectTimeout: patience,
	}}
}

// patience is for a statement on a machine that is busy. A test of a node that does not answer has a timeout
// of its own.
const patience = 10 * time.Minute

// New returns a keyspace with its schema, and nothing in it. To make one takes some seconds:
// in a package whose TestMain calls [Shared.Main] it is one that another test has left, where
// there is one. A test that changes the schema takes [Own].
func New(t testing.TB) cassandra.Config {
	t.Helper()
	if !left.kept {
		return Own(t)
	}
	c, found := left.take(cassandratest.Hosts(t))
	if found {
		empty(t, c)
	} else {
		c = unused(t)
		Apply(t, c)
	}
	t.Cleanup(func() { left.give(c, t.Failed()) })
	return c
}

// Own makes a keyspace with its schema, and drops it when t ends.
func Own(t testing.TB) cassandra.Config {
	t.Helper()
	c := Name(t)
	Apply(t, c)
	return c
}

// Apply makes a keyspace with its schema, or makes the schema current. It stays.
func Apply(t testing.TB, c cassandra.Config) {
	t.Helper()
	if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
		t.Fatal(err)
	}
}

// left are the keyspaces that tests of this process have left.
var left keyspaces

type keyspaces struct {
	kept bool // until the process ends
	mu   sync.Mutex
	free []cassandra.Config
	all  []cassandra.Config
}

// take takes one of these hosts.
func (k *keyspaces) take(hosts []string) (c cassandra.Config, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.free, func(c cassandra.Config) bool { return slices.Equal(c.Hosts, hosts) })
	if i < 0 {
		return c, false
	}
	c = k.free[i]
	k.free = slices.Delete(k.free, i, i+1)
	return c, true
}

// give takes a keyspace back; that of a test that failed is used no more.
func (k *keyspaces) give(c cassandra.Config, failed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.ContainsFunc(k.all, func(o cassandra.Config) bool { return o.Keyspace == c.Keyspace }) {
		k.all = append(k.all, c)
	}
	if !failed {
		k.free = append(k.free, c)
	}
}

// empty empties every table but the record of migrations.
func empty(t testing.TB, c cassandra.Config) {
	t.Helper()
	var all []string
	for _, table := range blog.Tables() {
		all = append(all, "TRUNCATE %s."+string(table))
	}
	Execute(t, c, all...)
}

// Open opens a store, and closes it when t ends. A clock that it is given counts as the
// cluster's too, but where c has one for that.
func Open(t testing.TB, c cassandra.Config, options blog.Options) *cassandra.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if c.ClusterClock == nil {
		c.ClusterClock = options.Clock
	}
	store, err := cassandra.Open(ctx, c, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// Shared is one keyspace for all tests of a process, and another for those on a node: a schema
// takes seconds to create. Its zero value is ready for use.
type Shared struct {
	mu      sync.Mutex
	configs []cassandra.Config // of different hosts
}

// Config returns the configuration of the keyspace, which stands with its schema.
func (s *Shared) Config(t testing.TB) cassandra.Config {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	hosts := cassandratest.Hosts(t)
	for _, c := range s.configs {
		if slices.Equal(c.Hosts, hosts) {
			return c
		}
	}
	c := unused(t)
	Apply(t, c)
	s.configs = append(s.configs, c)
	return c
}

// Empty is Config, with every table emptied. It is for tests that run one after the
// other.
func (s *Shared) Empty(t testing.TB) cassandra.Config {
	t.Helper()
	c := s.Config(t)
	empty(t, c)
	return c
}

// Main runs the tests of a package, of which those that end leave their keyspaces to others,
// and drops the keyspaces after them. It is for TestMain, which exits with the code.
//
// Tests wait for servers more than they compute, so more of them run at once than there are
// processors, unless -parallel says how many. The double of a node and its drivers make much garbage
// beside little data, so it is collected later than by default, unless GOGC says when.
func (s *Shared) Main(m *testing.M) (code int) {
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", "8")
	}
	left.kept = true
	code = m.Run()
	for _, c := range slices.Concat(left.all, s.configs) {
		if err := run(c, "DROP KEYSPACE IF EXISTS %s"); err != nil {
			fmt.Fprintln(os.Stderr, "drop the tests' keyspace:", err)
		}
	}
	return code
}

// Execute runs statements that name the keyspace as %s.
func Execute(t testing.TB, c cassandra.Config, cql ...string) {
	t.Helper()
	if err := run(c, cql...); err != nil {
		t.Fatal(err)
	}
}

// Insert runs a statement once for each set of values, in unlogged batches. The statement names the
// keyspace as %s.
func Insert(t testing.TB, c cassandra.Config, cql string, values [][]any) {
	t.Helper()
	const batch = 500
	session, err := connect(c)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	text := strings.ReplaceAll(cql, "%s", c.Keyspace)
	for part := range slices.Chunk(values, batch) {
		b := session.NewBatch(gocql.UnloggedBatch)
		for _, v := range part {
			b.Query(text, v...)
		}
		if err := session.ExecuteBatch(b); err != nil {
			t.Fatal(err)
		}
	}
}

// Rows returns what a query reads; it names the keyspace as %s.
func Rows(t testing.TB, c cassandra.Config, cql string) []map[string]any {
	t.Helper()
	session, err := connect(c)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	rows, err := session.Query(strings.ReplaceAll(cql, "%s", c.Keyspace)).Iter().SliceMap()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func run(c cassandra.Config, cql ...string) error {
	session, err := connect(c)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, text := range cql {
		if err := session.Query(strings.ReplaceAll(text, "%s", c.Keyspace)).Exec(); err != nil {
			return err
		}
	}
	return nil
}

func connect(c cassandra.Config) (*gocql.Session, error) {
	_, port, err := cassandratest.SplitHosts(c.Hosts)
	if err != nil {
		return nil, err
	}
	cluster := gocql.NewCluster(c.Hosts...)
	cluster.Port, cluster.ProtoVersion, cluster.Timeout = port, 4, patience
	return cluster.CreateSession()
}

// EveryText returns all that the tables of a keyspace hold, but those that expire: the journal and keys.
func EveryText(t testing.TB, c cassandra.Config) map[blog.Table]string {
	t.Helper()
	all, columns := map[blog.Table]string{}, map[blog.Table][]string{}
	for _, row := range Rows(t, c, "SELECT table_name, column_name FROM system_schema.columns WHERE keyspace_name = '%s'") {
		table := blog.Table(row["table_name"].(string))
		columns[table] = append(columns[table], row["column_name"].(string))
	}
	for table := range columns {
		if table == blog.Journal || table == blog.IdempotencyKeys {
			continue
		}
		var text strings.Builder
		for _, row := range Rows(t, c, "SELECT "+strings.Join(columns[table], ", ")+" FROM %s."+string(table)) {
			for _, value := range row {
				fmt.Fprintln(&text, value)
			}
		}
		all[table] = text.String()
	}
	return all
}

// Scanned is a store whose tables are read, a storetest.Scanned.
type Scanned struct {
	*cassandra.Store
	Config cassandra.Config
}

// EveryText is [EveryText] of the store's keyspace.
func (s Scanned) EveryText(t testing.TB) map[blog.Table]string {
	t.Helper()
	return EveryText(t, s.Config)
}
