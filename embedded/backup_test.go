package embedded_test

import (
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// A backup that fails, at whatever write, leaves nothing of it, and the store as it was.
func TestABackupThatFails(t *testing.T) {
	disk, faults, s := faulty(t)
	t.Cleanup(func() { _ = s.Close() })
	makeAccount(t, s, 1)
	failed := 0
	for after := int64(1); ; after++ {
		faults.begin("backup", after)
		err := s.Backup(t.Context(), "backup")
		met := faults.met()
		faults.end()
		if err == nil && !met {
			break
		}
		failed++
		if _, there := disk.Stat("backup"); err == nil != (there == nil) {
			t.Errorf("write %d: %v, but what is there: %v", after, err, there)
		}
		for _, name := range []string{"backup", "backup.part"} {
			if err := disk.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Fatalf("write %d: the store is not ready: %v", after, err)
		}
		makeAccount(t, s, int(after)+1)
	}
	if failed < 10 {
		t.Errorf("only %d writes were made to fail", failed)
	}
	restored := closing(t)(embedded.Open("backup", embedded.Options{FS: disk.CrashClone(vfs.CrashCloneCfg{}), Log: quiet}))
	if _, err := restored.UserByUsername(t.Context(), "account_1"); err != nil {
		t.Error(err)
	}
}

// Table files are linked: where they can't be there is no backup, rather than a server that copies them while commands
// wait.
func TestABackupOnAnotherFileSystem(t *testing.T) {
	apart := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpLink {
			return syscall.EXDEV
		}
		return nil
	})
	s := closing(t)(embedded.Open(dir, embedded.Options{FS: errorfs.Wrap(vfs.NewMem(), apart), Log: quiet}))
	if err := s.Backup(t.Context(), "elsewhere"); err == nil {
		t.Error("a backup on another file system")
	}
	if _, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"}); err != nil {
		t.Error(err)
	}
}
