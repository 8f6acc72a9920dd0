package embedded

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

func TestVerifyFindsDamage(t *testing.T) {
	for _, c := range []struct {
		name   string
		table  blog.Table
		damage func(s *Store, p blog.Post) error
	}{
		{"another username", blog.FeedByBucket, func(s *Store, p blog.Post) error {
			return s.db.Set(tables[blog.FeedByBucket].cellKey(2, "", 0, p.ID), encode(1, "mallory"), pebble.Sync)
		}},
		{"a missing row", blog.PostsByAuthor, func(s *Store, p blog.Post) error {
			return s.db.Delete(tables[blog.PostsByAuthor].cellKey(1, p.Author.ID, p.ID), pebble.Sync)
		}},
		{"a row too many", blog.LikesByUser, func(s *Store, p blog.Post) error {
			return s.db.Set(tables[blog.LikesByUser].cellKey(1, p.Author.ID, p.ID), encode(1, p.CreatedAt()), pebble.Sync)
		}},
		{"a wrong count", blog.CommentsByPost, func(s *Store, p blog.Post) error {
			return s.db.Set(commentsByPost.cellKey(countCell, p.ID), encode(1, 7), pebble.Sync)
		}},
		{"an unreadable copy", blog.PostsByID, func(s *Store, p blog.Post) error {
			return s.db.Set(postsByID.cellKey(3, p.ID), []byte("garbage"), pebble.Sync)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := storeWithPost(t)
			if err := c.damage(s, p); err != nil {
				t.Fatal(err)
			}
			found, err := audit.Verifying{}.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			drifted := map[blog.Table]int{}
			for _, report := range found.Tables {
				drifted[report.Table] = report.Drifted
			}
			if drifted[c.table] == 0 {
				t.Errorf("nothing was found in %s: %v", c.table, drifted)
			}
		})
	}
}

func storeWithPost(t *testing.T) (*Store, blog.Post) {
	t.Helper()
	s, err := InMemory(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.CreateGroup(t.Context(), blog.CreateGroup{Owner: u.ID, Name: "writers", Title: "Writers"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.JoinGroup(t.Context(), blog.JoinGroup{Actor: u.ID, Group: g.ID}); err != nil {
		t.Fatal(err)
	}
	p, err := s.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "a title", Content: "content", Group: g.ID})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() != 0 {
		t.Fatalf("before the damage: %v %+v", err, found)
	}
	return s, p
}
