// Package suite_test has the Cassandra store pass what every store passes: [storetest.Suite], and what goes
// with it.
package suite_test

import (
	"os"
	"testing"

	"broadsheet/internal/testkeyspace"
)

var shared testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(shared.Main(m)) }
