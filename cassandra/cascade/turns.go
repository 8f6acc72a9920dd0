package cascade

import (
	"sync"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"

	lru "github.com/hashicorp/golang-lru/v2"
)

// turns are the walks of this process for users' names. Those of one user take turns. A
// walk serves every rename whose truth stood before it began:
//
//	to "ann" ──┬ walks ────────────┐
//	to "amy"   │   └ waits ────────┼ walks, for version 4 ─┐
//	to "bob"   │         └ waits ──┘   waits ──────────────┴ served: it made version 4
//
// However many renames of a user a server that died has left, they are one walk then.
type turns struct {
	mu      sync.Mutex
	walking map[blog.UserID]*nameTurn
	wanted  map[blog.UserID]int          // the highest version that is waited for
	waiting int                          // for turns, in all
	walked  *lru.Cache[blog.UserID, int] // after which version of the user the last whole walk began
}

// maxWalked is of how many users it is known that a walk has ended: some 500 kB.
const maxWalked = 1 << 12

// nameTurn is a walk under way.
type nameTurn struct {
	command blog.CommandID
	version int           // of the user, before the walk began
	ended   chan struct{} // closed at its end
}

// Meanwhile is what a rename does while another walk for its user is under way.
type Meanwhile int

const (
	Waits      Meanwhile = iota // waits until that has ended
	ComesAgain                  // goes away with [cql.ErrHeld]
)

// turn is what a rename that asks for its turn is told.
type turn struct {
	served  bool            // a walk that has ended did all there is to do
	mine    bool            // it is its turn; end must follow
	version int             // that its walk serves
	ended   <-chan struct{} // else: to be waited for; stopWaiting must follow
}

func newTurns() turns {
	walked, _ := lru.New[blog.UserID, int](maxWalked) // fails for a size below 1 only
	return turns{walking: map[blog.UserID]*nameTurn{}, wanted: map[blog.UserID]int{}, walked: walked}
}

func (t *turns) begin(user blog.UserID, command blog.CommandID, version int, how Meanwhile) (turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last, known := t.walked.Get(user); known && last >= version {
		return turn{served: true}, nil
	}
	now := t.walking[user]
	switch {
	case now == nil:
		version = max(version, t.wanted[user])
		delete(t.wanted, user)
		t.walking[user] = &nameTurn{command: command, version: version, ended: make(chan struct{})}
		return turn{mine: true, version: version}, nil
	case now.command == command || how == ComesAgain || t.waiting >= job.MaxJobs:
		return turn{}, cql.ErrHeld
	}
	t.wanted[user] = max(t.wanted[user], version)
	t.waiting++
	return turn{ended: now.ended}, nil
}

// end ends a user's walk. whole: it reached every row.
func (t *turns) end(user blog.UserID, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.walking[user]
	delete(t.walking, user)
	if whole {
		t.walked.Add(user, now.version)
	}
	close(now.ended)
}

func (t *turns) inWait() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting
}

func (t *turns) stopWaiting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting--
}
