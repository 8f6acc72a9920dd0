package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/embedded"
)

// A flipped byte anywhere in the directory shows: the store does not open, or it
// answers with an error, or it still has everything. Never is anything that was
// acknowledged gone without a word.
func TestDamageShows(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"closed", "crashed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			base := damageable(t, how == "crashed")
			names, err := base.List(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				damageFile(t, base, name)
			}
		})
	}
}

const (
	dir      = "data"
	flips    = 25 // of each file but the list of files, of which each byte is tried
	accounts = 40
)

// damageable returns a file system with a store of several table files, a list of
// files and a log with records.
func damageable(t *testing.T, crash bool) *vfs.MemFS {
	fs := vfs.NewCrashableMem()
	for part := range 4 {
		s, err := embedded.Open(dir, embedded.Options{FS: fs, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		for i := range accounts / 4 {
			makeAccount(t, s, part*accounts/4+i)
		}
		makeAccount(t, s, accounts+part) // not counted: of a log's last record nothing can be told
		if part == 3 && crash {
			fs := fs.CrashClone(vfs.CrashCloneCfg{})
			closing(t)(s, nil)
			return fs
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

func makeAccount(t *testing.T, s *embedded.Store, i int) {
	t.Helper()
	name := fmt.Sprintf("account_%d", i)
	u, err := s.CreateUser(context.Background(), blog.CreateUser{Subject: name, Username: name})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreatePost(context.Background(), blog.CreatePost{Author: u.ID, Title: name, Content: strings.Repeat(name, 50)}); err != nil {
		t.Fatal(err)
	}
}

func damageFile(t *testing.T, base *vfs.MemFS, name string) {
	content := read(t, base, name)
	n := min(flips, len(content))
	if strings.HasPrefix(name, "MANIFEST") {
		n = len(content)
	}
	for i := range n {
		at := len(content) * i / n
		damaged := append([]byte(nil), content...)
		damaged[at] ^= 1 << (i % 8)
		fs := copyOf(t, base)
		write(t, fs, name, damaged)
		if found, err := countAccounts(fs); err == nil && found != accounts {
			t.Errorf("%s, byte %d of %d: %d of %d accounts are gone without a word", name, at, len(content), accounts-found, accounts)
		}
	}
}

// countAccounts opens a store and reads all accounts with their posts.
func countAccounts(fs vfs.FS) (n int, err error) {
	s, err := embedded.Open(dir, embedded.Options{FS: fs, Log: quiet})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for i := range accounts {
		u, err := s.UserByUsername(context.Background(), fmt.Sprintf("account_%d", i))
		if blog.IsNotFound(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		posts, err := s.PostsByAuthor(context.Background(), u.ID, blog.FirstPage[blog.PostID](1))
		if err != nil {
			return 0, err
		}
		n += len(posts.Items)
	}
	return n, nil
}

func copyOf(t *testing.T, base *vfs.MemFS) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	if ok, err := vfs.Clone(base, fs, dir, dir); err != nil || !ok {
		t.Fatalf("clone: %v %v", ok, err)
	}
	return fs
}

func read(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(path.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, fs vfs.FS, name string, content []byte) {
	t.Helper()
	f, err := fs.Create(path.Join(dir, name), vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

// A directory that has data and does not say which is current is refused as it is: Pebble would begin anew and delete it.
func TestADirectoryWithoutItsMarker(t *testing.T) {
	t.Parallel()
	for name, flushed := range map[string]bool{"data in logs": false, "data in tables": true} {
		data := t.TempDir()
		s, err := embedded.Open(data, embedded.Options{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		makeAccount(t, s, 1)
		if flushed {
			s.Flush()
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		markers, err := filepath.Glob(filepath.Join(data, "marker.manifest*"))
		if err != nil || len(markers) != 1 {
			t.Fatalf("%v: %v", markers, err)
		}
		aside := filepath.Join(t.TempDir(), filepath.Base(markers[0]))
		if err := os.Rename(markers[0], aside); err != nil {
			t.Fatal(err)
		}
		before := filesOf(t, data)
		for _, readOnly := range []bool{true, false} {
			s, err := embedded.Open(data, embedded.Options{Log: quiet, ReadOnly: readOnly})
			if err == nil {
				err = s.Close()
				t.Errorf("%s: it was opened, %v", name, err)
			} else if !strings.Contains(err.Error(), "marker.manifest") || !strings.Contains(err.Error(), "backup") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := filesOf(t, data); !slices.Equal(after, before) {
			t.Errorf("%s: there was %v, and is %v", name, before, after)
		}
		if err := os.Rename(aside, markers[0]); err != nil {
			t.Fatal(err)
		}
		s = closing(t)(embedded.Open(data, embedded.Options{Log: quiet}))
		if _, err := s.UserByUsername(t.Context(), "account_1"); err != nil {
			t.Error(err)
		}
	}
}

func filesOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A store whose directory was moved away, and maybe replaced, writes and reads nothing at its path any more.
func TestADirectoryThatIsMoved(t *testing.T) {
	t.Parallel()
	for name, replaced := range map[string]bool{"removed": false, "replaced": true} {
		data := filepath.Join(t.TempDir(), "data")
		s, err := embedded.Open(data, embedded.Options{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		makeAccount(t, s, 1)
		if err := os.Rename(data, data+".old"); err != nil {
			t.Fatal(err)
		}
		var before []string
		if replaced {
			other, err := embedded.Open(data+".new", embedded.Options{Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			makeAccount(t, other, 2)
			if err := errors.Join(other.Close(), os.Rename(data+".new", data)); err != nil {
				t.Fatal(err)
			}
			before = filesOf(t, data)
		}
		_, err = s.CreateUser(t.Context(), blog.CreateUser{Subject: "late", Username: "late"})
		if err == nil || !strings.Contains(err.Error(), "was moved or removed") {
			t.Errorf("%s: a command: %v", name, err)
		}
		if err := s.Ready(t.Context()); err == nil {
			t.Errorf("%s: it is ready", name)
		}
		if _, err := s.UserByUsername(t.Context(), "account_1"); err == nil {
			t.Errorf("%s: a query is answered", name)
		}
		_ = s.Close()
		if after := filesOf(t, filepath.Dir(data)); replaced && !slices.Equal(filesOf(t, data), before) || !replaced && len(after) != 1 {
			t.Errorf("%s: at the path, or beside it, is %v, and was %v", name, after, before)
		}
		kept := closing(t)(embedded.Open(data+".old", embedded.Options{Log: quiet}))
		if _, err := kept.UserByUsername(t.Context(), "account_1"); err != nil {
			t.Errorf("%s: what was acknowledged before: %v", name, err)
		}
	}
}
