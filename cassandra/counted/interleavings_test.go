package counted

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/storetest"
)

// world is some processes that change one partition at once.
type world struct {
	*partition
	processes []*Partitions[string, row]
	commands  []*command
}

// The refusals of the tests' changes.
var (
	errFull     = blog.Errorf(blog.Invalid, "full")
	errClosed   = blog.Errorf(blog.NotFound, "closed")
	errConflict = blog.Errorf(blog.VersionConflict, "conflict")
	errMissing  = blog.Errorf(blog.NotFound, "no such row")
	errStop     = blog.Errorf(blog.Forbidden, "may not proceed")
)

// newWorld returns processes on a partition that takes so many rows.
func newWorld(seed uint64, processes, room int, f faults) *world {
	w := &world{partition: newPartition(seed, f)}
	for range processes {
		w.processes = append(w.processes, New(Config{
			Name: "rows", Clock: blog.SystemClock{}, Log: slog.New(slog.DiscardHandler), Limit: new(Limit),
			Full: func(_ string, rows, _ int) error {
				if rows > room {
					return errFull
				}
				return nil
			},
			Gone:   errClosed,
			Jitter: func(pause time.Duration) time.Duration { return time.Duration(w.draw(int(pause) + 1)) },
		}, w.partition))
	}
	return w
}

// command is one change, and what its caller was told.
type command struct {
	id      int
	kind    cql.Statement
	row     blog.UUID
	shared  bool // another command makes the same row, as under one idempotency key
	version int  // that it goes by
	err     error
	outcome Outcome
}

func (c *command) switches() bool { return c.kind == switchOn || c.kind == switchOff }

// change returns the command's change. An edit, and a deletion, tells by the row's history that it
// was applied; a switch goes by the row alone.
func (c *command) change() Change[row] {
	change := Change[row]{
		Row: c.row, Fresh: c.kind == makeRow && !c.shared,
		Entries: func(Header) []cql.Bound { return []cql.Bound{c.kind.With(c.row, c.id, c.version)} },
		Reread:  c.reread,
	}
	switch c.kind {
	case makeRow, switchOn:
		change.Delta = 1
	case deleteRow, switchOff:
		change.Delta = -1
	}
	return change
}

func (c *command) reread(now row, maybe bool) (exists bool, err error) {
	made := len(now.by) > 0
	switch c.kind {
	case makeRow:
		return made, nil
	case switchOn, switchOff:
		return now.exists == (c.kind == switchOn), nil
	}
	switch {
	case maybe && slices.Contains(now.by, c.id):
		return true, nil
	case !made || !now.exists:
		return false, errMissing
	case c.kind == editRow && now.version > c.version+3:
		return false, errConflict
	}
	c.version = now.version
	return false, nil
}

// script draws what the commands do: so many of them, on few rows.
func (w *world) script(n int) {
	for id := range n {
		c := &command{id: id + 1, row: blog.UUID{15: byte(id + 1)}, kind: makeRow}
		switch w.draw(10) {
		case 0, 1, 2:
		case 3: // the row of another command, under the same key
			c.row, c.shared = blog.UUID{14: 1, 15: byte(w.draw(2))}, true
		case 4, 5: // of a row that exists from the start
			c.row, c.kind, c.version = blog.UUID{13: 1, 15: byte(w.draw(3))}, editRow, 1
		case 6:
			c.row, c.kind, c.version = blog.UUID{13: 1, 15: byte(w.draw(3))}, deleteRow, 1
		case 7, 8:
			c.row, c.kind = blog.UUID{12: 1, 15: byte(w.draw(2))}, switchOn
		case 9:
			c.row, c.kind = blog.UUID{12: 1, 15: byte(w.draw(2))}, switchOff
		}
		w.commands = append(w.commands, c)
	}
	for i := range 3 {
		w.rows[blog.UUID{13: 1, 15: byte(i)}] = row{exists: true, version: 1, by: []int{-1}}
	}
	w.header = Header{Rows: 3, Version: 1, Stamp: 1}
	w.history = append(w.history, w.header)
}

// run makes all commands, each of some process and at some time, and waits until nothing of them
// is left, late batches included.
func (w *world) run(ctx context.Context, closes bool) {
	var all sync.WaitGroup
	for _, c := range w.commands {
		p, begins, patience := w.processes[w.draw(len(w.processes))], w.delay(), 5*time.Second
		if w.chance(10) {
			patience = 3 * w.faults.longest
		}
		all.Go(func() {
			time.Sleep(begins)
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			leave, err := p.Enter("p")
			if err != nil {
				c.err = err
				return
			}
			defer leave()
			change := c.change()
			if read := p.HeaderNow(ctx, "p", &change.Seen); read != nil {
				if c.err = cql.Insist(ctx, func(context.Context) error { return read() }); c.err != nil {
					return
				}
			}
			c.outcome, c.err = p.Commit(ctx, "p", change)
		})
	}
	if closes {
		begins := 4 * w.delay()
		all.Go(func() {
			time.Sleep(begins)
			_ = cql.Insist(ctx, func(ctx context.Context) error { return w.processes[0].Close(ctx, "p") })
		})
	}
	all.Wait()
	time.Sleep(time.Hour)
	synctest.Wait()
}

