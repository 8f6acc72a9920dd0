package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Load is a closed loop: each of so many callers makes its next request when the last
// one was answered.
type Load struct {
	Connections int
	Duration    time.Duration // after it nothing new is asked
	Count       int           // requests in all, instead of Duration; 0: as many as fit
	Seed        uint64        // the same seed draws the same for every model
}

// Result is what a load measured.
type Result struct {
	Requests   int     `json:"requests"`
	Errors     int     `json:"errors"`
	FirstError string  `json:"firstError,omitempty"`
	PerSecond  float64 `json:"perSecond"`
	// Latencies of what was answered without an error, in milliseconds.
	P50 float64 `json:"p50ms"`
	P95 float64 `json:"p95ms"`
	P99 float64 `json:"p99ms"`
	// CPU is the measuring process's own time for each request, in milliseconds: the
	// generator's, and where the model is called directly also its and its driver's.
	CPU float64 `json:"cpuMs"`
}

// Run makes requests until the load's end, or ctx's. What is under way then is waited
// for.
func (l Load) Run(ctx context.Context, do func(context.Context, *rand.Rand) error) Result {
	callers := make([]caller, max(l.Connections, 1))
	began, spent := time.Now(), processTime()
	var made atomic.Int64
	more := func() bool {
		if ctx.Err() != nil {
			return false
		}
		if l.Count > 0 {
			return made.Add(1) <= int64(l.Count)
		}
		return time.Since(began) < l.Duration
	}
	var all sync.WaitGroup
	for i := range callers {
		random := rand.New(rand.NewPCG(l.Seed, uint64(i)))
		all.Go(func() { callers[i].loop(ctx, random, more, do) })
	}
	all.Wait()
	return result(callers, time.Since(began), processTime()-spent)
}

// caller is one of those who ask.
type caller struct {
	latencies []time.Duration
	errors    int
	first     error
}

func (c *caller) loop(ctx context.Context, random *rand.Rand, more func() bool, do func(context.Context, *rand.Rand) error) {
	for more() {
		began := time.Now()
		if err := do(ctx, random); err == nil {
			c.latencies = append(c.latencies, time.Since(began))
		} else {
			if c.errors++; c.first == nil {
				c.first = err
			}
			pause(ctx)
		}
	}
}

// afterError is how long a caller rests after an error: who is refused at once would
// otherwise count refusals, and take the machine for them.
const afterError = 20 * time.Millisecond

func pause(ctx context.Context) {
	t := time.NewTimer(afterError)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func result(callers []caller, took, cpu time.Duration) Result {
	var r Result
	var latencies []time.Duration
	for _, c := range callers {
		latencies = append(latencies, c.latencies...)
		r.Errors += c.errors
		if r.FirstError == "" && c.first != nil {
			r.FirstError = c.first.Error()
		}
	}
	slices.Sort(latencies)
	r.Requests = len(latencies) + r.Errors
	r.PerSecond = float64(len(latencies)) / took.Seconds()
	r.P50, r.P95, r.P99 = percentile(latencies, 50), percentile(latencies, 95), percentile(latencies, 99)
	r.CPU = milliseconds(cpu) / float64(max(r.Requests, 1))
	return r
}

// percentile returns the nearest rank of sorted latencies, in milliseconds; 0 where
// there are none.
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := (p*len(sorted) + 99) / 100
	return milliseconds(sorted[rank-1])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
