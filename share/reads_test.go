package share_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/share"
)

// Whoever comes while a read is under way shares the next one, and never that one.
func TestTheNextIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var joined atomic.Int64
		reads := share.Reads[string, int]{Joined: func() { joined.Add(1) }}
		var begun atomic.Int64
		read := func(context.Context) (int, error) {
			n := int(begun.Add(1))
			time.Sleep(10 * time.Millisecond)
			return n, nil
		}
		want := func(key string, want int) {
			if got, err := reads.Do(t.Context(), key, read); got != want || err != nil {
				t.Errorf("%s: %d, %v, want %d", key, got, err, want)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { want("a", 1) })
		synctest.Wait()
		all.Go(func() { want("b", 2) }) // another key waits for nothing
		synctest.Wait()
		for range 5 {
			all.Go(func() { want("a", 3) })
		}
		all.Wait()
		if joined.Load() != 4 {
			t.Errorf("%d joined", joined.Load())
		}
		want("a", 4)
	})
}

// A read that takes long holds up the next one for a while only.
func TestAStalledReadHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads share.Reads[int, string]
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = reads.Do(t.Context(), 1, func(context.Context) (string, error) { time.Sleep(time.Minute); return "late", nil })
		})
		synctest.Wait()
		began := time.Now()
		got, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { return "in time", nil })
		if took := time.Since(began); got != "in time" || err != nil || took > time.Second {
			t.Errorf("%q, %v after %v", got, err, took)
		}
		all.Wait()
	})
}

func TestWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads share.Reads[int, string]
		var ended error
		first := func(context.Context) (string, error) { time.Sleep(10 * time.Millisecond); return "", nil }
		second := func(ctx context.Context) (string, error) {
			select {
			case <-ctx.Done():
				ended = ctx.Err()
				return "", ended
			case <-time.After(20 * time.Millisecond):
				return "read", nil
			}
		}
		var all sync.WaitGroup
		ask := func(patience time.Duration, want string) {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				time.AfterFunc(patience, cancel)
				got, err := reads.Do(ctx, 1, second)
				if got != want || (want == "") != (blog.KindOf(err) == blog.Timeout) {
					t.Errorf("with a patience of %v: %q, %v", patience, got, err)
				}
			})
		}
		all.Go(func() { _, _ = reads.Do(t.Context(), 1, first) })
		synctest.Wait()
		ask(5*time.Millisecond, "")  // before the read begins
		ask(15*time.Millisecond, "") // while it goes on
		ask(time.Second, "read")     // whom neither harms
		all.Wait()
		if ended != nil {
			t.Errorf("a read that somebody waited for was ended: %v", ended)
		}

		all.Go(func() { _, _ = reads.Do(t.Context(), 1, first) })
		synctest.Wait()
		ask(15*time.Millisecond, "")
		all.Wait()
		synctest.Wait()
		if ended == nil {
			t.Error("a read that nobody waits for goes on")
		}
	})
}

func TestAPanicIsEverybodysError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		reads := share.Reads[int, string]{Log: slog.New(slog.NewTextHandler(&log, nil))}
		var all sync.WaitGroup
		all.Go(func() {
			_, _ = reads.Do(t.Context(), 1, func(context.Context) (string, error) { time.Sleep(time.Millisecond); return "", nil })
		})
		synctest.Wait()
		for range 2 {
			all.Go(func() {
				if _, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { panic("!") }); blog.KindOf(err) != blog.Internal {
					t.Errorf("%v", err)
				}
			})
		}
		all.Wait()
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "reads_test.go") {
			t.Errorf("the log has %q, want one line with the stack", text)
		}
		if got, err := reads.Do(t.Context(), 1, func(context.Context) (string, error) { return "again", nil }); got != "again" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}
