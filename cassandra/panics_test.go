package cassandra

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
)

// Whatever panics in a goroutine of the store's own is an error of those who wait for it, and
// the log has one line with the stack. What comes after goes its way. A bubble of synctest
// fails where a goroutine is left.

type panicLog struct{ bytes.Buffer }

func (l *panicLog) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *panicLog) want(t *testing.T, lines int) {
	t.Helper()
	if text := l.String(); strings.Count(text, "\n") != lines || lines > 0 && !strings.Contains(text, "panics_test.go") {
		t.Errorf("the log has %q, want %d lines with the stack", text, lines)
	}
}

func wantInternal(t *testing.T, err error) {
	t.Helper()
	if err == nil || blog.KindOf(err) != blog.Internal {
		t.Errorf("%v, want an internal error", err)
	}
}

func TestPanicOfOneOfSeveralReads(t *testing.T) {
	t.Parallel()
	for panicking := range 3 {
		synctest.Test(t, func(t *testing.T) {
			ended := make([]bool, 3)
			reads := make([]func() error, 3)
			for i := range reads {
				reads[i] = func() error {
					if i == panicking {
						panic("boom")
					}
					time.Sleep(time.Second) // of the bubble's clock
					ended[i] = true
					return nil
				}
			}
			wantInternal(t, together(reads...))
			for i := range reads {
				if i != panicking && !ended[i] {
					t.Errorf("it did not wait for read %d", i)
				}
			}
		})
	}
}

func TestPanicOfAGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		s := &Store{log: log.log(), clock: blog.SystemClock{}, deadline: time.Minute}
		l, attempts := commentsLedger(), 0
		l.attempt = func(context.Context, ...bound) (bool, map[string]any, error) {
			if attempts++; attempts == 1 {
				time.Sleep(time.Second)
				panic("boom")
			}
			return true, nil, nil
		}
		c := change{delta: 1, entries: func(head) []bound { return nil }}
		var all sync.WaitGroup
		all.Go(func() {
			_, err := s.commit(t.Context(), l, blog.PostID{}, c)
			wantInternal(t, err)
		})
		synctest.Wait()
		if now, err := s.commit(t.Context(), l, blog.PostID{}, c); err != nil || now.own != 1 {
			t.Errorf("the change that waited: %+v, %v", now, err)
		}
		all.Wait()
		synctest.Wait()
		if len(l.lines) != 0 {
			t.Errorf("%d lines are left", len(l.lines))
		}
		log.want(t, 1)
	})
}

func TestPanicOfABatchOfWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		write := func(_ context.Context, entries ...bound) error {
			time.Sleep(writeTakes)
			if entries[0].args[0] == "panics" {
				panic("boom")
			}
			return nil
		}
		b := newBatches(write, func(context.Context, []bound, time.Time, error) {}, 1, 0, log.log())
		st := statement{table: blog.Journal}
		errs := writeAtOnce(t, b, []bound{st.with("first")}, []bound{st.with("panics")}, []bound{st.with("beside it")})
		for _, err := range errs[1:] {
			wantInternal(t, err)
		}
		for _, entry := range []string{"after", "after that"} {
			if err := errors.Join(writeAtOnce(t, b, []bound{st.with(entry)})...); err != nil {
				t.Error(err)
			}
		}
		log.want(t, 1)
	})
}

func TestPanicInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		var b background
		b.init(log.log())
		b.run(t.Context(), func(context.Context) { panic("boom") })
		if err := b.wait(t.Context()); err != nil || len(b.places) != 0 {
			t.Errorf("%v, %d places are taken", err, len(b.places))
		}
		log.want(t, 1)
	})
}
