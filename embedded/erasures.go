package embedded

import (
	"context"
	"sync"
	"sync/atomic"

	"broadsheet/blog"
)

// erasures are those of this process that are under way.
type erasures struct {
	done atomic.Int64 // things that were deleted since the process began

	mu   sync.Mutex
	of   map[blog.UserID]int // by account: commands that may begin one, and what goes on with it
	idle chan struct{}       // closed while there are none; nil at first
}

// hold has an account's erasure count as under way until release is called.
func (e *erasures) hold(user blog.UserID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.of) == 0 {
		e.of, e.idle = map[blog.UserID]int{}, make(chan struct{})
	}
	e.of[user]++
}

func (e *erasures) release(user blog.UserID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of[user]--; e.of[user] == 0 {
		delete(e.of, user)
	}
	if len(e.of) == 0 {
		close(e.idle)
	}
}

// around calls f at a moment, and returns whose erasures are under way then.
func (e *erasures) around(f func()) map[blog.UserID]bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
	users := map[blog.UserID]bool{}
	for user := range e.of {
		users[user] = true
	}
	return users
}

// wait returns when no erasure is under way.
func (e *erasures) wait(ctx context.Context) error {
	e.mu.Lock()
	idle := e.idle
	e.mu.Unlock()
	return whenClosed(ctx, idle)
}
