package embedded

import (
	"context"
	"sync"
	"sync/atomic"

	"broadsheet/blog"
)

// asides are what goes on behind the replies of commands: the erasures of accounts, or the posts on their way to homes.
type asides[K ~struct{ blog.UUID }] struct {
	done atomic.Int64 // rows since the process began

	mu   sync.Mutex
	of   map[K]int     // commands that may begin one, and what goes on with it
	idle chan struct{} // closed while there are none; nil at first
}

// hold has one count as under way until release is called.
func (a *asides[K]) hold(of K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.of) == 0 {
		a.of, a.idle = map[K]int{}, make(chan struct{})
	}
	a.of[of]++
}

func (a *asides[K]) release(of K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[of]--; a.of[of] == 0 {
		delete(a.of, of)
	}
	if len(a.of) == 0 {
		close(a.idle)
	}
}

// around calls f at a moment, and returns which are under way then.
func (a *asides[K]) around(f func()) map[K]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	all := map[K]bool{}
	for of := range a.of {
		all[of] = true
	}
	return all
}

// wait returns when none is under way.
func (a *asides[K]) wait(ctx context.Context) error {
	a.mu.Lock()
	idle := a.idle
	a.mu.Unlock()
	return whenClosed(ctx, idle)
}

// progress tells of them.
func (a *asides[K]) progress() blog.JobProgress {
	return blog.JobProgress{Running: len(a.around(func() {})), Copies: a.done.Load()}
}
