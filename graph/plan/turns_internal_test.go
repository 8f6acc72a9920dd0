package plan

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/internal/pace"
)

// aClient returns places for one large answer at a time.
func aClient() pace.Places { return pace.NewPlaces(1) }

// largeAnswer is an answer of a client that has written so much that it is large.
func largeAnswer(turns, client pace.Places) *Limit {
	l := &Limit{Turns: turns, Making: client}
	l.spend(large)
	return l
}

// Of a large answer one goroutine writes at a time, however many read beside each other; of one that is made in
// turns from its beginning one does anything; of one that is known to be large one from the first chunk on; of a small
// one any number.
func TestALargeAnswerIsWrittenByOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size         int
		large, whole bool
		want         int
	}{
		"large": {2 * chunk, false, false, 1}, "whole": {8, false, true, 1}, "known to be": {2 * chunk, true, false, 1},
		"small": {8, false, false, maxBeside}, "of small rows": {8, true, false, maxBeside},
	} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			texts, now, most := map[*row]int{}, 0, 0
			x := &tree{rows: many(100, 2, strings.Repeat("x", c.size)), large: c.large, whole: c.whole}
			x.text = func(_ context.Context, r *row) error {
				mu.Lock()
				texts[r]++
				counts := c.size < chunk || texts[r] > 1 && (c.large || x.texts.Load() > 2*maxBeside) // what came before is not told yet
				if counts {
					now++
					most = max(most, now)
				}
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				if counts {
					now--
				}
				return nil
			}
			x.answering(t, t.Context(), `{ rows { one(x: 1) { text a: text b: text c: text } } }`, func(int) bool { return true })
			if most != c.want || x.texts.Load() != 400 {
				t.Errorf("%s: %d goroutines wrote at once, %d texts", name, most, x.texts.Load())
			}
		})
	}
}

// Answers of different clients are written in turn, a goroutine of each, and none holds up another
// once it is made or reads.
func TestAnswersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := pace.NewPlaces(1)
		var order strings.Builder
		var all sync.WaitGroup
		for _, name := range []string{"a", "b", "c"} {
			all.Go(func() {
				l := largeAnswer(turns, aClient())
				defer l.End()
				var own turn
				for range 3 {
					own.take(l, aTurn)
					order.WriteString(name)
					time.Sleep(time.Millisecond)
				}
				own.leave(l)
			})
			synctest.Wait()
		}
		all.Wait()
		if got := order.String(); got != "abcabcabc" {
			t.Errorf("they wrote in the order %s", got)
		}
		if len(turns) > 0 {
			t.Errorf("%d slots are taken, of none", len(turns))
		}
	})
}

// The large answers of a client are made one after the other, each as long as its client waits for it.
func TestALargeAnswerOfAClientWaitsForTheOneBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, one, other := pace.NewPlaces(2), aClient(), aClient()
		began := time.Now()
		var all sync.WaitGroup
		answer := func(client pace.Places, patience time.Duration, want time.Duration) {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				l := largeAnswer(turns, client)
				l.Ended = ctx.Done()
				defer l.End()
				var own turn
				own.take(l, 1)
				if waited := time.Since(began); waited != want {
					t.Errorf("an answer waited %v, want %v", waited, want)
				}
				own.leave(l)
				time.Sleep(time.Second) // it reads on
			})
			synctest.Wait()
		}
		answer(one, time.Hour, 0)
		answer(one, time.Hour, time.Second)
		answer(one, 500*time.Millisecond, 500*time.Millisecond)
		answer(other, time.Hour, 0)
		all.Wait()
		if len(one)+len(other) > 0 {
			t.Error("answers are under way that are made")
		}
	})
}

// An answer that is known to be large is written in turns before it fills memory, and then waits for the client's one before,
// without its turn.
func TestAnAnswerGivesItsTurnBackBeforeItFillsMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, one, other := pace.NewPlaces(1), aClient(), aClient()
		before, next, others := largeAnswer(turns, one), &Limit{Turns: turns, Making: one, Large: true}, largeAnswer(turns, other)
		var its, own turn
		its.take(before, 1)
		its.leave(before)
		began := time.Now()
		own.take(next, 1)
		if !own.slot || time.Since(began) > 0 {
			t.Errorf("it waited %v for the one before, and holds little: %+v", time.Since(began), own)
		}
		time.AfterFunc(time.Hour, before.End)
		time.AfterFunc(time.Minute, func() {
			began := time.Now()
			its.take(others, 1)
			if !its.slot || time.Since(began) > 0 {
				t.Errorf("another waited %v for one that waits", time.Since(began))
			}
			its.leave(others)
		})
		next.spend(large)
		own.take(next, 1)
		if waited := time.Since(began); waited != time.Hour || !own.slot {
			t.Errorf("it waited %v for the one before: %+v", waited, own)
		}
		own.leave(next)
		next.End()
		others.End()
		if len(one)+len(other) > 0 {
			t.Error("answers are under way that are made")
		}
	})
}

// A goroutine that waits in its turn holds up others for a while only.
func TestATurnIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := pace.NewPlaces(1)
		stuck, next := largeAnswer(turns, aClient()), largeAnswer(turns, aClient())
		var its, own turn
		its.take(stuck, 1)
		began := time.Now()
		own.take(next, 1)
		if waited := time.Since(began); waited != mostPatience {
			t.Errorf("it waited %v", waited)
		}
		own.leave(next)
		its.leave(stuck)
		own.take(next, 1)
		if !own.slot {
			t.Error("what was given back is not there")
		}
		own.leave(next)
	})
}
