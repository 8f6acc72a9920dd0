package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Pebble says when it is closed which iterators and snapshots were not: each test here ends
// by closing the store.

func closes(t *testing.T) *Store {
	t.Helper()
	s, err := InMemory(Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func account(t *testing.T, s *Store) (blog.User, blog.Post) {
	t.Helper()
	u, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "alice", Username: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.CreatePost(t.Context(), blog.CreatePost{Author: u.ID, Title: "a title", Content: "content"})
	if err != nil {
		t.Fatal(err)
	}
	return u, p
}

// A key that is too short, or too long, is damage that is told, to every query that meets it.
func TestDamagedKeys(t *testing.T) {
	u, p := blog.UserID{UUID: blog.FirstUUIDAt(time.Unix(1, 0))}, blog.PostID{UUID: blog.FirstUUIDAt(time.Unix(2, 0))}
	for name, c := range map[string]struct {
		partition []byte
		read      func(context.Context, *Store) error
	}{
		"posts_by_author": {tables[blog.PostsByAuthor].partitionKey(u), func(ctx context.Context, s *Store) error {
			_, err := s.PostsByAuthor(ctx, u, blog.FirstPage[blog.PostID](1))
			return err
		}},
		"feed_by_bucket": {tables[blog.FeedByBucket].partitionKey("", 0), func(ctx context.Context, s *Store) error {
			_, err := s.Feed(ctx, blog.FirstPage[blog.PostID](1))
			return err
		}},
		"the feed, backward": {tables[blog.FeedByBucket].partitionKey("", 0), func(ctx context.Context, s *Store) error {
			_, err := s.Feed(ctx, blog.PageRequest[blog.PostID]{Limit: 1, Backward: true})
			return err
		}},
		"comments_by_post": {commentsByPost.partitionKey(p), func(ctx context.Context, s *Store) error {
			_, err := s.CommentsByPost(ctx, blog.CommentsQuery{Post: p, Page: blog.FirstPage[blog.CommentID](1)})
			return err
		}},
		"comments_by_author": {tables[blog.CommentsByAuthor].partitionKey(u), func(ctx context.Context, s *Store) error {
			_, err := s.CommentsByAuthor(ctx, u, blog.FirstPage[blog.CommentID](1))
			return err
		}},
		"likes_by_post": {tables[blog.LikesByPost].partitionKey(p), func(ctx context.Context, s *Store) error {
			_, err := s.LikesByPost(ctx, p, blog.FirstPage[blog.ReactionPosition](1))
			return err
		}},
		"posts_by_id": {postsByID.partitionKey(p), func(ctx context.Context, s *Store) error {
			_, err := s.PostByID(ctx, p)
			return err
		}},
		"users_by_username": {tables[blog.UsersByUsername].partitionKey("alice"), func(ctx context.Context, s *Store) error {
			_, err := s.UserByUsername(ctx, "alice")
			return err
		}},
		"a command that walks": {tables[blog.LikeClaims].partitionKey(p), func(ctx context.Context, s *Store) error {
			return s.command(ctx, func(tx *tx) error { return tx.walk(tables[blog.LikeClaims], p, func(*row) error { return nil }) })
		}},
		"verify": {commentsByPost.partitionKey(p), func(ctx context.Context, s *Store) error {
			_, err := audit.Verifying{}.Run(ctx, s)
			return err
		}},
	} {
		for _, rest := range [][]byte{{rowMark}, {rowMark, 7, 7}, {rowMark, 1, 2, 3, 1}, append([]byte{rowMark}, make([]byte, 90)...)} {
			t.Run(fmt.Sprintf("%s, %d bytes", name, len(rest)), func(t *testing.T) {
				s := closes(t)
				if err := s.db.Set(append(c.partition, rest...), encode(1), pebble.NoSync); err != nil {
					t.Fatal(err)
				}
				if err := c.read(t.Context(), s); !errors.Is(err, errKey) || blog.KindOf(err) != blog.Internal {
					t.Errorf("%v, want an internal error about a key", err)
				}
			})
		}
	}
}

// Where the visitor of what is read panics, the iterator is closed and the panic goes on.
func TestIteratorsArePanicked(t *testing.T) {
	for name, read := range map[string]func(context.Context, *Store, blog.Post){
		"a snapshot": func(ctx context.Context, s *Store, p blog.Post) {
			_ = func() (err error) {
				snap, err := s.query(ctx, tables[blog.PostsByAuthor], p.Author.ID)
				if err != nil {
					return err
				}
				defer snap.close(&err)
				for range snap.rows(span{}, false) {
					panic("boom")
				}
				return nil
			}()
		},
		"a scan": func(ctx context.Context, s *Store, _ blog.Post) {
			_ = s.scan(ctx, usersByID, func(_, _ []byte) error { panic("boom") })
		},
		"an audit": func(ctx context.Context, s *Store, _ blog.Post) {
			a, err := s.Audit(ctx, 1)
			if err != nil {
				return
			}
			defer a.Close()
			_ = a.EachTruth(ctx, blog.UsersByID, 0, false, func(audit.TruthRow) error { panic("boom") })
		},
		"a command": func(ctx context.Context, s *Store, p blog.Post) {
			_ = s.command(ctx, func(tx *tx) error {
				return tx.walk(tables[blog.PostsByAuthor], p.Author.ID, func(*row) error { panic("boom") })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := closes(t)
			_, p := account(t, s)
			err := blog.Safely(func() error { read(t.Context(), s, p); return nil })
			if err == nil || !strings.Contains(err.Error(), "boom") {
				t.Errorf("%snap, want the panic", err)
			}
			if _, err := s.CreatePost(t.Context(), blog.CreatePost{Author: p.Author.ID, Title: "t", Content: "c"}); err != nil {
				t.Errorf("the next command: %v", err)
			}
		})
	}
}

// Nobody knows what a commit left in memory that panicked: the store stops.
func TestPanicOfACommit(t *testing.T) {
	s, err := InMemory(Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	other := closes(t)
	u, _ := account(t, s)
	err = s.command(t.Context(), func(tx *tx) error {
		tx.put(usersByID, []byte{usersByID.prefix}, nil)
		tx.batch = other.db.NewBatch() // which this database does not take
		return tx.batch.Set([]byte{1}, nil, nil)
	})
	if blog.KindOf(err) != blog.Unavailable {
		t.Errorf("%v, want unavailable", err)
	}
	if _, err := s.UserByID(t.Context(), u.ID); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("a query: %v, want unavailable", err)
	}
	if err := s.Ready(t.Context()); blog.KindOf(err) != blog.Unavailable {
		t.Errorf("ready: %v, want unavailable", err)
	}
}
