package embedded_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/changes"
	"broadsheet/embedded"
)

// A follower that is ahead of a backup is told so, on the data of the backup, and does not wait until as
// many changes have followed.
func TestAFollowerThatIsAheadOfABackup(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := closing(t)(embedded.Open(dir, embedded.Options{FS: fs, Log: quiet}))
	user, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	backup := fs.CrashClone(vfs.CrashCloneCfg{})
	if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "T", Content: "c"}); err != nil {
		t.Fatal(err)
	}
	now, err := changes.Now(t.Context(), s.Changes(), blog.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	restored := closing(t)(embedded.Open(dir, embedded.Options{FS: backup, Log: quiet}))
	if _, err := changes.Follow(restored.Changes(), now).Next(t.Context(), 10); blog.KindOf(err) != blog.Expired {
		t.Errorf("it is told %v", err)
	}
}
