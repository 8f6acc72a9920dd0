package cassandratest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestPomNamesTheVersion(t *testing.T) {
	t.Parallel()
	if !bytes.Contains(pom, []byte("<version>"+Version+"</version>")) {
		t.Errorf("pom.xml is not for Cassandra %s", Version)
	}
}

// put returns a fill that writes one file.
func put(name string) func(string) error {
	return func(tmp string) error { return os.WriteFile(filepath.Join(tmp, name), nil, 0o644) }
}

func TestFillOnceKeepsTheFirst(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "dir")
	for _, name := range []string{"first", "second"} {
		if err := fillOnce(dir, put(name)); err != nil {
			t.Fatal(err)
		}
	}
	wantOnly(t, dir, "first")
	wantOnly(t, filepath.Dir(dir), "dir")
}

func TestFillOnceAbortedLeavesNothing(t *testing.T) {
	t.Parallel()
	parent, aborted := t.TempDir(), errors.New("aborted")
	err := fillOnce(filepath.Join(parent, "dir"), func(tmp string) error {
		return errors.Join(put("half")(tmp), aborted)
	})
	if !errors.Is(err, aborted) {
		t.Error(err)
	}
	wantOnly(t, parent)
}

func TestFillOnceOverlapping(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "dir")
	err := fillOnce(dir, func(tmp string) error {
		return errors.Join(put("slow")(tmp), fillOnce(dir, put("quick")))
	})
	if err != nil {
		t.Fatal(err)
	}
	wantOnly(t, dir, "quick")
	wantOnly(t, parent, "dir")
}

// wantOnly fails t unless dir has just these entries.
func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if i >= len(want) || e.Name() != want[i] {
			t.Errorf("%s has %v, want %v", dir, entries, want)
			return
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%s has %v, want %v", dir, entries, want)
	}
}
