package counted

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/pace"
)

// watched is a partition whose conditional batches a test looks at.
type watched struct {
	*partition
	batches []int // entries of each
	before  func(entries []cql.Bound) (bool, error)
}

func (w *watched) Replace(ctx context.Context, parent string, now, next Header, entries []cql.Bound) (bool, error) {
	w.batches = append(w.batches, len(entries))
	if w.before != nil {
		if stop, err := w.before(entries); stop {
			return false, err
		}
	}
	return w.partition.Replace(ctx, parent, now, next, entries)
}

// one returns one process on one partition that never fails, and takes a millisecond each way.
func one(t *testing.T) (*watched, *Partitions[string, row]) {
	t.Helper()
	w := newWorld(1, 1, maxCommands, faults{longest: 1})
	table := &watched{partition: w.partition}
	return table, New(w.processes[0].Config, table)
}

func making(n int) *command {
	return &command{id: n, row: blog.UUID{14: byte(n >> 8), 15: byte(n)}, kind: makeRow}
}

// commit makes changes at once, in their order, and returns the counts that they are told.
func commit(t *testing.T, p *Partitions[string, row], changes ...Change[row]) (own []int, errs []error) {
	t.Helper()
	own, errs = make([]int, len(changes)), make([]error, len(changes))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var all sync.WaitGroup
	for i, change := range changes {
		all.Go(func() {
			var outcome Outcome
			outcome, errs[i] = p.Commit(ctx, "p", change)
			own[i] = outcome.OwnCount().N
		})
		synctest.Wait()
	}
	all.Wait()
	synctest.Wait()
	if len(p.queues) > 0 {
		t.Errorf("%d queues are left", len(p.queues))
	}
	return own, errs
}

// What comes while a batch is in flight shares the next one, and each change is told its own count.
func TestChangesShareABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		own, errs := commit(t, p, making(1).change(), making(2).change(), making(3).change(), making(4).change())
		if !slices.Equal(own, []int{1, 2, 3, 4}) || errors.Join(errs...) != nil || !slices.Equal(table.batches, []int{1, 3}) {
			t.Errorf("counts %v, %v, in batches of %v", own, errs, table.batches)
		}
	})
}

func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 50_000)
	for name, c := range map[string]struct {
		changes int
		args    []any // of each change's entry, beside what the fake reads
		want    []int
	}{
		"by their changes": {1 + 100, nil, []int{1, maxBatch, 100 - maxBatch}},
		"by their size":    {1 + 5, []any{text}, []int{1, 2, 2, 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			table, p := one(t)
			var changes []Change[row]
			for n := range c.changes {
				change := making(n + 1).change()
				entries := change.Entries
				change.Entries = func(h Header) []cql.Bound {
					bound := entries(h)
					bound[0].Args = append(bound[0].Args, c.args...)
					return bound
				}
				changes = append(changes, change)
			}
			if _, errs := commit(t, p, changes...); errors.Join(errs...) != nil || !slices.Equal(table.batches, c.want) {
				t.Errorf("%s: %v, in batches of %v, want %v", name, errors.Join(errs...), table.batches, c.want)
			}
		})
	}
}

// Two changes of one row keep their order, in batches of their own.
func TestChangesOfOneRowShareNoBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		like := func(id int, kind cql.Statement) Change[row] {
			return (&command{id: id, row: blog.UUID{12: 1}, kind: kind}).change()
		}
		own, errs := commit(t, p, making(9).change(), like(1, switchOn), like(2, switchOff), like(3, switchOn), making(8).change())
		if errors.Join(errs...) != nil || !slices.Equal(own, []int{1, 2, 2, 3, 3}) || !slices.Equal(table.batches, []int{1, 2, 1, 1}) {
			t.Errorf("counts %v, %v, in batches of %v", own, errs, table.batches)
		}
	})
}

