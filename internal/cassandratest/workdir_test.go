//go:build unix

package cassandratest

import "testing"

// It runs beside no test that starts a process: until a child has its program, it has its parent's files, and so the
// lock of one that is closed.
func TestWorkDirOfTheDeadIsSwept(t *testing.T) {
	parent := t.TempDir()
	dead, err := newWorkDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	_ = dead.owner.Close() // as the end of its process would
	living, err := newWorkDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	if exists(dead.path) {
		t.Error("the folder of a dead process is still there")
	}
	sweep(parent)
	if !exists(living.path) {
		t.Error("the folder of a living process was removed")
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	wantOnly(t, parent)
}
