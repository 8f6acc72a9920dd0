package storetest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
)

// NewStore opens a store that t closes.
type NewStore = func(t *testing.T, options blog.Options) blog.Store

const (
	compareEvery = 500 // commands between two comparisons of everything
	lastShown    = 25  // commands that a failure tells

	keepAll = 1000 * 24 * time.Hour // changes of a run are judged in its end
)

// Differential makes the same random commands on the model and on other stores,
// which must be empty, and fails where an answer differs: of a command, of the
// queries for what it touched, and, now and then, of every query there is. The
// same seed makes the same commands.
//
// All stores are given one clock. It stands still while a command runs, so times
// are compared as they are. Stamps and the feed's places are the stores' own. Ids
// are compared by the order of their creation, for what else a store draws from
// its source of ids is its own business too.
func Differential(t *testing.T, seed uint64, commands int, stores map[string]NewStore) {
	ctx := t.Context()
	start := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	d := &differential{T: t, ctx: ctx, clock: NewClock(start), start: start, random: rand.New(rand.NewPCG(seed, 0))}
	d.add("model", seed, func(_ *testing.T, options blog.Options) blog.Store { return NewModel(options) })
	for _, name := range slices.Sorted(maps.Keys(stores)) {
		d.add(name, seed, stores[name])
	}
	for d.step = 1; d.step <= commands; d.step++ {
		d.passTime()
		d.command(d.randomCommand())
		if d.step%compareEvery == 0 || d.step == commands {
			d.compareAll()
		}
	}
	for _, s := range d.sides {
		d.judge(s)
	}
}

// differential is one run. Users, posts and comments are named by numbers, in the
// order of their creation.
type differential struct {
	*testing.T
	ctx    context.Context
	clock  *Clock
	start  time.Time
	random *rand.Rand
	sides  []*side // the first is the model
	step   int
	keyed  []randomCommand // the last that had a key
	last   []string        // the last commands and their answers
	given  map[string]bool // texts of commands
}

func (d *differential) add(name string, seed uint64, newStore NewStore) {
	d.Helper()
	store := newStore(d.T, blog.Options{Clock: d.clock, IDs: blog.NewIDs(d.clock, Random(seed)), KeepChanges: keepAll})
	empty, err := store.Empty(d.ctx)
	if err != nil || !empty {
		d.Fatalf("%s is not empty (%v)", name, err)
	}
	d.sides = append(d.sides, &side{name: name, ctx: d.ctx, store: Checked(d.T, store), names: map[blog.UUID]string{}})
}

// judge compares the whole feed of a side with what it has made, and its tables with what the model shows:
// a text that was given and is not shown any more, or never was, stands nowhere.
func (d *differential) judge(s *side) {
	d.Helper()
	ReadFeed(d.T, s.store).Judge(d.T, s.store, Made{s.users, s.posts, s.comments})
	scanned, may := s.store.(*checked).under.(Scanned)
	if !may {
		return
	}
	var shown strings.Builder
	model := d.sides[0]
	for i := range model.users {
		shown.WriteString(model.userByID(i))
	}
	for i := range model.posts {
		shown.WriteString(model.postByID(i))
	}
	for i := range model.comments {
		shown.WriteString(model.commentByKey(i))
	}
	for i := range groupNumbers {
		shown.WriteString(model.groupByID(i))
	}
	all, gone := strings.ToLower(shown.String()), []string{}
	for text := range d.given {
		if escaped := strings.Trim(asText(text), `"`); len(text) >= leastScanned && !strings.Contains(all, strings.ToLower(escaped)) {
			gone = append(gone, text)
		}
	}
	d.Logf("%s: of %d texts that were given %d may stand nowhere", s.name, len(d.given), len(gone))
	WantNowhere(d.T, scanned.EveryText(d.T), gone...)
}

// leastScanned is the length of a text that is not in another by chance, in bytes.
const leastScanned = 5

// text notes a text that a command is given.
func (d *differential) text(text string) string {
	if d.given == nil {
		d.given = map[string]bool{}
	}
	d.given[text] = true
	return text
}

// passTime moves the clock on, now and then not at all.
func (d *differential) passTime() {
	switch n := d.random.IntN(10); {
	case n < 3:
	case n < 6:
		d.clock.Advance(time.Duration(d.random.IntN(3_000)) * time.Microsecond)
	default:
		d.clock.Advance(time.Duration(d.random.IntN(3_000)) * time.Millisecond)
	}
}

// command runs a command everywhere, and compares the answers and what it touched.
// Those that create nothing are now and then run with the clock gone back: an id's
// time would then depend on which other ids a store had drawn.
func (d *differential) command(c randomCommand) {
	if !c.creates && d.oneIn(8) {
		back := time.Duration(d.random.IntN(3_000)) * time.Millisecond
		d.clock.Advance(-back)
		defer d.clock.Advance(back)
	}
	command := c.on(d.sides[0])
	d.remember(fmt.Sprintf("%d, at %s: %T %s", d.step, d.clock.Now().Format(time.StampMicro), command, d.sides[0].text(command)))
	answer := d.compare("the command's answer", func(s *side) string {
		answer := s.do(c.on(s))
		if err := s.store.Settle(s.ctx); err != nil {
			return fmt.Sprintf("settle: %v", err)
		}
		return answer
	})
	d.remember("      → " + answer)
	for _, user := range c.users {
		d.compare("its user", func(s *side) string { return s.userByID(user) })
	}
	for _, post := range c.posts {
		d.compare("its post", func(s *side) string { return s.postByID(post) })
	}
	for _, comment := range c.comments {
		d.compare("its comment", func(s *side) string { return s.commentByKey(comment) })
	}
}

func (d *differential) remember(line string) {
	d.last = append(d.last, shorten(line, 400))
	d.last = d.last[max(0, len(d.last)-2*lastShown):]
}

// compare returns the model's answer, and fails where a side's is another.
func (d *differential) compare(what string, answer func(s *side) string) string {
	d.Helper()
	want := answer(d.sides[0])
	for _, s := range d.sides[1:] {
		if got := answer(s); got != want {
			d.Fatalf("%s differs after command %d.\n%s: %s\nmodel: %s\nThe last commands:\n%s",
				what, d.step, s.name, shorten(got, 4_000), shorten(want, 4_000), strings.Join(d.last, "\n"))
		}
	}
	return want
}
