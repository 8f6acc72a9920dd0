package embedded

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

var _ storetest.Scanned = (*Store)(nil)

// Flush makes Pebble write its memory to table files, in the background.
func (s *Store) Flush() {
	if err := s.enter(context.Background()); err != nil {
		return
	}
	go s.health.aside(context.Background(), func() error {
		defer s.inside.leave()
		_, err := s.db.AsyncFlush()
		return err
	})
}

// SetCounts makes the store believe that a post has so many comments, of so many bytes, and reactions of a kind.
func (s *Store) SetCounts(ctx context.Context, post blog.PostRef, comments, bytes int, of *blog.ReactionKind, to blog.UUID, reactions int) error {
	return s.command(ctx, func(tx *tx) error {
		stamp := blog.NextStamp(tx.clock, 0)
		count := blog.Count{N: comments, Stamp: stamp}
		tx.putCommentsHead(post.ID, commentsHead{Count: count, kept: comments, bytes: bytes})
		tx.putCopies(blog.CopiesOfCount(blog.CommentsByPost, post, count))
		if of != nil {
			tx.putCount(tables[of.Table], to, blog.Count{N: reactions, Stamp: stamp})
		}
		return nil
	})
}

// ResumeErasures goes on with erasures that were left, as Maintain does.
func (s *Store) ResumeErasures(ctx context.Context) error { return s.resume(ctx) }

// EveryText returns all keys and values, but those of idempotency keys, by the prefixes of their tables.
func (s *Store) EveryText(t testing.TB) map[blog.Table]string {
	t.Helper()
	it, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[blog.Table]*strings.Builder{}
	for it.First(); it.Valid(); it.Next() {
		prefix := it.Key()[0]
		if prefix == idempotencyKeys.prefix || prefix == idempotencyExpiry.prefix {
			continue
		}
		name := blog.Table(fmt.Sprintf("0x%x", prefix))
		if all[name] == nil {
			all[name] = &strings.Builder{}
		}
		fmt.Fprintf(all[name], "%s\n%s\n", it.Key(), it.Value())
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	texts := map[blog.Table]string{}
	for name, text := range all {
		texts[name] = text.String()
	}
	return texts
}

// WriteCopies writes copies, whatever the truths say.
func (s *Store) WriteCopies(ctx context.Context, copies []blog.Copy) error {
	return s.command(ctx, func(tx *tx) error {
		tx.putCopies(copies)
		return nil
	})
}
