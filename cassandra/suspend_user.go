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
	return s.suspend(ctx, c, journal.SuspendUser)
}

// RestoreUser takes it out again.
func (s *Store) RestoreUser(ctx context.Context, c blog.RestoreUser) (blog.User, error) {
	return s.suspend(ctx, blog.SuspendUser(c), journal.RestoreUser)
}

func (s *Store) suspend(ctx context.Context, c blog.SuspendUser, kind string) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	if c.Role != blog.Operator {
		if _, err := s.truths.Users.ActorAs(ctx, c.Actor, &c.Role); err != nil {
			return blog.User{}, err
		}
	}
	if err := c.Allowed(); err != nil {
		return blog.User{}, err
	}
	in := journal.Intent{Kind: kind, Actor: c.Actor, User: &c.User}
	return s.mark(ctx, in, func(u blog.User, clock blog.Clock) (blog.User, bool, error) {
		next, changed := u.SetSuspended(kind == journal.SuspendUser, clock)
		return next, changed, nil
	})
}

// mark edits an account in what commands read of their actor, and in none of its unique keys.
func (s *Store) mark(ctx context.Context, in journal.Intent, after func(blog.User, blog.Clock) (blog.User, bool, error)) (blog.User, error) {
	now, err := s.truths.Users.Read(ctx, *in.User, s.db.One)
	if err != nil {
		return blog.User{}, noSuchUser(err)
	}
	ids := s.fresh()
	m := marking{of: in}
	m.UserEdit, err = s.truths.Users.Edit(ids.command, now, func(u truth.User) (blog.User, bool, error) {
		if u.IsErased() {
			return blog.User{}, false, blog.ErrNoAccount()
		}
		return after(u.User, s.clock)
	})
	if err == nil && m.Changed {
		err = s.run(ctx, ids, &m)
	}
	return m.Next, noSuchUser(err)
}

// noSuchUser makes an answer about the account one about its id.
func noSuchUser(err error) error {
	if blog.KindOf(err) == blog.Forbidden {
		return blog.ErrNoSuchUser()
	}
	return err
}

// marking is one mark under way: a suspension, a promotion, or the end of either.
type marking struct {
	truth.UserEdit
	of journal.Intent
}

func (m *marking) intent() journal.Intent { return m.of }

func (m *marking) reads(context.Context) []func() error { return nil }

func (m *marking) apply(ctx context.Context, note *journal.Note) error {
	return m.Apply(ctx, note.Keep)
}

func (m *marking) follow() effects {
	if !m.Changed {
		return effects{untold: true}
	}
	copies, _ := blog.CopiesOfUser(m.Next)
	return effects{copies: copies}
}
