package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// limited is a disk with so much space.
type limited struct {
	vfs.FS
	left atomic.Uint64
}

func (f *limited) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: f.left.Load()}, nil
}

const plenty = 1 << 30

// A store that refuses every command for lack of space answers queries, says why to each it
// refuses, and tells the log once.
func TestRefusesForLackOfRoom(t *testing.T) {
	disk := &limited{FS: vfs.NewMem()}
	disk.left.Store(32 << 20)
	var log bytes.Buffer
	s := closing(t)(embedded.Open(dir, embedded.Options{FS: disk, Log: slog.New(slog.NewTextHandler(&log, nil))}))
	for range 5 {
		_, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
		for what, err := range map[string]error{"a command": err, "writable": s.Writable(t.Context())} {
			if blog.KindOf(err) != blog.Unavailable || !strings.Contains(reasonOf(err), "disk of the store is full") || strings.Contains(reasonOf(err), dir) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if _, err := s.Feed(t.Context(), blog.FirstPage[blog.PostID](1)); err != nil {
		t.Errorf("a query: %v", err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("it is not ready to answer queries: %v", err)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "make room") {
		t.Errorf("the log has %q, want one line that says what to do", text)
	}
}

// reasonOf is what a client is told.
func reasonOf(err error) string {
	all := blog.Each(err)
	if len(all) == 0 {
		return ""
	}
	return all[0].Message
}

// On a disk without the space that opening needs, the store says so at once; with space it
// opens, and everything is there.
func TestOpensOnceThereIsRoom(t *testing.T) {
	disk := &limited{FS: vfs.NewMem()}
	disk.left.Store(plenty)
	options := embedded.Options{FS: disk, Log: quiet}
	s, err := embedded.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	makeAccount(t, s, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	disk.left.Store(1 << 20)
	for range 3 {
		_, err := embedded.Open(dir, options)
		if blog.KindOf(err) != blog.Unavailable || !strings.Contains(reasonOf(err), "disk of the store is full") || !strings.Contains(fmt.Sprint(err), "make room") {
			t.Fatalf("%v, want unavailable for the full disk", err)
		}
	}
	disk.left.Store(plenty)
	s = closing(t)(embedded.Open(dir, options))
	if _, err := s.UserByUsername(t.Context(), "account_1"); err != nil {
		t.Error(err)
	}
}

// Where the disk turns out to be full at any write that opening makes, it ends, with an error
// that says what to do, and no other process opens the directory while Pebble may still run.
// Nothing is lost.
func TestOpeningOnAFullDiskEnds(t *testing.T) {
	for _, kind := range []string{".log", "MANIFEST", ".sst", "marker", "BROADSHEET", ""} {
		for after := int64(1); ; after++ {
			if !fullWhileOpening(t, kind, after) {
				break
			}
		}
	}
}

// fullWhileOpening reports whether opening made so many writes to files of a kind.
func fullWhileOpening(t *testing.T, kind string, after int64) bool {
	disk, faults := vfs.NewCrashableMem(), &faults{err: syscall.ENOSPC}
	options := embedded.Options{FS: errorfs.Wrap(disk, faults), Log: quiet}
	s, err := embedded.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	makeAccount(t, s, 1)
	crashed := disk.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	options.FS = errorfs.Wrap(crashed, faults)
	faults.begin(kind, after)
	s, err = embedded.Open(dir, options)
	met := faults.met()
	faults.end()
	if err == nil {
		// Pebble did without what it could not write, or was not there yet.
		_ = s.Close()
	} else if !strings.Contains(err.Error(), "full disk: make room and start again; nothing is lost") {
		t.Errorf("write %d of %q: %v", after, kind, err)
	}
	again, err := embedded.Open(dir, embedded.Options{FS: crashed.CrashClone(vfs.CrashCloneCfg{}), Log: quiet})
	if err != nil {
		t.Fatalf("write %d of %q, with room again: %v", after, kind, err)
	}
	defer again.Close()
	if _, err := again.UserByUsername(context.Background(), "account_1"); err != nil {
		t.Errorf("write %d of %q, with room again: %v", after, kind, err)
	}
	return met
}
