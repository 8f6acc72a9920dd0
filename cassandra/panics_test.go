package cassandra

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
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

func TestPanicOfABatchOfWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log panicLog
		write := func(_ context.Context, entries ...cql.Bound) error {
			time.Sleep(writeTakes)
			if entries[0].Args[0] == "panics" {
				panic("boom")
			}
			return nil
		}
		b := newBatches(write, func(context.Context, []cql.Bound, time.Time, error) {}, 1, 0, log.log())
		st := cql.Statement{Table: blog.Journal}
		errs := writeAtOnce(t, b, []cql.Bound{st.With("first")}, []cql.Bound{st.With("panics")}, []cql.Bound{st.With("beside it")})
		for _, err := range errs[1:] {
			wantInternal(t, err)
		}
		for _, entry := range []string{"after", "after that"} {
			if err := errors.Join(writeAtOnce(t, b, []cql.Bound{st.With(entry)})...); err != nil {
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
