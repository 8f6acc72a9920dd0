package cassandra_test

import (
	"os"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/testkeyspace"
)

var shared testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(shared.Main(m)) }

// open opens a store on the keyspace that the tests of this process share.
func open(t testing.TB, options blog.Options) *cassandra.Store {
	t.Helper()
	return testkeyspace.Open(t, shared.Config(t), options)
}
