package blogtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/blog"
)

const (
	patience = 2 * time.Minute // for a whole leaf test; only a hang needs it
	window   = time.Hour       // of the feed that belongs to one leaf test
	tick     = time.Second     // between two commands
)

// fixture is what one leaf test works with: a store with a clock of its own,
// names that nobody else has, and helpers that make the test fail where
// something goes wrong. Its part of the feed is its own as well: the clocks of
// two leaf tests start a window apart.
type fixture struct {
	*testing.T
	ctx    context.Context
	store  blog.Store
	raw    blog.Store // the store without its wrapper
	clock  *Clock
	start  time.Time
	random *rand.Rand
	prefix string // of its names
	named  int
}

func (s Suite) fixture(t *testing.T, index int) *fixture {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	start := s.epoch.Add(time.Duration(index) * window)
	clock := NewClock(start)
	ids := blog.NewIDs(clock, Random(s.seed, uint64(index)))
	raw := s.NewStore(t, blog.Options{Clock: clock, IDs: ids})
	return &fixture{
		T: t, ctx: ctx, store: Checked(t, raw), raw: raw, clock: clock, start: start,
		random: rand.New(rand.NewPCG(s.seed, uint64(index))),
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

// together runs n goroutines that start at once, and fails with their errors.
func (f *fixture) together(n int, do func(i int) error) {
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

// ok fails where err is one.
func (f *fixture) ok(err error, doing string) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: %v", doing, err)
	}
}

// refused fails unless err is a single error of that kind that blames that field,
// none where it is empty.
func (f *fixture) refused(err error, kind blog.Kind, field string) {
	f.Helper()
	if err == nil {
		f.Fatalf("succeeded, want it refused as %v", kind)
	}
	all := blog.Each(err)
	if len(all) != 1 || all[0].Kind != kind || fieldOf(all[0]) != field {
		f.Fatalf("refused with %s, want %v on field %q", faultsOf(err), kind, field)
	}
}

func fieldOf(e *blog.Error) string { return strings.Join(e.Field, ".") }

// notFound fails unless err says so.
func (f *fixture) notFound(err error, what string) {
	f.Helper()
	if !blog.IsNotFound(err) {
		f.Fatalf("%s: %v, want it not found", what, err)
	}
}

// equal fails unless two values are the same when written as JSON, which looks
// through pointers.
func equal[T any](f *fixture, what string, got, want T) {
	f.Helper()
	if g, w := asText(got), asText(want); g != w {
		f.Fatalf("%s:\n got %s\nwant %s", what, shorten(g, 2_000), shorten(w, 2_000))
	}
}

func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shorten cuts a text for people.
func shorten(text string, limit int) string {
	if len(text) > limit {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:limit], ""), len(text))
	}
	return text
}

// faultsOf returns the kinds and fields of an error, which say all that matters
// to a program, and its text.
func faultsOf(err error) string {
	if err == nil {
		return "ok"
	}
	var parts []string
	for _, e := range blog.Each(err) {
		parts = append(parts, fmt.Sprintf("%v %v", e.Kind, e.Field))
	}
	return fmt.Sprintf("%v (%v)", parts, err)
}

func ptr[T any](value T) *T { return &value }
