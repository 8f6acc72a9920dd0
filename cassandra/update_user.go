package cassandra

import (
	"cmp"
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/truth"
)

// UpdateUser edits the actor's account. A new name or address is claimed before the
// truth is written. After the reply a rename walks to every copy of the name, and
// only then gives the old one back.
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (blog.User, error) {
	ctx, end, err := s.startValid(ctx, c.Validate)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	return s.editUser(ctx, journal.Intent{Kind: journal.UpdateUser, Actor: c.Actor}, c.Decide)
}

// decide says what an edit makes of a user, whether that is a change, and refuses it.
type decide func(u blog.User, clock blog.Clock) (next blog.User, changed bool, err error)

// unlessErased refuses the edit where the account's erasure has begun.
func (d decide) unlessErased() decide {
	return func(u blog.User, clock blog.Clock) (blog.User, bool, error) {
		if u.IsErased() {
			return u, false, blog.ErrNoAccount()
		}
		return d(u, clock)
	}
}

// editUser edits the account that an intent names, whose unique keys the edit may change.
func (s *Store) editUser(ctx context.Context, in journal.Intent, decide decide) (blog.User, error) {
	now, err := s.truths.Users.Read(ctx, in.Account(), s.db.One)
	if err != nil {
		return blog.User{}, err
	}
	decide, ids := decide.unlessErased(), s.fresh()
	in.Command = ids.command
	e := &userEdit{store: s, intent: in, begun: ids.begun}
	e.UserEdit, err = s.truths.Users.Edit(ids.command, now, func(u truth.User) (blog.User, bool, error) { return decide(u.User, s.clock) })
	if err == nil {
		err = e.Apply(ctx, e.prepare)
	}
	if err == nil && e.Changed {
		e.complete(ctx, e.Next)
	} else if err == nil || refuses(err) || blog.KindOf(err) == blog.Forbidden || err == truth.ErrUnknown {
		err = cmp.Or(e.withdraw(ctx), err)
	}
	if err != nil {
		return blog.User{}, err
	}
	return e.Next, nil
}

// userEdit is such an edit under way.
type userEdit struct {
	truth.UserEdit
	store  *Store
	intent journal.Intent // without names
	begun  time.Time
	tried  []blog.User   // the users that an attempt was made to change
	taken  []truth.Claim // by this command
	given  []truth.Claim // those of the users tried, to be released in the end
	lost   bool          // an attempt at a claim may come late
	note   *journal.Note
}

// prepare writes the intent and claims what the user after the edit needs and has not.
func (e *userEdit) prepare(ctx context.Context) error {
	old, next := e.Now.User, e.Next
	e.tried = append(e.tried, old)
	// A further intent has a row of its own: the former may count as done by now.
	// Recovery closes that one. Its claims are under that row's id, too: the former
	// ones may have been taken away by two attempts, and the first of these may come yet.
	entry := e.Command
	if e.note != nil {
		entry = e.store.journal.NewCommand()
	}
	for _, gone := range newClaims(next, old, entry) {
		held, err := e.store.truths.Claims.Held(ctx, gone.In, gone.Key, old.ID)
		if err != nil {
			return err
		}
		e.given = append(e.given, held)
	}
	in := e.intent
	in.New = journal.NamesOf(next, entry)
	for _, tried := range e.tried {
		in.Old = append(in.Old, e.oldNames(tried))
	}
	var err error
	if e.note, err = e.store.journal.Append(ctx, entry, in); err != nil {
		return err
	}
	for _, c := range newClaims(old, next, entry) {
		lost, err := e.store.truths.Claims.Take(ctx, c)
		e.lost = e.lost || lost
		if blog.KindOf(err) == blog.Taken && err != nil {
			// An earlier attempt at it whose answer was lost may come late.
			return cmp.Or(e.store.truths.Claims.ReleaseAll(ctx, []truth.Claim{c}), err)
		}
		if err != nil {
			return err
		}
		e.taken = append(e.taken, c)
	}
	return e.note.Keep(ctx)
}

