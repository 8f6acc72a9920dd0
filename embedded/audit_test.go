package embedded

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// A store that closes lets an audit read nothing more, and waits until it is closed.
func TestCloseWaitsForAudits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := closes(t)
		u, p := account(t, s)
		a, err := s.Audit(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		visited := 0
		err = a.EachTruth(t.Context(), blog.PostsByID, 0, false, func(audit.TruthRow) error {
			visited++
			go func() { closed <- s.Close() }()
			for s.inside.admits() {
				if err := s.Ready(t.Context()); err != nil {
					break
				}
			}
			// A call that is inside enters no more, and learns so at once.
			if _, err := a.True(t.Context(), blog.PostsByID, p.ID); blog.KindOf(err) != blog.Unavailable {
				t.Errorf("a reading of the audit: %v, want unavailable", err)
			}
			if err := s.Repair(t.Context(), audit.Drift{Table: blog.PostsByID, Key: []any{p.ID}, Post: p.ID}); blog.KindOf(err) != blog.Unavailable {
				t.Errorf("a repair: %v, want unavailable", err)
			}
			return nil
		})
		if blog.KindOf(err) != blog.Unavailable || visited != 1 {
			t.Errorf("the audit: %v after %d posts, want unavailable after one", err, visited)
		}
		if _, err := s.UserByID(t.Context(), u.ID); blog.KindOf(err) != blog.Unavailable {
			t.Errorf("a query: %v, want unavailable", err)
		}
		synctest.Wait()
		select {
		case err := <-closed:
			t.Errorf("the store was closed before its audit was: %v", err)
		default:
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// An audit ends with its context, not with its table.
func TestAuditLooksAtItsContext(t *testing.T) {
	s := closes(t)
	account(t, s)
	if _, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "bob", Username: "bob"}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Audit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx, cancel := context.WithCancel(t.Context())
	visited := 0
	err = a.EachTruth(ctx, blog.UsersByID, 0, false, func(audit.TruthRow) error {
		visited++
		cancel()
		return nil
	})
	if blog.KindOf(err) != blog.Timeout || visited != 1 {
		t.Errorf("%v after %d users, want a timeout after one", err, visited)
	}
}

func TestGate(t *testing.T) {
	g := &gate{}
	if !g.enter() || !g.enter() || !g.admits() {
		t.Fatal("it is not open")
	}
	if !g.shut() || g.shut() {
		t.Error("it was not shut once")
	}
	for range 3 {
		if g.enter() || g.admits() {
			t.Error("it is open after it was shut")
		}
	}
	g.leave()
	select {
	case <-g.empty:
		t.Error("it is empty, and one is inside")
	default:
	}
	g.leave()
	<-g.empty
	g.enter()

	idle := &gate{}
	idle.shut()
	<-idle.empty
}

// What a command would have let be forgotten is looked for again where it was not committed.
func TestForgettingIsCommitted(t *testing.T) {
	s := closes(t)
	failed := errors.New("failed")
	before := s.oldestKey
	forget := func(fails error) {
		t.Helper()
		err := s.command(t.Context(), func(tx *tx) error {
			tx.oldest = []byte{1}
			tx.put(usersByID, []byte{usersByID.prefix}, nil)
			return fails
		})
		if !errors.Is(err, fails) {
			t.Error(err)
		}
	}
	forget(failed)
	if string(s.oldestKey) != string(before) {
		t.Error("a command that failed was believed")
	}
	forget(nil)
	if string(s.oldestKey) != "\x01" {
		t.Error("a command that was committed was not believed")
	}
}
