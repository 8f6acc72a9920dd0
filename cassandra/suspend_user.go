package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// SuspendUser writes the suspension into the truth that commands read of their actor: with its
// username, so that they read no more than before. Their read and this write overlap in a replica,
// so a command that begins after it has returned is refused.
func (s *Store) SuspendUser(ctx context.Context, c blog.SuspendUser) (blog.User, error) {
	return s.suspend(ctx, c, true)
}

// RestoreUser takes it out again.
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.suspend(ctx, blog.SuspendUser(c), false)
}

func (s *Store) suspend(ctx context.Context, c blog.SuspendUser, suspended bool) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	if c.Role != blog.Operator {
		if _, err := s.truths.Users.Actor(ctx, c.Actor); err != nil {
			return blog.User{}, err
		}
	}
	if err := c.Allowed(); err != nil {
		return blog.User{}, err
	}
	now, err := s.truths.Users.Read(ctx, c.User, s.db.One)
	if err != nil {
		return blog.User{}, noSuchUser(err)
	}
	ids := s.fresh()
	e := suspension{store: s, actor: c.Actor, suspended: suspended, user: now, Edit: truth.NewEdit(ids.command, blog.UsersByID, c.User)}
	if e.decide(); e.changed {
		err = s.run(ctx, ids, &e)
	}
	return e.next, noSuchUser(err)
}

// noSuchUser makes an answer about the account one about its id.
func noSuchUser(err error) error {
	if blog.KindOf(err) == blog.Forbidden {
		return blog.ErrNoSuchUser()
	}
	return err
}

// suspension is one SuspendUser or RestoreUser under way.
type suspension struct {
	truth.Edit
	store     *Store
	actor     blog.UserID // zero: an operator
	suspended bool        // what the account shall be
	user      truth.User  // as it was read last
	next      blog.User   // what the command makes of it; then the user as it stands
	changed   bool        // next is another than user
}

func (e *suspension) intent() journal.Intent {
	in := journal.Intent{Kind: journal.RestoreUser, Actor: e.actor, User: &e.user.ID}
	if e.suspended {
		in.Kind = journal.SuspendUser
	}
	return in
}

func (e *suspension) reads(context.Context) []func() error { return nil }

// decide makes next of the user.
func (e *suspension) decide() { e.next, e.changed = e.user.SetSuspended(e.suspended, e.store.clock) }

// apply brings the suspension into the truth, unless another did so meanwhile.
func (e *suspension) apply(ctx context.Context, note *journal.Note) error {
	for e.changed {
		if err := note.Keep(ctx); err != nil {
			return err
		}
		applied, err := e.write(ctx)
		if err != nil {
			return err
		}
		if applied {
			e.next = e.user.User
			return nil
		}
		e.decide()
	}
	return nil
}

// write writes next under the guard of the user's version and stamp, and reports whether that is in
// the truth, which user is then, or later.
func (e *suspension) write(ctx context.Context) (applied bool, err error) {
	under, next := e.user, e.next
	e.user = truth.User{User: next}
	return e.Attempt(ctx, e.store.db, under.Guard(), under.Update(next, e.Command),
		func(ctx context.Context) (_ truth.History, _ int, err error) {
			e.user, err = e.store.truths.Users.Read(ctx, next.ID, e.store.db.OneSerial)
			return e.user.By, e.user.Version, err
		})
}

func (e *suspension) follow() effects {
	if !e.changed {
		return effects{untold: true}
	}
	copies, _ := blog.CopiesOfUser(e.next)
	return effects{copies: copies}
}
