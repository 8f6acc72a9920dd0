package migrate_test

import (
	"os"
	"testing"

	"broadsheet/internal/testkeyspace"
)

var shared testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(shared.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
