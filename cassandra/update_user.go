package cassandra

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// UpdateUser edits the actor's account.
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (blog.User, error) {
	ctx, end, err := s.startCommand(ctx, c.Validate)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	return s.editUser(ctx, journal.Intent{Change: blog.UserUpdated, Actor: c.Actor}, c.Decide)
}

// editUser makes one change of an account, which the intent names: every edit of an account goes this way. Unique keys
// that it changes are claimed before the truth is written. After the reply a rename walks to every copy of the name,
// and only then the old keys' claims are released.
func (s *Store) editUser(ctx context.Context, in journal.Intent, decide blog.Decide) (blog.User, error) {
	now, err := s.truths.Users.Read(ctx, in.Account(), s.db.One)
	if err != nil {
		return blog.User{}, err
	}
	ids := s.fresh()
	in.Kind, in.Command = journal.EditUser, ids.command
	e := userEdit{store: s, of: in}
	e.UserEdit, err = s.truths.Users.Edit(ids.command, now.ID, now, func(u truth.User) (blog.User, bool, error) {
		if u.IsErased() {
			return u.User, false, blog.ErrNoAccount()
		}
		return decide(u.User, s.clock)
	})
	if err == nil && e.Changed {
		if err = e.name(ctx, ids.entry); err == nil {
			err = s.run(ctx, ids, &e)
		}
	}
	if err == nil && !e.Changed {
		err = s.again(ctx, e.Now.By, func(left journal.Intent) effects { return s.ofUserEdit(left, e.Next) })
	}
	if err == nil || blog.KindOf(err) == blog.VersionConflict {
		s.outwait()
	}
	return e.Next, err
}

// outwait returns when no server answers any more by an account as it was before an edit whose copies are written. It is
// called also where there was nothing to edit, or another version was expected: another command may have edited the
// account just now. An eighth more is for clocks that run at different speeds.
func (s *Store) outwait() { time.Sleep(s.accountAge + s.accountAge/8) }

type userEdit struct {
	truth.UserEdit
	store *Store
	of    journal.Intent
	under truth.Guard   // of the truth that the intent's names were taken for
	wants []truth.Claim // that the next attempt needs and the user has not
	taken []truth.Claim // by this command
	lost  bool          // an attempt, at a claim or at the truth, may come late
}

func (e *userEdit) intent() journal.Intent { return e.of }

// apply brings the edit into the truth, or gives back what it has claimed. Another edit of the same user may rely on
// the same claim and be about to write the truth: raising the stamp first makes it fail and claim again.
func (e *userEdit) apply(ctx context.Context, note *journal.Note) error {
	err := e.Apply(ctx, func(ctx context.Context) error { return e.claim(ctx, note) })
	if err == nil && e.Changed || blog.IsFault(err) {
		return err
	}
	if len(e.taken) > 0 {
		now, failed := e.store.truths.Users.Fence(ctx, e.Now.ID)
		if failed == nil {
			failed = e.store.truths.Claims.ReleaseAll(ctx, unused(e.taken, now.User))
		}
		if failed != nil {
			return failed
		}
	}
	if e.lost = e.lost || e.Unsure(); e.lost {
		err = cql.Unsure(err)
	}
	return err
}

// claim claims what the user after the edit needs and has not, and keeps the intent. Where another edit was first,
// another intent names the keys of then, in a row of its own: the former one may count as done by now. Under one guard
// that is done once, for what takes a claim away raises the user's stamp before.
func (e *userEdit) claim(ctx context.Context, note *journal.Note) error {
	if now := e.Now.Guard(); now != e.under {
		if err := e.name(ctx, e.store.journal.NewCommand()); err != nil {
			return err
		}
		note.Old, note.New = e.of.Old, e.of.New
		if err := note.Again(ctx); err != nil {
			return err
		}
	}
	for _, c := range e.wants {
		lost, err := e.store.truths.Claims.Take(ctx, c)
		e.lost = e.lost || lost
		if err != nil {
			return err
		}
		e.taken = append(e.taken, c)
	}
	e.wants = nil
	if err := e.outlive(ctx); err != nil {
		return err
	}
	return note.Keep(ctx)
}

// outlive takes the user off the keys that were ended by the edit which this one replaces in the user's history, where
// that has not ended: an erasure looks at the edits of the history.
func (e *userEdit) outlive(ctx context.Context) error {
	in, err := e.store.journal.KeepMark(ctx, e.Now.By)
	if err != nil || in.Kind == "" {
		return err
	}
	return tables.Write(ctx, e.store.db, blog.RetiredKeys(e.Now.User, in.Former()...))
}

// name writes into the intent which keys the next attempt ends, with the claims on them, and which it makes. Those are
// claimed under a token that no attempt had before: of two that took a former claim away, the first may come yet.
func (e *userEdit) name(ctx context.Context, token blog.CommandID) error {
	old, next := e.Now.User, e.Next
	var ended []truth.Claim
	for _, gone := range newClaims(next, old, token) {
		held, err := e.store.truths.Claims.Held(ctx, gone.On, gone.Key, old.ID)
		if err != nil {
			return err
		}
		ended = append(ended, held)
	}
	e.under, e.wants = e.Now.Guard(), newClaims(old, next, token)
	e.of.Old, e.of.New = append(e.of.Old, journal.NamesOf(old, ended...)), journal.NamesOf(next, e.wants...)
	return nil
}

func (e *userEdit) follow() effects {
	if !e.Changed {
		return effects{untold: true, late: e.lost}
	}
	v := e.store.ofUserEdit(e.of, e.Next)
	v.late = e.lost
	return v
}

// ofUserEdit is what follows from an edit of an account. Once the user's own rows are written the name goes to every
// copy of it, and only when no server writes the former one any more are the claims given back that are not needed.
func (s *Store) ofUserEdit(in journal.Intent, now blog.User) effects {
	copies, renamed := blog.CopiesOfUser(now, in.Former()...)
	return effects{copies: copies, afterReply: func(ctx context.Context) error {
		ended := unused(in.Claims(), now)
		if renamed {
			if err := s.renames.Spread(ctx, in.Command, now); err != nil {
				return err
			}
			if len(ended) > 0 {
				s.outwait()
			}
		}
		return s.truths.Claims.ReleaseAll(ctx, ended)
	}}
}

// newClaims returns the claims that next needs and old does not have, or may have lost.
func newClaims(old, next blog.User, token blog.CommandID) []truth.Claim {
	var claims []truth.Claim
	for _, k := range blog.KeysToClaim(old, next) {
		claims = append(claims, truth.Claim{On: k, Key: k.Of(next), User: next.ID, Command: token})
	}
	return claims
}

// unused returns the claims among some that are for names that the user has not.
func unused(claims []truth.Claim, now blog.User) []truth.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c truth.Claim) bool { return c.Key == c.On.Of(now) })
}
