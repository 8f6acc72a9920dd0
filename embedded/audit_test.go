package embedded

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"broadsheet/audit"
	"broadsheet/blog"
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
		err = a.EachPost(t.Context(), 0, func(blog.Post) error {
			visited++
			go func() { closed <- s.Close() }()
			for s.inside.open() {
				if err := s.Ready(t.Context()); err != nil {
					break
				}
			}
			// Whoever is inside comes in no more, and is told so at once.
			if _, _, err := a.Ref(t.Context(), p.ID); blog.KindOf(err) != blog.Unavailable {
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
	err = a.EachUser(ctx, 0, func(blog.User) error {
		visited++
		cancel()
		return nil
	})
	if blog.KindOf(err) != blog.Timeout || visited != 1 {
		t.Errorf("%v after %d users, want a timeout after one", err, visited)
	}
}

func TestDoorway(t *testing.T) {
	d := newDoorway()
	if !d.enter() || !d.enter() || !d.open() {
		t.Fatal("it is not open")
	}
	d.shut()
	for range 3 {
		if d.enter() || d.open() {
			t.Error("it is open after it was shut")
		}
	}
	d.leave()
	select {
	case <-d.empty:
		t.Error("it is empty, and one is inside")
	default:
	}
	d.leave()
	<-d.empty
	d.enter()

	idle := newDoorway()
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
