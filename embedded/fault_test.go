package embedded_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// Where the disk fails, at whatever write, the store says that it is unavailable,
// at once and to everybody; it closes; and what was acknowledged is there when it is
// opened again.
func TestDiskFault(t *testing.T) {
	for _, kind := range []string{".log", "MANIFEST", ".sst", ""} {
		for _, after := range []int64{1, 2, 3, 7} {
			t.Run(fmt.Sprintf("write %d of %q", after, kind), func(t *testing.T) { diskFault(t, kind, after) })
		}
	}
}

func diskFault(t *testing.T, kind string, after int64) {
	disk, faults, s := faulty(t)
	l := startLoad(s, 4)
	if err := l.waitFor(t, 20); err != nil {
		t.Fatal(err)
	}
	faults.begin(kind, after)
	var refusal error
	for posts := 40; refusal == nil; posts += 20 {
		s.Flush()
		refusal = l.waitFor(t, posts)
	}
	l.stop()
	if blog.KindOf(refusal) != blog.Unavailable {
		t.Errorf("refused with %v, want unavailable", refusal)
	}
	for _, err := range faults.heard {
		if blog.KindOf(err) != blog.Unavailable {
			t.Errorf("the observer hears of %v, want unavailable", err)
		}
	}
	if err := s.Writable(t.Context()); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("writable: %v, want unavailable", err)
	}
	_ = s.Close() // may say what the disk said
	checkRecovered(t, disk.CrashClone(vfs.CrashCloneCfg{}), l.acknowledged())
}

// Where only the writing in the background fails, queries are answered, and when
// there is space again so are commands.
func TestFullDiskRecovers(t *testing.T) {
	_, faults, s := faulty(t)
	u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	faults.begin(".sst", 1)
	s.Flush()
	eventually(t, func() bool { return s.Writable(t.Context()) != nil })
	post := blog.CreatePost{Author: u.ID, Title: "a title", Content: "content"}
	if _, err := s.CreatePost(t.Context(), post); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("a command: %v, want unavailable", err)
	}
	if _, err := s.UserByID(t.Context(), u.ID); err != nil {
		t.Errorf("a query: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("it is not ready to answer queries: %v", err)
	}
	faults.end()
	eventually(t, func() bool { return s.Writable(t.Context()) == nil })
	if _, err := s.CreatePost(t.Context(), post); err != nil {
		t.Errorf("a command afterwards: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("not within a minute")
		}
	}
}

// faulty returns a store on a disk that can be made to fail.
func faulty(t *testing.T) (*vfs.MemFS, *faults, *embedded.Store) {
	disk, faults := vfs.NewCrashableMem(), &faults{err: syscall.ENOSPC}
	s, err := embedded.Open(dir, embedded.Options{Options: blog.Options{Observer: faults}, FS: errorfs.Wrap(disk, faults), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(faults.end) // Pebble tries on, though its store has died
	return disk, faults, s
}

// faults makes every write to some files fail from one on, and hears of the
// statements that fail for it.
type faults struct {
	err     error
	mu      sync.Mutex
	kind    string
	left    int64 // writes until then
	failing bool
	heard   []error
}

func (f *faults) Statement(_ context.Context, s blog.Statement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.Err != nil {
		f.heard = append(f.heard, s.Err)
	}
}

func (f *faults) begin(kind string, after int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kind, f.left, f.failing = kind, after, true
}

func (f *faults) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing = false
}

// met reports whether a write has failed.
func (f *faults) met() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.left <= 0
}

func (f *faults) String() string { return "faults" }

func (f *faults) MaybeError(op errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.failing || op.Kind.ReadOrWrite() != errorfs.OpIsWrite || !strings.Contains(op.Path, f.kind) {
		return nil
	}
	if f.left--; f.left > 0 {
		return nil
	}
	return f.err
}
