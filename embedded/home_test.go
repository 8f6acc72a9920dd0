package embedded

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// Verify finds what a home lacks, or has otherwise, of the newest posts of who is followed; a rebuild brings back what a
// follow brings.
func TestHomesAreMended(t *testing.T) {
	const posts = blog.HomedPosts + 7
	for name, damage := range map[string]func(s *Store, c cell) error{
		"lost":    func(s *Store, c cell) error { return s.db.Delete(c.key, pebble.Sync) },
		"damaged": func(s *Store, c cell) error { return s.db.Set(c.key, []byte("garbage"), pebble.Sync) },
		"changed": func(s *Store, c cell) error { return s.db.Set(c.key, changed(t, c.value), pebble.Sync) },
	} {
		s, p := storeWithPost(t)
		bob, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "bob", Username: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		for i := range posts - 1 {
			if i == posts/2 {
				_, _, err = s.FollowUser(t.Context(), blog.FollowUser{Actor: bob.ID, User: p.Author.ID})
			}
			_, failed := s.CreatePost(t.Context(), blog.CreatePost{Author: p.Author.ID, Title: "T", Content: "c"})
			if err := cmp.Or(err, failed); err != nil {
				t.Fatal(err)
			}
		}
		home := tables[blog.HomeByUser]
		cells := s.cells(t, home)
		for _, c := range cells {
			if err := damage(s, c); err != nil {
				t.Fatal(err)
			}
		}
		drifted := func(want int) {
			t.Helper()
			found, err := audit.Verifying{}.Run(t.Context(), s)
			if err != nil || found.Drifted() != want {
				t.Errorf("%s: %d drifted, want %d: %v", name, found.Drifted(), want, err)
			}
		}
		drifted(blog.HomedPosts)
		mended, err := audit.Verifying{Repair: true}.Run(t.Context(), s)
		if err != nil || mended.Repaired() != blog.HomedPosts || mended.Left() > 0 {
			t.Errorf("%s: %d repaired, %d left: %v", name, mended.Repaired(), mended.Left(), err)
		}
		drifted(0)
		if _, err := (audit.Rebuilding{Await: audit.AtRest}).Run(t.Context(), s, blog.HomeByUser); err != nil {
			t.Error(name, err)
		}
		wantCells(t, s, home, cells)
	}
}

// A post with more followers than one commit brings it to comes to all homes, though the process ends meanwhile.
func TestHomesAreGoneOnWith(t *testing.T) { homesGoOn(t, 3*homesAtOnce+7) }

func TestSoakHomesAreGoneOnWith(t *testing.T) {
	storetest.Soaks(t)
	homesGoOn(t, 100_000)
}

func homesGoOn(t *testing.T, followers int) {
	fs := vfs.NewMem()
	open := func() *Store {
		s, err := Open("data", Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	user := func(name string) blog.UserID {
		u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name})
		if err != nil {
			t.Fatal(err)
		}
		return u.ID
	}
	author := user("author")
	for n := range followers {
		if _, _, err := s.FollowUser(t.Context(), blog.FollowUser{Actor: user(fmt.Sprintf("user_%d", n)), User: author}); err != nil {
			t.Fatal(err)
		}
	}
	for _, writer := range []blog.UserID{user("other"), author} {
		began := time.Now()
		if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: writer, Title: "T", Content: "c"}); err != nil {
			t.Fatal(err)
		}
		t.Logf("a post is answered after %v, the second with %d followers", time.Since(began), followers)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	t.Cleanup(func() { s.Close() })
	t.Logf("%d homes had it before the end", len(s.cells(t, tables[blog.HomeByUser])))
	if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 || found.InFlight() == 0 {
		t.Errorf("before it is gone on with %d drifted, %d are in flight: %v", found.Drifted(), found.InFlight(), err)
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.cells(t, tables[blog.HomeByUser])); n != followers {
		t.Errorf("it is in %d homes of %d", n, followers)
	}
	if left := s.cells(t, homeWaits); len(left) > 0 {
		t.Errorf("%d posts wait still", len(left))
	}
	if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 {
		t.Errorf("%d drifted: %v", found.Drifted(), err)
	}
}