// judge says what is wrong with what the commands were told.
func (w *world) judge() (wrong []string) {
	wrong = slices.Clone(w.broken)
	say := func(c *command, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("command %d, %s of row %x: ", c.id, c.kind.Text, c.row[12:])+fmt.Sprintf(format, args...))
	}
	exist := 0
	for _, r := range w.rows {
		if r.exists {
			exist++
		}
	}
	if exist != w.header.Rows {
		wrong = append(wrong, fmt.Sprintf("the header counts %d rows of %d", w.header.Rows, exist))
	}
	for _, c := range w.commands {
		effects := w.applied[c.id]
		// A row that is switched keeps no history: a switch whose answer was lost, and that
		// another has undone since, is made once more.
		if len(effects) > 1 && !c.switches() {
			say(c, "was applied %d times", len(effects))
		}
		switch {
		case c.err == nil:
			w.judgeSuccess(c, effects, say)
		case refusedForGood(c.err):
			if len(effects) > 0 && !w.undone(c, effects) {
				say(c, "was refused with %v, and applied in version %d", c.err, effects[0].version)
			}
		case errors.Is(c.err, cql.ErrUnsure): // the rows of a partition that was closed tell no more of a lost answer
			if !w.header.Closed || !blog.IsNotFound(c.err) {
				say(c, "is told %v", c.err)
			}
		case blog.KindOf(c.err) != blog.Timeout && blog.KindOf(c.err) != blog.Unavailable:
			say(c, "failed with %v", c.err)
		}
	}
	for i, p := range w.processes {
		if len(p.queues) > 0 || p.Limit.commands.Load() > 0 {
			wrong = append(wrong, fmt.Sprintf("process %d keeps %d queues and %d commands", i, len(p.queues), p.Limit.commands.Load()))
		}
	}
	return wrong
}

// undone reports whether a switch whose answer was lost was undone by another since. It is made once
// more then, and may be refused.
func (w *world) undone(c *command, effects []effect) bool {
	return c.switches() && w.lost > 0 && slices.ContainsFunc(w.commands, func(o *command) bool {
		return o.row == c.row && o.kind != c.kind && slices.ContainsFunc(w.applied[o.id], func(e effect) bool {
			return e.version > effects[len(effects)-1].version
		})
	})
}

func refusedForGood(err error) bool {
	return slices.Contains([]error{errFull, errClosed, errConflict, errMissing, errStop}, err)
}

// judgeSuccess: it was applied, or another's change made what it wanted; and the count that it was
// told is the one as of it, or one as of a later header.
func (w *world) judgeSuccess(c *command, effects []effect, say func(*command, string, ...any)) {
	if len(effects) == 0 && !c.shared && !c.switches() {
		say(c, "succeeded, and was never applied")
		return
	}
	since := int64(1)
	if len(effects) > 0 {
		since = effects[0].version
	}
	told := c.outcome
	if told.Version < since || told.Version >= int64(len(w.history)) {
		say(c, "was told of version %d, and applied in version %d of %d", told.Version, since, len(w.history)-1)
		return
	}
	if h := w.history[told.Version]; h.Rows != told.Rows || h.Stamp != told.Stamp {
		say(c, "was told that version %d has %d rows at stamp %d, want %d at %d", told.Version, told.Rows, told.Stamp, h.Rows, h.Stamp)
	}
	// Only where an answer was lost may the count be read later than the change was made.
	late := told.Version > since || len(effects) == 0 || w.lost > 0
	if !slices.Contains(effects, effect{told.Version, told.Own}) && (!late || told.Own != told.Rows) {
		say(c, "was told the count %d in version %d, which has %d", told.Own, told.Version, told.Rows)
	}
}

// The ways in which a network and its nodes behave.
var weathers = map[string]faults{
	"fair":          {old: 20, longest: 5 * time.Millisecond},
	"lost answers":  {notSent: 10, lost: 15, late: 15, again: 10, old: 20, longest: 5 * time.Millisecond},
	"storm":         {notSent: 20, lost: 20, late: 25, again: 20, unread: 30, old: 40, longest: 30 * time.Millisecond},
	"batches apart": {lost: 10, late: 10, tooLarge: 30, longest: 5 * time.Millisecond},
}

// rare is seeds of what few seeds show: a switch that is undone, made once more, and refused; a row
// whose partition is closed between the readings of its header and of its rows.
var rare = map[string][]uint64{"storm": {1962932703, 3746765400}}

// Many interleavings of commands, processes, lost and late answers: every change of which its
// command was told that it exists is counted once, none that was refused is, the count equals the
// rows at every version, each command is told its own count, and no outcome is guessed.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	const each = 500
	for name, weather := range weathers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, began := storetest.Seed(t), time.Now()
			told := map[string]int{}
			for _, seed := range rare[name] {
				interleave(t, seed, weather, told)
			}
			for n := range uint64(each) {
				interleave(t, first+n, weather, told)
				if t.Failed() {
					return
				}
			}
			t.Logf("%.0f interleavings a second; the commands were told %v", each/time.Since(began).Seconds(), told)
		})
	}
}

func interleave(t *testing.T, seed uint64, weather faults, told map[string]int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		draw := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(seed, 1+draw.IntN(3), 4+draw.IntN(9), weather)
		w.script(2 + draw.IntN(8))
		w.run(t.Context(), draw.IntN(5) == 0)
		if wrong := w.judge(); len(wrong) > 0 {
			t.Errorf("seed %d:\n%s", seed, strings.Join(wrong, "\n"))
		}
		for _, c := range w.commands {
			told[kindName(c.err)]++
		}
	})
}

func kindName(err error) string {
	if err == nil {
		return "success"
	}
	return fmt.Sprint(blog.KindOf(err))
}
