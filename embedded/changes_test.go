package embedded_test

import (
	"context"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/changes"
	"broadsheet/internal/storetest"
)

// A follower that is ahead of a backup is told so, on the data of the backup, however many changes have
// followed; one that is not gets each change once.
func TestAFollowerThatIsAheadOfABackup(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func() *embedded.Store {
		t.Helper()
		s, err := embedded.Open(dir, embedded.Options{FS: fs, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	user, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	post := func() {
		t.Helper()
		if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "T", Content: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	position := func() changes.Cursor {
		t.Helper()
		now, err := changes.Now(t.Context(), s.Changes(), blog.SystemClock{})
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	before := position()
	for restored := range int64(3) {
		backup := fs.CrashClone(vfs.CrashCloneCfg{})
		post() // which is lost
		ahead := position()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fs = backup
		s = open()
		for range 3 {
			if _, err := changes.Follow(s.Changes(), ahead).Next(t.Context(), 10); blog.KindOf(err) != blog.Expired {
				t.Errorf("one that is ahead: %v", err)
			}
			post()
		}
		found, err := changes.Follow(s.Changes(), before).Next(t.Context(), 100)
		passed := map[blog.LogID]int64{}
		for _, c := range found {
			if passed[c.Log]++; c.Number != passed[c.Log] || c.Kind != blog.PostCreated {
				t.Errorf("one that is not: %+v", c.Change)
			}
		}
		if want := 3 * (restored + 1); err != nil || int64(len(found)) != want {
			t.Errorf("one that is not: %d changes, want %d: %v", len(found), want, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// logCost is what the last command cost in the change log.
type logCost struct{ read, written int }

// Statement is a method of [blog.Observer].
func (c *logCost) Statement(_ context.Context, s blog.Statement) {
	if s.Table == blog.ChangesByLog && s.Kind == blog.Read {
		c.read++
	}
	for _, t := range s.Tables {
		if t.Table == blog.ChangesByLog {
			c.written += t.Rows
		}
	}
}

// A command looks at a few changes of while the clock was ahead, and drops a few, however many there are; and
// all of them go, though the store is closed between.
func TestManyChangesThatAreDatedAhead(t *testing.T) {
	const many, atOnce = 100, 4
	clock := storetest.NewClock(time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC))
	fs, cost := vfs.NewCrashableMem(), &logCost{}
	open := func() *embedded.Store {
		s, err := embedded.Open(dir, embedded.Options{Options: blog.Options{Clock: clock, Observer: cost}, FS: fs, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	user, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	post := func() {
		t.Helper()
		clock.Advance(time.Second)
		*cost = logCost{}
		if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: user.ID, Title: "T", Content: "c"}); err != nil {
			t.Fatal(err)
		}
		if cost.read > atOnce || cost.written > 1+atOnce {
			t.Fatalf("a command reads %d changes and writes %d, want %d and %d at most", cost.read, cost.written, atOnce, 1+atOnce)
		}
	}
	kept := func() int {
		t.Helper()
		logs, err := s.Changes().ChangeLogs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, log := range logs {
			for number := range log.Last {
				if found, err := s.Changes().ChangesAfter(t.Context(), log, number, 2*many); err == nil {
					n += len(found)
					break
				}
			}
		}
		return n
	}
	clock.Advance(30 * 24 * time.Hour)
	for range many {
		post()
	}
	clock.Advance(-30 * 24 * time.Hour)
	for range many / 2 {
		post()
	}
	clock.Advance(blog.KeepChanges)
	if cost.read != 1 {
		t.Errorf("a command reads %d changes where all that are dated ahead were looked past, want 1", cost.read)
	}
	for range many / 10 {
		post()
	}
	if n := kept(); n < many || n >= many+many/2 {
		t.Errorf("%d changes are kept before the store is closed, want some of those that are dated ahead, too", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = closing(t)(open(), nil)
	for range many {
		post()
	}
	if n, want := kept(), many/10+many; n != want {
		t.Errorf("%d changes are kept, want the %d of since then", n, want)
	}
}
