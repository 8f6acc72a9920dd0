package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// syncs counts how often the log is synced, and holds syncs up while hold is locked.
type syncs struct {
	n    atomic.Int64
	hold sync.RWMutex
}

func (s *syncs) of(fs vfs.FS) vfs.FS {
	return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			if strings.HasSuffix(op.Path, ".log") {
				s.n.Add(1)
				s.hold.RLock()
				defer s.hold.RUnlock()
			}
		}
		return nil
	}))
}

// However many commands come while the log is synced for one, they share the next sync:
// none waits for another's, and none is answered without one.
func TestConcurrentCommandsShareASync(t *testing.T) {
	const commands = 64
	disk := &syncs{}
	s := closing(t)(embedded.Open(dir, embedded.Options{FS: disk.of(vfs.NewMem()), Log: quiet}))
	users := make([]blog.User, commands)
	for i := range users {
		var err error
		name := fmt.Sprint("user_", i)
		if users[i], err = s.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name}); err != nil {
			t.Fatal(err)
		}
	}
	post, err := s.CreatePost(t.Context(), blog.CreatePost{Author: users[0].ID, Title: "a title", Content: "words"})
	if err != nil {
		t.Fatal(err)
	}

	before := disk.n.Load()
	disk.hold.Lock()
	var answered atomic.Int64
	var all sync.WaitGroup
	for _, u := range users {
		all.Go(func() {
			if _, _, err := s.LikePost(t.Context(), blog.LikePost{Actor: u.ID, Post: post.ID}); err != nil {
				t.Error(err)
			}
			answered.Add(1)
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for seen := 0; seen < commands && !t.Failed(); { // queries see what is not synced yet
		likes, err := s.LikesByPost(ctx, post.ID, blog.FirstPage[blog.ReactionPosition](1))
		if err != nil {
			t.Error(err)
		}
		seen = likes.Count.N
	}
	if n := answered.Load(); n > 0 {
		t.Errorf("%d commands were answered before the log was synced", n)
	}
	disk.hold.Unlock()
	all.Wait()
	if n := disk.n.Load() - before; n > 2 {
		t.Errorf("%d commands took %d syncs, not one for the first and one for the others", commands, n)
	}
}
