package auditor_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// What a repair mends is deleted as it does so, after one of the statements that write; when a repair has been
// there again, all is as the truths say.
func TestRepairBesideDeletions(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	store := testkeyspace.Open(t, config, blog.Options{})
	ends := &endsMeanwhile{t: t, store: store}
	repairer := testkeyspace.Open(t, config, blog.Options{Observer: ends})
	repair := audit.Verifying{Repair: true, Force: true}
	seed := storetest.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, d := range damages {
		if d.late || d.lost != 0 {
			continue
		}
		w := newSmall(t, store)
		must(t, store.Settle(t.Context()))
		testkeyspace.Execute(t, config, keyspaced(w.fill(d.cql, "")))
		ends.end(w, random.IntN(3), 1+random.IntN(2))
		if _, err := repair.Run(t.Context(), repairer); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
		ends.end(small{}, 0, 0)
		must(t, store.Settle(t.Context()))
	}
	t.Logf("%d of %d were deleted meanwhile", ends.ended, len(damages))
	_, err := repair.Run(t.Context(), repairer)
	must(t, err)
	testkeyspace.WantClean(t, config, store)
	if t.Failed() {
		t.Logf("STORETEST_SEED=%d", seed)
	}
}

// endsMeanwhile deletes something after a statement that writes.
type endsMeanwhile struct {
	t     *testing.T
	store *cassandra.Store

	mu    sync.Mutex
	of    small
	what  int // 0: the post; 1: its comment; 2: the account
	after int // statements that write; 0: none, or no more
	ended int
}

func (e *endsMeanwhile) end(of small, what, after int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.of, e.what, e.after = of, what, after
}

func (e *endsMeanwhile) Statement(_ context.Context, s blog.Statement) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.after == 0 || s.Kind == blog.Read {
		return
	}
	if e.after--; e.after > 0 {
		return
	}
	e.ended++
	w, ctx := e.of, e.t.Context()
	var err error
	switch e.what {
	case 0:
		err = e.store.DeletePost(ctx, blog.DeletePost{Actor: w.user.ID, Post: w.post.ID})
	case 1:
		_, err = e.store.DeleteComment(ctx, blog.DeleteComment{Actor: w.user.ID, Key: w.comment.Key()})
	default:
		err = e.store.DeleteAccount(ctx, blog.DeleteAccount{Role: blog.Operator, User: w.user.ID})
	}
	if kind := blog.KindOf(err); err != nil && kind != blog.NotFound && kind != blog.Forbidden {
		e.t.Error(err)
	}
	if err := e.store.Settle(ctx); err != nil {
		e.t.Error(err)
	}
}