// entry returns the row of the journal that the intent is written to.
func (e *userEdit) entry() blog.CommandID {
	if e.note == nil {
		return e.Command
	}
	return e.note.Entry
}

// oldNames returns a user's unique keys with the claims that the edit gives up.
func (e *userEdit) oldNames(old blog.User) *journal.Names {
	n := journal.NamesOf(old, blog.CommandID{})
	for _, c := range e.given {
		switch {
		case c.In.Field == truth.UsernameClaims.Field && c.Key == n.Username:
			n.UsernameClaim = c.Command
		case c.In.Field == truth.EmailClaims.Field && c.Key == n.Email:
			n.EmailClaim = c.Command
		case c.In.Field == truth.SubjectClaims.Field && c.Key == n.Subject:
			n.SubjectClaim = c.Command
		}
	}
	return n
}

// newClaims returns the claims that next needs and old does not have, or may have lost.
func newClaims(old, next blog.User, entry blog.CommandID) []truth.Claim {
	var claims []truth.Claim
	if next.Subject != old.Subject {
		claims = append(claims, truth.Claim{In: truth.SubjectClaims, Key: next.Subject, User: next.ID, Command: entry})
	}
	if key := blog.UsernameKey(next.Username); key != blog.UsernameKey(old.Username) {
		claims = append(claims, truth.Claim{In: truth.UsernameClaims, Key: key, User: next.ID, Command: entry})
	}
	if key := next.ListedEmail(); key != "" && (key != old.ListedEmail() || next.EmailVerified() && !old.EmailVerified()) {
		claims = append(claims, truth.Claim{In: truth.EmailClaims, Key: key, User: next.ID, Command: entry})
	}
	return claims
}

// unused returns the claims among some that are for names that the user has not.
func unused(claims []truth.Claim, now blog.User) []truth.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c truth.Claim) bool {
		switch c.In.Field {
		case truth.UsernameClaims.Field:
			return c.Key == blog.UsernameKey(now.Username)
		case truth.EmailClaims.Field:
			return c.Key == now.ListedEmail()
		default:
			return c.Key == now.Subject
		}
	})
}

// complete writes what follows from the edit, of the user as it is now.
func (e *userEdit) complete(ctx context.Context, now blog.User) {
	in := e.note.Intent
	e.note.Begun = e.begun
	copies, renamed := blog.CopiesOfUser(now, in.Former()...)
	e.store.follow.complete(ctx, e.note, effects{copies: copies, late: e.lost, afterReply: func(ctx context.Context) error {
		return e.store.followUserEdit(ctx, in, now, renamed, cascade.Waits)
	}})
}

// followUserEdit does what remains of an edit once its user's own rows are written: the
// name goes to every copy of it, and only then are the claims given back that the user
// has no use for.
func (s *Store) followUserEdit(ctx context.Context, in journal.Intent, now blog.User, renamed bool, how cascade.Meanwhile) error {
	if renamed {
		if err := s.renames.Spread(ctx, in.Command, now.ID, now.Version, how); err != nil {
			return err
		}
	}
	return s.truths.Claims.ReleaseAll(ctx, unused(in.Claims(), now))
}

// withdraw gives back what an edit has claimed that is not applied. Another edit of
// the same user, here or on another server, may rely on the same claim and be about
// to write the truth: raising the stamp first makes it fail and claim again.
func (e *userEdit) withdraw(ctx context.Context) error {
	if len(e.tried) == 0 {
		return nil
	}
	if len(e.taken) > 0 || e.Unsure() {
		now, err := e.store.truths.Users.Fence(ctx, e.Now.ID)
		if err == nil {
			err = e.store.truths.Claims.ReleaseAll(ctx, unused(e.taken, now.User))
		}
		if err != nil {
			return err
		}
		if e.Unsure() {
			e.complete(ctx, now.User)
			return nil
		}
	}
	if !e.lost {
		e.store.journal.Abandon(ctx, e.entry())
	}
	return nil
}