// A batch that the database does not take as it is, is tried change by change: only the one to
// blame fails.
func TestOneBadChangeHarmsNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		bad := making(3)
		table.before = func(entries []cql.Bound) (bool, error) {
			found := slices.ContainsFunc(entries, func(e cql.Bound) bool { return e.Args[0] == bad.row })
			return found, blog.Errorf(blog.Internal, "a value that can't be written")
		}
		own, errs := commit(t, p, making(1).change(), making(2).change(), bad.change(), making(4).change())
		if blog.KindOf(errs[2]) != blog.Internal || errors.Join(errs[0], errs[1], errs[3]) != nil || !slices.Equal(own, []int{1, 2, 0, 3}) {
			t.Errorf("counts %v, %v", own, errs)
		}
	})
}

// A row whose cells contradict what is read of them refuses every attempt: its change ends, and
// those beside it do not.
func TestARowThatRefusesForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		damaged := &command{id: 3, row: blog.UUID{13: 1}, kind: editRow, version: 1}
		change := damaged.change()
		change.Reread = func(row, bool) (bool, error) { return false, nil }
		_, errs := commit(t, p, making(1).change(), making(2).change(), change, making(4).change())
		if blog.KindOf(errs[2]) != blog.Internal || !strings.Contains(errs[2].Error(), "contradict") || errors.Join(errs[0], errs[1], errs[3]) != nil {
			t.Errorf("%v", errs)
		}
		if n := len(table.batches); n > 12 {
			t.Errorf("%d batches were tried", n)
		}
	})
}

// What a change must do before each attempt is done at once with that of others; its error ends
// the change, and one that takes long goes to the end of the queue.
func TestWhatIsDoneBeforeAnAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, p := one(t)
		with := func(n int, before func(ctx context.Context) error) Change[row] {
			change := making(n).change()
			change.Before = func(Header) func(context.Context) error { return before }
			return change
		}
		began, slow := time.Now(), 0
		takes := func(d time.Duration) func(context.Context) error {
			return func(ctx context.Context) error { return cql.Convert(ctx, pace.Wait(ctx, d)) }
		}
		own, errs := commit(t, p,
			making(1).change(),
			with(2, takes(500*time.Millisecond)),
			with(3, func(context.Context) error { return errStop }),
			with(4, func(ctx context.Context) error {
				if slow++; slow == 1 {
					return takes(time.Minute)(ctx)
				}
				return nil
			}),
			with(5, func(context.Context) error { panic("boom") }),
			with(6, nil),
		)
		if errs[2] != errStop || blog.KindOf(errs[4]) != blog.Internal || errors.Join(errs[0], errs[1], errs[3], errs[5]) != nil {
			t.Errorf("%v", errs)
		}
		if !slices.Equal(own, []int{1, 2, 0, 4, 0, 3}) || slow != 2 {
			t.Errorf("counts %v, and the slow one was asked %d times", own, slow)
		}
		if took := time.Since(began); took < askLimit || took > askLimit+100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

func TestPanicOfABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		var log bytes.Buffer
		p.Log = slog.New(slog.NewTextHandler(&log, nil))
		first := true
		table.before = func([]cql.Bound) (bool, error) {
			if first {
				first = false
				time.Sleep(time.Second)
				panic("boom")
			}
			return false, nil
		}
		own, errs := commit(t, p, making(1).change(), making(2).change())
		if blog.KindOf(errs[0]) != blog.Internal || errs[1] != nil || own[1] != 1 {
			t.Errorf("counts %v, %v", own, errs)
		}
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "batch_test.go") {
			t.Errorf("the log has %q, want one line with the stack", text)
		}
	})
}

// A change whose time is over while it waits is not made; one whose batch was sent may be.
func TestChangesThatEndWhileTheyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		table.before = func([]cql.Bound) (bool, error) { time.Sleep(time.Second); return false, nil }
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		errs := make([]error, 3)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				of := ctx
				if i == 2 {
					of = t.Context()
				}
				_, errs[i] = p.Commit(of, "p", making(i+1).change())
			})
			synctest.Wait()
		}
		all.Wait()
		if blog.KindOf(errs[0]) != blog.Timeout || blog.KindOf(errs[1]) != blog.Timeout || errs[2] != nil {
			t.Errorf("%v", errs)
		}
		if len(table.applied[2]) > 0 || len(table.applied[3]) != 1 {
			t.Errorf("applied: %v", table.applied)
		}
	})
}

