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
	"time"

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

// A store whose directory, or what is in it, was moved away, removed or replaced writes, reads and deletes nothing at its
// path any more, and answers nothing.
func TestADirectoryThatIsMoved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replace func(data, other string) error
		notice  func(s *embedded.Store) error
	}{
		"removed": {func(data, _ string) error { return os.Rename(data, data+".old") }, late},
		"replaced": {func(data, other string) error {
			return errors.Join(os.Rename(data, data+".old"), os.Rename(other, data))
		}, late},
		"replaced, beside a probe": {func(data, other string) error {
			return errors.Join(os.Rename(data, data+".old"), os.Rename(other, data))
		}, func(s *embedded.Store) error { return s.Ready(context.Background()) }},
		"replaced, beside queries alone": {func(data, other string) error {
			return errors.Join(os.Rename(data, data+".old"), os.Rename(other, data))
		}, maintained},
		"emptied": {func(data, _ string) error {
			return errors.Join(os.Mkdir(data+".old", 0o700), moveAll(data, data+".old"))
		}, late},
		"filled by another's files": {func(data, other string) error {
			return errors.Join(os.Mkdir(data+".old", 0o700), moveAll(data, data+".old"), moveAll(other, data))
		}, late},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			s, err := embedded.Open(data, embedded.Options{Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			makeAccount(t, s, 1)
			other, err := embedded.Open(data+".new", embedded.Options{Log: quiet})
			if err != nil {
				t.Fatal(err)
			}
			makeAccount(t, other, 2)
			if err := errors.Join(other.Close(), c.replace(data, data+".new")); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadDir(data)
			if err := c.notice(s); err == nil || !strings.Contains(err.Error(), "under the running server") {
				t.Errorf("it is told %v", err)
			}
			if _, err := s.UserByUsername(t.Context(), "account_1"); err == nil {
				t.Error("a query is answered")
			}
			if err := s.Note(t.Context(), blog.Verified, "", "now"); err == nil {
				t.Error("something is noted")
			}
			_ = s.Close()
			after, _ := os.ReadDir(data)
			if !slices.EqualFunc(after, before, func(a, b os.DirEntry) bool { return a.Name() == b.Name() }) {
				t.Errorf("at the path there is %v, and was %v", after, before)
			}
			kept := closing(t)(embedded.Open(data+".old", embedded.Options{Log: quiet}))
			if _, err := kept.UserByUsername(t.Context(), "account_1"); err != nil {
				t.Errorf("what was acknowledged before: %v", err)
			}
		})
	}
}

func late(s *embedded.Store) error {
	_, err := s.CreateUser(context.Background(), blog.CreateUser{Subject: "late", Username: "late"})
	return err
}

// maintained asks until the store that is maintained answers no more.
func maintained(s *embedded.Store) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go s.Maintain(ctx)
	for err == nil && ctx.Err() == nil {
		_, err = s.UserByUsername(ctx, "account_1")
	}
	return err
}

// moveAll moves what a directory has to another.
func moveAll(from, to string) (err error) {
	files, err := os.ReadDir(from)
	for _, file := range files {
		err = errors.Join(err, os.Rename(filepath.Join(from, file.Name()), filepath.Join(to, file.Name())))
	}
	return err
}
