// Package share lets those who ask for the same at once share one read.
//
// A single flight, as it is known, lets whoever comes join the read that is under way; then
// a client may not see what it was told is written, for that read may have begun before.
// Here whoever comes waits for the next read and shares that one:
//
//	A ──▶ ├── read ──┤
//	B ────────▶      ├── read ──┤ for B, C and D
//	C ──────────▶    │
//	D ─────────────▶ │
//
// So a page that is asked for ten thousand times a second costs as many reads as follow one
// another in a second, and whoever is alone with what it asks for waits for nobody.
package share

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"broadsheet/blog"
)

// Reads are the reads of one kind that are under way, by what they are asked. Each has one
// answer for all who share it, which none of them may change. The zero value is ready; it is
// safe for concurrent use.
type Reads[K comparable, V any] struct {
	Joined func()       // is told of each caller that shares another's read; nil: nobody
	Log    *slog.Logger // is told of panics, each of which many may wait for; nil: the default

	mu       sync.Mutex
	underWay map[K]*underWay[K, V]
}

// underWay is a read that has begun, of one key, and the next one where somebody waits.
type underWay[K comparable, V any] struct {
	began   time.Time
	next    *next[V]
	stalled *time.Timer // begins the next one, where there is one, though this one goes on
}

// next is a read that has not begun, for all who have asked since the last one began.
type next[V any] struct {
	read    func(context.Context) (V, error)
	ctx     context.Context // its own: it does not end with one of those who wait
	cancel  context.CancelFunc
	waiting int
	done    chan struct{} // closed at its end, then value and err are set
	value   V
	err     error
}

const (
	// stalledAfter is when the next read does not wait any longer for one that is under
	// way: it may be one of a node that is dying.
	stalledAfter = 50 * time.Millisecond

	// longest is what a shared read may take where nobody says.
	longest = 30 * time.Second
)

// itsOwn returns the context of a read that several share: with the deadline of the first,
// which is the earliest, but it does not end when he leaves.
func itsOwn(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		deadline = time.Now().Add(longest)
	}
	return context.WithDeadline(context.WithoutCancel(ctx), deadline)
}

// Do returns what read returns: called at once where nothing is under way for the key, else
// by one of those who ask meanwhile, for all of them, after what is under way has ended.
func (r *Reads[K, V]) Do(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	r.mu.Lock()
	at := r.underWay[key]
	if at == nil || at.next == nil && time.Since(at.began) >= stalledAfter {
		at = r.begin(key)
		r.mu.Unlock()
		defer r.end(key, at)
		return read(ctx)
	}
	n := at.next
	if n == nil {
		own, cancel := itsOwn(ctx)
		n = &next[V]{read: read, ctx: own, cancel: cancel, done: make(chan struct{})}
		at.next = n
		at.stalled = time.AfterFunc(stalledAfter-time.Since(at.began), func() { r.end(key, at) })
	} else if r.Joined != nil {
		r.Joined()
	}
	n.waiting++
	r.mu.Unlock()
	select {
	case <-n.done:
		return n.value, n.err
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.waiting--; n.waiting == 0 {
		n.cancel() // nobody is left who wants it
		if at.next == n {
			at.next = nil
		}
	}
	var none V
	return none, &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: ctx.Err()}
}

// begin notes that a read of a key is under way. It is called under the lock.
func (r *Reads[K, V]) begin(key K) *underWay[K, V] {
	if r.underWay == nil {
		r.underWay = map[K]*underWay[K, V]{}
	}
	at := &underWay[K, V]{began: time.Now()}
	r.underWay[key] = at
	return at
}

// end begins the next read of a key, or forgets the key where nobody waits: once a read has
// ended, or takes long.
func (r *Reads[K, V]) end(key K, at *underWay[K, V]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.underWay[key] != at {
		return // the next one did not wait for it
	}
	if at.stalled != nil {
		at.stalled.Stop()
	}
	n := at.next
	if at.next = nil; n == nil {
		delete(r.underWay, key)
		return
	}
	go r.run(key, r.begin(key), n)
}

// run makes a read for those who wait for it.
func (r *Reads[K, V]) run(key K, at *underWay[K, V], n *next[V]) {
	defer r.end(key, at)
	defer close(n.done)
	defer n.cancel()
	n.err = blog.SafelyTold(cmp.Or(r.Log, slog.Default()), func() (err error) {
		n.value, err = n.read(n.ctx)
		return err
	})
}
