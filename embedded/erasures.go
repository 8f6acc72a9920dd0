package embedded

import (
	"context"
	"log/slog"
	"sync"

	"broadsheet/blog"
)

// erasures are those of this process that are under way.
type erasures struct {
	log *slog.Logger

	mu   sync.Mutex
	of   map[blog.UserID]*underWay
	idle chan struct{} // closed while there are none; nil at first
	done int64         // things that were deleted since the process began
}

// underWay is an erasure that a command is about to begin, or that is gone on with.
type underWay struct {
	holders int // commands, and what goes on with it
	goes    bool
}

// hold has an erasure count as under way until release is called.
func (e *erasures) hold(user blog.UserID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held(user)
}

// held counts one more holder. The erasures are locked.
func (e *erasures) held(user blog.UserID) *underWay {
	if e.of == nil {
		e.of = map[blog.UserID]*underWay{}
	}
	if len(e.of) == 0 {
		e.idle = make(chan struct{})
	}
	if e.of[user] == nil {
		e.of[user] = &underWay{}
	}
	e.of[user].holders++
	return e.of[user]
}

func (e *erasures) release(user blog.UserID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of[user].holders--; e.of[user].holders > 0 {
		return
	}
	if delete(e.of, user); len(e.of) == 0 {
		close(e.idle)
	}
}

// begin goes on with an account's erasure, unless that is being done.
func (e *erasures) begin(user blog.UserID, erase func(blog.UserID) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.of[user] != nil && e.of[user].goes {
		return
	}
	e.held(user).goes = true
	go func() {
		defer e.release(user)
		err := blog.SafelyLogged(e.log, func() error { return erase(user) })
		e.stopped(user)
		if err != nil {
			e.log.Warn("an account's erasure is left for later", "user", user, "error", err)
		}
	}()
}

func (e *erasures) stopped(user blog.UserID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of[user].goes = false
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

// progress returns how far the job is.
func (e *erasures) progress() blog.JobProgress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return blog.JobProgress{Running: len(e.of), Copies: e.done}
}

func (e *erasures) erased() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
}

// wait returns when no erasure is under way.
func (e *erasures) wait(ctx context.Context) error {
	e.mu.Lock()
	idle := e.idle
	e.mu.Unlock()
	return whenClosed(ctx, idle)
}
