package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
)

const (
	patience = 10 * time.Minute // for a whole leaf test; only a hang needs it
	window   = time.Hour        // of the feed that belongs to one leaf test
	tick     = time.Second      // between two commands

	farAhead = 10_000 * window // in no other leaf test's part of the feed
)

// fixture is what one leaf test works with: a store with a clock of its own,
// names that nobody else has, and helpers that make the test fail where
// something goes wrong. Its part of the feed is its own as well: the clocks of
// two leaf tests start a window apart.
type fixture struct {
	*testing.T
	ctx        context.Context
	store      blog.Store
	raw        blog.Store // the store without its wrapper
	statements *statements
	clock      *Clock
	start      time.Time
	random     *rand.Rand
	prefix     string // of its names
	named      int

	kind     *blog.ReactionKind // that reactions are of
	reacting *sync.Map          // the users that gave one, by their ids
	standIns *sync.Map          // users that stand in for posts, by those; nil until one is needed
}

func (s Suite) fixture(t *testing.T, index int) *fixture {
	ctx, cancel := context.WithTimeout(asking(context.Background()), patience)
	t.Cleanup(cancel)
	start := s.epoch.Add(time.Duration(index) * window)
	clock := NewClock(start)
	ids := blog.NewIDs(clock, Random(s.seed, uint64(index)))
	seen := &statements{}
	raw := s.NewStore(t, blog.Options{Clock: clock, IDs: ids, Observer: seen})
	return &fixture{
		reacting: new(sync.Map), standIns: new(sync.Map),
		T: t, ctx: ctx, store: Checked(t, raw), raw: raw, statements: seen, clock: clock, start: start,
		random: rand.New(rand.NewPCG(s.seed, uint64(index))),
		kind:   blog.Likes,
		prefix: fmt.Sprintf("n%s_%d", strconv.FormatUint(s.seed%(1<<32), 36), index),
	}
}

// on returns the fixture reporting to another test.
func (f *fixture) on(t *testing.T) *fixture {
	other := *f
	other.T = t
	return &other
}

// name returns a username that nobody has, in lower case.
func (f *fixture) name() string {
	f.named++
	return fmt.Sprintf("%s_%d", f.prefix, f.named)
}

// atOnce runs n goroutines that start at once, and fails with their errors.
func (f *fixture) atOnce(n int, do func(i int) error) {
	f.Helper()
	start := make(chan struct{})
	errs := make([]error, n)
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	done.Wait()
	for i, err := range errs {
		if err != nil {
			f.Errorf("goroutine %d: %v", i, err)
		}
	}
	if f.Failed() {
		f.FailNow()
	}
}

// settle waits for the store's work in the background.
func (f *fixture) settle() {
	f.Helper()
	f.ok(f.store.Settle(f.ctx), "settle")
}

func ptr[T any](value T) *T { return &value }
