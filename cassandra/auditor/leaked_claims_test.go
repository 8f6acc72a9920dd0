package auditor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
	"broadsheet/internal/testkeyspace"
)

// Claims of which nobody knows the holder are released, and nothing is written of whom they name.
func TestRepairWritesNothingOfWhomItDoesNotFind(t *testing.T) {
	t.Parallel()
	l := newLeaked(t)
	repaired := verified(t, l.store, audit.Verifying{Repair: true})
	if repaired.Repaired() != 3 || repaired.Left() > 0 {
		t.Errorf("%d repaired, %d left: %q", repaired.Repaired(), repaired.Left(), found(repaired))
	}
	for _, table := range []blog.Table{blog.UsersByID, blog.UsernameClaims, blog.EmailClaims, blog.SubjectClaims} {
		if rows := testkeyspace.JSON(t, l.config, table); len(rows) > 0 {
			t.Errorf("%s has %q", table, rows)
		}
	}
}

// The createUser whose claims a repair releases comes again, with its ids, after one of the repair's
// statements. It has its claims in the end.
func TestRepairBesideACreationThatComesAgain(t *testing.T) {
	t.Parallel()
	l := newLeaked(t)
	met := true
	for k := 1; met; k++ {
		met = false
		left := -1 // statements before; none but those of deletions are counted
		var mu sync.Mutex
		repairer := testkeyspace.Open(t, l.config, blog.Options{Observer: observing(func(blog.Statement) {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				met = true
				_, err := l.store.CreateUser(context.WithoutCancel(t.Context()), l.create)
				must(t, err)
			}
		})})
		verified(t, repairer, audit.Verifying{Repair: true, Concurrency: 1, Plan: func([]audit.Deletion) {
			mu.Lock()
			left = k
			mu.Unlock()
		}})
		if met {
			l.wantClaims(t, fmt.Sprintf("after statement %d", k))
			l.leak(t)
		}
		t.Logf("%d: met %t", k, met)
	}
}

// A createUser has claimed its names, and then waits until the repair has tried to release one.
func TestRepairBesideACreationThatHasClaimed(t *testing.T) {
	t.Parallel()
	l := newLeaked(t)
	claimed, goOn := make(chan struct{}), make(chan struct{})
	waits, tried := sync.OnceFunc(func() { close(claimed); <-goOn }), sync.OnceFunc(func() { close(goOn) })
	creator := testkeyspace.Open(t, l.config, blog.Options{Observer: observing(func(s blog.Statement) {
		if s.Kind == blog.Conditional && s.Table == blog.SubjectClaims {
			waits()
		}
	})})
	attempts := 0
	var mu sync.Mutex
	repairer := testkeyspace.Open(t, l.config, blog.Options{Observer: observing(func(s blog.Statement) {
		mu.Lock()
		defer mu.Unlock()
		if s.Kind == blog.Conditional && s.Table == blog.UsernameClaims {
			if attempts++; attempts == 4 { // it was taken over, and is to be once more
				tried()
			}
		}
	})})
	created := make(chan error, 1)
	_, err := audit.Verifying{Repair: true, Concurrency: 1, Plan: func([]audit.Deletion) {
		go func() {
			_, err := creator.CreateUser(context.WithoutCancel(t.Context()), l.create)
			created <- err
		}()
		<-claimed
	}}.Run(t.Context(), repairer)
	tried()
	must(t, err)
	must(t, <-created)
	must(t, creator.Settle(t.Context()))
	l.wantClaims(t, "beside the repair")
}

// leaked are the claims of a createUser of which nothing else is left, and which may come again.
type leaked struct {
	config cassandra.Config
	store  *cassandra.Store
	create blog.CreateUser
}

func newLeaked(t *testing.T) *leaked {
	t.Helper()
	key, email := "k", "ann@example.org"
	l := &leaked{config: testkeyspace.New(t), create: blog.CreateUser{Subject: "ann", Username: "ann", Email: &email, ProvedEmail: email, IdempotencyKey: &key}}
	l.store = testkeyspace.Open(t, l.config, blog.Options{})
	_, err := l.store.CreateUser(t.Context(), l.create)
	must(t, err)
	l.leak(t)
	return l
}

// leak takes away all of the user but its claims, the outcome of its key, and what commands have left open.
func (l *leaked) leak(t *testing.T) {
	t.Helper()
	must(t, l.store.Settle(t.Context()))
	testkeyspace.Execute(t, l.config, "TRUNCATE %s.users_by_id", "TRUNCATE %s.users_by_username", "TRUNCATE %s.users_by_email", "TRUNCATE %s.users_by_subject", "TRUNCATE %s.journal",
		"DELETE outcome FROM %s.idempotency_keys WHERE owner = 'ann' AND mutation = 'createUser' AND key = 'k' IF EXISTS")
}

// wantClaims checks that the user stands, with all that is its.
func (l *leaked) wantClaims(t *testing.T, when string) {
	t.Helper()
	must(t, l.store.Settle(t.Context()))
	if _, err := l.store.UserByUsername(t.Context(), "ann"); err != nil {
		t.Errorf("%s: %v", when, err)
	}
	if drift := verified(t, l.store, audit.Verifying{}); drift.Drifted() > 0 {
		t.Errorf("%s: %q", when, found(drift))
	}
}

type observing func(blog.Statement)

func (o observing) Statement(_ context.Context, s blog.Statement) { o(s) }
