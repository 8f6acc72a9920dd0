package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// Edit settles what became of a command's attempts to edit a truth that remembers its edits: no outcome is guessed.
type Edit struct {
	Command blog.CommandID
	unsure  int // the version that the first attempt whose answer was lost went by; 0: none
}

// remembered is a truth that remembers its edits: a [User], a [Post]. V is what they make of it.
type remembered[T, V any] interface {
	Guard() Guard
	Update(next V, command blog.CommandID) cql.Bound
	raised(stamp int64) (T, cql.Bound) // it at a higher stamp, and the statement that writes that
	value() V
	history() History
}

// Edited is one edit of such a truth under way.
type Edited[ID any, T remembered[T, V], V any] struct {
	Edit
	Now     T    // as it was read last
	Next    V    // what the edit makes of it; once applied, the truth as of that or later
	Changed bool // Next is another than what stands

	of     *edits[ID, T, V]
	id     ID
	decide func(T) (next V, changed bool, err error)
	others cql.Contest // for the truth
}

// UserEdit is an edit of a user.
type UserEdit = Edited[blog.UserID, User, blog.User]

// PostEdit is an edit of a post.
type PostEdit = Edited[blog.PostID, Post, blog.Post]

// edits are those of a table of such truths.
type edits[ID any, T remembered[T, V], V any] struct {
	db    *cql.Session
	clock blog.Clock
	table blog.Table
	read  func(context.Context, ID, cql.Reader) (T, error)
}

// Edit returns a command's edit of a truth, which was read before. decide says what the edit makes of it, whether that
// is a change, and refuses it.
func (s *edits[ID, T, V]) Edit(command blog.CommandID, id ID, read T, decide func(T) (V, bool, error)) (Edited[ID, T, V], error) {
	e := Edited[ID, T, V]{Edit: Edit{Command: command}, Now: read, of: s, id: id, decide: decide, others: cql.Contest{Table: s.table, Key: id}}
	return e, e.begin()
}

// Fence raises a truth's stamp, and so makes every edit fail that goes by what it read before. It returns the truth as
// of that.
func (s *edits[ID, T, V]) Fence(ctx context.Context, id ID) (T, error) {
	return s.raise(ctx, id, 0, true)
}

// RaiseStamp makes a truth's stamp higher than a floor, so that a copy can be written where a deletion has passed.
func (s *edits[ID, T, V]) RaiseStamp(ctx context.Context, id ID, floor int64) (T, error) {
	return s.raise(ctx, id, floor, false)
}

// raise raises a truth's stamp above a floor; unless it is there already, if it need not move. The marks of the last
// edits stay: a stamp is not one.
func (s *edits[ID, T, V]) raise(ctx context.Context, id ID, floor int64, move bool) (t T, err error) {
	err = cql.Until(ctx, s.table, id, cql.Patiently(func() (done bool, by any, err error) {
		if t, err = s.read(ctx, id, s.db.OneSerial); err != nil || !move && t.Guard().Stamp > floor {
			return true, nil, err
		}
		read := t.Guard()
		var write cql.Bound
		t, write = t.raised(max(blog.NextStamp(s.clock, read.Stamp), floor+1))
		done, _, err = s.db.CompareAndSet(ctx, write)
		return done, read, err
	}))
	return t, err
}

// deletable is a truth that can be marked as deleted.
type deletable[T, V any] interface {
	remembered[T, V]
	deletion(at time.Time, stamp int64, command blog.CommandID) cql.Bound
	isDeleted() bool
}

// markDeleted marks a truth, which was read before, as deleted: the linearization point. keep is called before each
// attempt. NotFound: another command has deleted it meanwhile.
func markDeleted[ID any, T deletable[T, V], V any](ctx context.Context, s *edits[ID, T, V], id ID, now T, command blog.CommandID, keep func(context.Context) error) error {
	return cql.Until(ctx, s.table, id, func() (done bool, guard any, err error) {
		if err := keep(ctx); err != nil {
			return false, nil, err
		}
		under := now.Guard()
		applied, _, err := s.db.CompareAndSet(ctx, now.deletion(blog.Millisecond(s.clock.Now()), blog.NextStamp(s.clock, under.Stamp), command))
		lost := err != nil
		if applied && !lost || lost && blog.KindOf(err) == blog.Internal {
			return true, nil, err
		}
		err = cql.Insist(ctx, func(ctx context.Context) (err error) {
			now, err = s.read(ctx, id, s.db.OneSerial)
			return err
		})
		switch {
		case now.isDeleted() && now.history().Last == command:
			return true, nil, nil
		case err != nil:
			return false, nil, err
		case lost:
			return false, nil, nil
		}
		return false, under, nil
	})
}

func (e *Edited[ID, T, V]) begin() (err error) {
	e.Next, e.Changed, err = e.decide(e.Now)
	return err
}

// Apply brings the edit into the truth under the guard of its version and stamp, and decides anew where another was
// first, until it is there or there is nothing to change any more. keep is called before each attempt.
func (e *Edited[ID, T, V]) Apply(ctx context.Context, keep func(context.Context) error) error {
	for e.Changed {
		if err := keep(ctx); err != nil {
			return err
		}
		if applied, err := e.attempt(ctx); applied || err != nil {
			return err
		}
		if err := e.begin(); err != nil {
			return err
		}
	}
	return nil
}

// attempt writes Next, and reports whether that is in the truth. Where it is not known, or was refused, Now is the
// truth as it is then. With the same version and stamp the same attempt may be made again, for only one of two under
// one guard can pass it. Otherwise an attempt whose answer was lost is in the truth's history or will never be
// applied.
func (e *Edited[ID, T, V]) attempt(ctx context.Context) (applied bool, err error) {
	under := e.Now.Guard()
	applied, _, err = e.of.db.CompareAndSet(ctx, e.Now.Update(e.Next, e.Command))
	lost := err != nil
	switch {
	case applied && !lost:
		return true, nil
	case lost && blog.KindOf(err) == blog.Internal:
		return false, err
	case lost:
		e.Lost(under.Version)
	}
	if err := e.others.Again(ctx, under, lost); err != nil {
		return false, err
	}
	err = cql.Insist(ctx, func(ctx context.Context) (err error) {
		e.Now, err = e.of.read(ctx, e.id, e.of.db.OneSerial)
		return err
	})
	if err != nil && e.Unsure() { // what it has changed may be gone since
		err = cql.Unsure(err)
	}
	if err != nil {
		return false, err
	}
	if applied, err = e.In(e.Now.history(), e.Now.Guard().Version); applied {
		e.Next = e.Now.value()
	}
	return applied, err
}

// Lost says that the answer to an attempt which went by a version did not come.
func (e *Edit) Lost(version int) {
	if e.unsure == 0 {
		e.unsure = version
	}
}

// In reports whether the edit is in a truth, by its history as of a version. An attempt that was refused for certain
// is not.
func (e *Edit) In(by History, version int) (applied bool, err error) {
	switch {
	case e.unsure == 0:
		return false, nil
	case by.Has(e.Command):
		return true, nil
	case !by.tellsSince(e.unsure, version):
		return false, ErrUnknown
	}
	return false, nil
}

// Unsure reports whether the answer to an attempt was lost.
func (e *Edit) Unsure() bool { return e.unsure > 0 }
