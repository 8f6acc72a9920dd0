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
	e := suspension{actor: c.Actor, suspended: suspended}
	e.UserEdit, err = s.truths.Users.Edit(ids.command, now, func(u truth.User) (blog.User, bool, error) {
		if u.IsErased() {
			return blog.User{}, false, blog.ErrNoAccount()
		}
		next, changed := u.SetSuspended(suspended, s.clock)
		return next, changed, nil
	})
	if err == nil && e.Changed {
		err = s.run(ctx, ids, &e)
	}
	return e.Next, noSuchUser(err)
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
	truth.UserEdit
	actor     blog.UserID // zero: an operator
	suspended bool        // what the account shall be
}

func (e *suspension) intent() journal.Intent {
	in := journal.Intent{Kind: journal.RestoreUser, Actor: e.actor, User: &e.Next.ID}
	if e.suspended {
		in.Kind = journal.SuspendUser
	}
	return in
}

func (e *suspension) reads(context.Context) []func() error { return nil }

func (e *suspension) apply(ctx context.Context, note *journal.Note) error {
	return e.Apply(ctx, note.Keep)
}

func (e *suspension) follow() effects {
	if !e.Changed {
		return effects{untold: true}
	}
	copies, _ := blog.CopiesOfUser(e.Next)
	return effects{copies: copies}
}
