package embedded_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

func TestReopen(t *testing.T) {
	data := filepath.Join(t.TempDir(), "a", "new", "directory")
	s := open(t, data)
	u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := open(t, data).UserByUsername(t.Context(), "Alice"); err != nil || found.ID != u.ID {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestClosed(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, query := s.UserByUsername(t.Context(), "alice")
	_, command := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	for _, err := range []error{query, command, s.Ready(t.Context())} {
		if blog.KindOf(err) != blog.Unavailable {
			t.Errorf("%v, want unavailable", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func open(t *testing.T, data string) *embedded.Store {
	t.Helper()
	return closing(t)(embedded.Open(data, embedded.Options{Log: quiet}))
}

func TestRefusesToOpen(t *testing.T) {
	for _, c := range []struct {
		name, says string
		prepare    func(t *testing.T, data string)
	}{
		{"a directory in use", "in use by another server", func(t *testing.T, data string) { open(t, data) }},
		{"a directory in use, by another name", "in use by another server", func(t *testing.T, data string) {
			other := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(data, other); err != nil {
				t.Fatal(err)
			}
			open(t, other)
		}},
		{"a file", "is a file", func(t *testing.T, data string) { put(t, data, "") }},
		{"something else", "holds something else (thesis.txt)", func(t *testing.T, data string) { put(t, filepath.Join(data, "thesis.txt"), "") }},
		{"a newer format", "run the newer program", func(t *testing.T, data string) {
			put(t, filepath.Join(data, "BROADSHEET"), "broadsheet embedded store, format 3\n")
		}},
		{"a newer format of Pebble", "run the newer program", func(t *testing.T, data string) {
			if err := open(t, data).Close(); err != nil {
				t.Fatal(err)
			}
			marker, _, err := atomicfs.LocateMarker(vfs.Default, data, "format-version")
			if err != nil {
				t.Fatal(err)
			}
			if err := marker.Move("999"); err != nil {
				t.Fatal(err)
			}
			marker.Close()
		}},
		{"a damaged mark", "is damaged", func(t *testing.T, data string) { put(t, filepath.Join(data, "BROADSHEET"), "broads") }},
		{"a missing table file", "restore it from a backup", func(t *testing.T, data string) {
			for i := range 2 { // the second finds a log, which it makes a table of
				s := open(t, data)
				makeAccount(t, s, i)
				s.Close()
			}
			tables, _ := filepath.Glob(filepath.Join(data, "*.sst"))
			for _, name := range tables {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			if c.name != "a file" {
				if err := os.Mkdir(data, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			c.prepare(t, data)
			before := ""
			inUse := strings.Contains(c.says, "in use") // and changed by who uses it
			if !inUse {
				before = content(t, data)
			}
			s, err := embedded.Open(data, embedded.Options{Log: quiet})
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nsays nothing like %q", err, c.says)
			}
			if inUse {
				return
			}
			if s, err := embedded.Open(data, embedded.Options{Log: quiet}); err == nil {
				s.Close()
				t.Error("it opened the second time")
			} else if !strings.Contains(err.Error(), c.says) {
				t.Errorf("the second time: %v\nsays nothing like %q", err, c.says)
			}
			if after := content(t, data); after != before {
				t.Errorf("it changed the directory from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func TestDirectoryThatCannotBeWritten(t *testing.T) {
	faults := &faults{err: syscall.EACCES}
	faults.begin("", 1)
	_, err := embedded.Open(dir, embedded.Options{FS: errorfs.Wrap(vfs.NewMem(), faults), Log: quiet})
	if err == nil || !strings.Contains(err.Error(), "can't be") || !strings.Contains(err.Error(), "name another directory") {
		t.Errorf("%v", err)
	}
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// content lists a directory: names and times, but of the lock.
func content(t *testing.T, data string) string {
	t.Helper()
	entries, err := os.ReadDir(data)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != "LOCK" {
			b.WriteString(e.Name() + " " + info.ModTime().String() + "\n")
		}
	}
	return b.String()
}
