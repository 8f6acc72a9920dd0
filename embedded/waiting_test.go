package embedded_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// slowLog is a disk whose log is synced when it is let go.
type slowLog struct {
	slow atomic.Bool
	let  chan struct{}
}

func (d *slowLog) of(fs vfs.FS) vfs.FS {
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			if d.slow.Load() && strings.HasSuffix(op.Path, ".log") {
				<-d.let
			}
		}
		return nil
	}))
}

// A command that writes nothing tells of what others wrote: it is answered when that is on
// disk, too. So is Close, which waits for both.
func TestAnswersWaitForWhatTheyTellOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &slowLog{let: make(chan struct{})}
		s := closing(t)(embedded.Open(dir, embedded.Options{FS: disk.of(vfs.NewMem()), Log: quiet}))
		u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "a title", Content: "words"})
		if err != nil {
			t.Fatal(err)
		}
		disk.slow.Store(true)
		answers := make(chan error, 3)
		for range 2 { // the second finds the like of the first, and has nothing to write
			go func() {
				_, _, err := s.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: p.ID})
				answers <- err
			}()
			synctest.Wait()
		}
		go func() { answers <- s.Close() }()
		synctest.Wait()
		if n := len(answers); n > 0 {
			t.Errorf("%d answers before what they tell of is on disk", n)
		}
		disk.slow.Store(false)
		close(disk.let)
		for range cap(answers) {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
	})
}

// Wherever the power is cut while a store is opened for the first time, it opens the next:
// the mark, without which a database is not of this program, is on disk before the database is.
func TestPowerCutWhileItIsMade(t *testing.T) {
	cut := errors.New("the power is cut")
	for step, met := 1, true; met; step++ {
		met = false
		disk, left := vfs.NewCrashableMem(), step
		var mu sync.Mutex
		var least, most *vfs.MemFS // of what may be on the disk
		fs := errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
				return nil
			}
			mu.Lock() // a write that is refused later is refused when the disk is cloned
			defer mu.Unlock()
			if left--; left == 0 {
				least, most = disk.CrashClone(vfs.CrashCloneCfg{}), disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(0, 0))})
			}
			if left <= 0 {
				return cut
			}
			return nil
		}))
		s, err := embedded.Open(dir, embedded.Options{FS: fs, Log: quiet})
		if err == nil {
			_ = s.Close() // may say what the disk said
		}
		if least == nil {
			break
		}
		met = true
		if holdsDatabase(most) && !slices.Contains(names(least), "BROADSHEET") {
			t.Errorf("cut at write %d: a database may be there without its mark", step)
		}
		for _, after := range []*vfs.MemFS{least, most} {
			s, err = embedded.Open(dir, embedded.Options{FS: after, Log: quiet})
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Errorf("cut at write %d: %v", step, err)
			}
		}
	}
}

func names(fs vfs.FS) []string {
	all, _ := fs.List(dir) // none where there is no directory yet
	return all
}

func holdsDatabase(fs vfs.FS) bool {
	return slices.ContainsFunc(names(fs), func(name string) bool {
		return name != "LOCK" && !strings.HasPrefix(name, "BROADSHEET")
	})
}
