package cql

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gocql/gocql"
)

// A read without an answer is asked of a second node, after as long as nearly all reads take.
//
//	first node    ├───────────────────────╳ cancelled
//	second node         p99 ├──────▶ the answer
const (
	leastDelay = 10 * time.Millisecond
	mostDelay  = 250 * time.Millisecond

	// Where all nodes are slow, this share of reads is asked twice, and at first some that were saved up.
	hedgedShare = 0.1
	mostHedges  = 500
)

// hedges knows when reads are asked of a second node.
type hedges struct {
	made atomic.Int64

	mu    sync.Mutex
	delay time.Duration // about the 99th percentile of what reads take
	left  float64       // that may be made
}

// begin returns how long the first node has.
func (h *hedges) begin() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.delay = min(max(h.delay, leastDelay), mostDelay)
	h.left = min(h.left+hedgedShare, mostHedges)
	return h.delay
}

// end learns from a read. The delay rests where one of a hundred takes longer.
func (h *hedges) end(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if took > h.delay {
		h.delay += h.delay / 16
	} else {
		h.delay -= h.delay / (16 * 99)
	}
}

// take reports whether a read may be asked twice.
func (h *hedges) take() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	may := h.left >= 1
	if may {
		h.left--
	}
	return may
}

// Attempts is the context of those at one read.
type Attempts struct {
	context.Context
	mu    sync.Mutex
	asked []*gocql.HostInfo
}

// Claim reports whether a node was asked by none of the attempts, and is by this one. What is no such read may ask any.
func (a *Attempts) Claim(node *gocql.HostInfo) bool {
	if a == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	free := !slices.Contains(a.asked, node)
	a.asked = append(a.asked, node)
	return free
}

// Hedged returns how many reads were asked of a second node.
func (s *Session) Hedged() int64 { return s.hedges.made.Load() }

// ask makes a read, whose answer is the first page. At the serial consistency, where reads write, it is made once.
func (s *Session) ask(ctx context.Context, level gocql.Consistency, read func(context.Context) *gocql.Iter) *gocql.Iter {
	if level != s.consistency {
		return read(ctx)
	}
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	attempts := &Attempts{Context: ctx}
	second := make(chan *gocql.Iter, 1)
	hedge := time.AfterFunc(s.hedges.begin(), func() {
		iter := &gocql.Iter{}
		if s.hedges.take() {
			iter = read(attempts)
		}
		if iter.Host() != nil {
			s.hedges.made.Add(1)
		}
		if answered(iter) {
			cancel() // the first
		}
		second <- iter
	})
	first := read(attempts)
	s.hedges.end(time.Since(began))
	if !hedge.Stop() && !answered(first) {
		if iter := <-second; answered(iter) {
			return iter
		}
	}
	return first
}

// answered reports whether a node did, if only that there are no rows.
func answered(iter *gocql.Iter) bool {
	return iter.NumRows() > 0 || iter.Host() != nil && iter.Close() == nil
}
