package embedded

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
)

// tightFS is a disk with little space.
type tightFS struct {
	vfs.FS
	left uint64
}

func (f *tightFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.left}, nil
}

func TestRefusesCommandsBeforeTheDiskIsFull(t *testing.T) {
	fs := &tightFS{FS: vfs.NewMem(), left: leastSpace - 1}
	s, err := Open("data", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	alice := blog.CreateUser{Subject: "alice", Username: "alice"}
	if _, err := s.CreateUser(t.Context(), alice); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("%v, want unavailable", err)
	}
	fs.left = leastSpace
	if _, err := s.CreateUser(t.Context(), alice); err != nil {
		t.Errorf("when there is space again: %v", err)
	}
}
