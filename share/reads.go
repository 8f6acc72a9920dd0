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
// another in a second, and a caller that is alone with what it asks for waits for nobody.
//
// What is shared is an answer, or an error that is one, as that there is no such post. A read
// that failed has answered nobody: it is the error of the one caller whose read it was, and the
// others, as far as they have time, try again. So no caller fails for the deadline, the
// cancellation or the bad luck of another.
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
	read    func(context.Context) (V, error) // of the first of them
	values  context.Context                  // of the first of them
	until   time.Time                        // the latest of their deadlines
	endless bool                             // one of them has none
	waiting int

	cancel context.CancelFunc // once it has begun
	done   chan struct{}      // closed at its end, then value and err are set
	value  V
	err    error
}

const (
	// stalledAfter is when the next read does not wait any longer for one that is under
	// way: it may be one of a node that is dying.
	stalledAfter = 50 * time.Millisecond

	// sharedTries is how many reads of others a caller waits for that fail. Then it reads
	// alone: where every read fails, none takes much longer to say so than if nobody shared.
	sharedTries = 2
)

// Do returns what read returns: called at once where nothing is under way for the key, else
// by one of those who ask meanwhile, for all of them, after what is under way has ended.
func (r *Reads[K, V]) Do(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	for range sharedTries {
		value, own, err := r.try(ctx, key, read)
		if err == nil || own || answers(err) || ctx.Err() != nil {
			return value, err
		}
	}
	return read(ctx)
}

// answers reports whether an error is what any read would find, and not that one failed.
func answers(err error) bool {
	switch blog.KindOf(err) {
	case blog.Internal, blog.Unavailable, blog.Timeout:
		return false
	}
	return true
}

// try is Do with one read, which is the caller's own or another's.
func (r *Reads[K, V]) try(ctx context.Context, key K, read func(context.Context) (V, error)) (value V, own bool, err error) {
	r.mu.Lock()
	at := r.underWay[key]
	if at == nil || at.next == nil && time.Since(at.began) >= stalledAfter {
		at = r.begin(key)
		r.mu.Unlock()
		defer r.end(key, at)
		value, err = read(ctx)
		return value, true, err
	}
	n := at.next
	if n == nil {
		own = true
		n = &next[V]{read: read, values: ctx, done: make(chan struct{})}
		at.next = n
		at.stalled = time.AfterFunc(stalledAfter-time.Since(at.began), func() { r.end(key, at) })
	} else if r.Joined != nil {
		r.Joined()
	}
	n.join(ctx)
	r.mu.Unlock()
	select {
	case <-n.done:
		return n.value, own, n.err
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.leave(); n.waiting == 0 && at.next == n {
		at.next = nil
	}
	return value, own, &blog.Error{Kind: blog.Timeout, Message: "the deadline passed", Err: ctx.Err()}
}

// join has a caller wait for the read, which may take as long as the caller may. Like leave
// and start it is called under the lock.
func (n *next[V]) join(ctx context.Context) {
	n.waiting++
	deadline, bounded := ctx.Deadline()
	n.endless = n.endless || !bounded
	if deadline.After(n.until) {
		n.until = deadline
	}
}

// leave ends the read where nobody is left who waits for it.
func (n *next[V]) leave() {
	if n.waiting--; n.waiting == 0 && n.cancel != nil {
		n.cancel()
	}
}

// start returns the context of the read: its own, that ends with none of those who wait for
// it, but with the last of them.
func (n *next[V]) start() context.Context {
	ctx := context.WithoutCancel(n.values)
	if n.endless {
		ctx, n.cancel = context.WithCancel(ctx)
	} else {
		ctx, n.cancel = context.WithDeadline(ctx, n.until)
	}
	return ctx
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
	go r.run(n.start(), key, r.begin(key), n)
}

// run makes a read for those who wait for it.
func (r *Reads[K, V]) run(ctx context.Context, key K, at *underWay[K, V], n *next[V]) {
	defer r.end(key, at)
	defer close(n.done)
	defer n.cancel()
	n.err = blog.SafelyTold(cmp.Or(r.Log, slog.Default()), func() (err error) {
		n.value, err = n.read(ctx)
		return err
	})
}