func TestTooManyCommands(t *testing.T) {
	t.Parallel()
	_, p := one(t)
	var leave []func()
	for n := range maxAllCommands + 2 {
		parent := string(rune('a' + n/maxCommands))
		left, err := p.Enter(parent)
		if crowded := n >= maxAllCommands; (err != nil) != crowded {
			t.Fatalf("command %d: %v", n, err)
		}
		if err == nil {
			leave = append(leave, left)
		}
	}
	leave[0]()
	if _, err := p.Enter("b"); err != errCrowded {
		t.Errorf("a partition takes more than %d commands: %v", maxCommands, err)
	}
	again, err := p.Enter("a")
	if err != nil {
		t.Fatal(err)
	}
	again()
	for _, left := range leave[1:] {
		left()
	}
	if len(p.queues) > 0 || p.Limit.commands.Load() != 0 {
		t.Errorf("%d queues and %d commands are left", len(p.queues), p.Limit.commands.Load())
	}
}

// A process that is alone goes by the header that it wrote last; for a minute after it lost a race
// it reads.
func TestHeadersAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		known := func(want bool) {
			t.Helper()
			var now Header
			read := p.HeaderNow(t.Context(), "p", &now)
			if (read == nil) != want || want && now != table.header {
				t.Errorf("known %v as %+v, want %v", read == nil, now, want)
			}
		}
		known(false)
		commit(t, p, making(1).change())
		known(true)
		if err := New(p.Config, p.Table).Fence(t.Context(), "p", 0); err != nil {
			t.Fatal(err)
		}
		commit(t, p, making(2).change())
		known(false)
		time.Sleep(readsHeaders)
		known(true)
	})
}

func TestFenceAndClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, p := one(t)
		commit(t, p, making(1).change())
		floor := time.Now().Add(time.Hour).UnixMicro()
		if err := p.Fence(t.Context(), "p", floor); err != nil || table.header.Version != 2 || table.header.Stamp != floor+1 {
			t.Errorf("%v, %+v", err, table.header)
		}
		if err := errors.Join(p.Close(t.Context(), "p"), p.Close(t.Context(), "p"), p.Fence(t.Context(), "p", floor)); err != nil {
			t.Error(err)
		}
		if h := table.header; !h.Closed || h.Version != 3 || h.Stamp != floor+2 || h.Count() != (blog.Count{N: 1, Stamp: floor + 2}) {
			t.Errorf("%+v", h)
		}
		if _, errs := commit(t, p, making(2).change()); errs[0] != errClosed {
			t.Errorf("a change of a closed partition: %v", errs[0])
		}
		if err := p.Clear(t.Context(), "p"); err != nil || len(table.rows) != 0 || len(table.broken) > 0 {
			t.Errorf("%v, %v, %v", err, table.rows, table.broken)
		}
	})
}

// A header of nothing is guarded by nulls, for the cells do not exist.
func TestGuard(t *testing.T) {
	t.Parallel()
	if version, rows := (Header{}).Guard(); version != nil || rows != nil {
		t.Errorf("%v, %v", version, rows)
	}
	if version, rows := (Header{Version: 2}).Guard(); version != int64(2) || rows != 0 {
		t.Errorf("%v, %v", version, rows)
	}
	var h Header
	if plain, sized := h.Columns(false), h.Columns(true); len(plain) != 4 || len(sized) != 6 {
		t.Errorf("%d and %d columns", len(plain), len(sized))
	}
	if size := (Header{Rows: 3}).Size(); size != 3 {
		t.Errorf("a header of before rows were stored has the size %d", size)
	}
}
