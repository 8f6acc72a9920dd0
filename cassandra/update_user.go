package cassandra

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// UpdateUser edits the actor's account. A new name or address is claimed before the
// truth is written. After the reply a rename walks to every copy of the name, and
// only then gives the old one back.
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	ctx, end, err := s.startCommand(ctx)
	if err != nil {
		return blog.User{}, err
	}
	defer end()
	e := userEdit{store: s, input: c, edit: newEdit(s.newCommand(), blog.UsersByID, c.Actor)}
	user, applied, err := e.run(ctx)
	if !applied && (err == nil || refuses(err) || err == errUnknown) {
		if failed := e.withdraw(ctx, err); failed != nil {
			return blog.User{}, failed
		}
	}
	return user, err
}

// userEdit is one UpdateUser under way.
type userEdit struct {
	edit
	store *Store
	input blog.UpdateUser
	tried []blog.User // the users that an attempt was made to change
	taken []claim     // by this command
	given []claim     // those of the users tried, to be released in the end
	note  *noted
}

// run brings the edit into the truth. It returns the user after it, and whether
// this command changed it.
func (e *userEdit) run(ctx context.Context) (user blog.User, applied bool, err error) {
	now, err := e.store.userTruth(ctx, e.input.Actor, e.store.db.One)
	for err == nil {
		if err = blog.CheckVersion(e.input.ExpectedVersion, now.Version); err != nil {
			break
		}
		next, changed := e.input.After(now.User, e.store.clock)
		if !changed {
			return next, false, nil
		}
		if err = e.prepare(ctx, now.User, next); err != nil {
			break
		}
		if err = e.note.keep(ctx); err != nil {
			break
		}
		if now, applied, err = e.write(ctx, now, next); err == nil && applied {
			e.complete(ctx, now.User)
			return now.User, true, nil
		}
	}
	return blog.User{}, false, err
}

// prepare writes the intent and claims what next needs and old has not.
func (e *userEdit) prepare(ctx context.Context, old, next blog.User) error {
	e.tried = append(e.tried, old)
	for _, gone := range newClaims(next, old, e.command) {
		held, err := e.store.held(ctx, gone.in, gone.key, old.ID)
		if err != nil {
			return err
		}
		e.given = append(e.given, held)
	}
	in := intent{Command: e.command, Kind: kindUpdateUser, Actor: old.ID, New: claimedNames(next, e.command)}
	for _, tried := range e.tried {
		in.Old = append(in.Old, e.oldNames(tried))
	}
	// A further intent has a row of its own: the former may count as done by now.
	// Recovery closes that one.
	entry := e.command
	if e.note != nil {
		entry = e.store.newCommand()
	}
	var err error
	if e.note, err = e.store.note(ctx, entry, in); err != nil {
		return err
	}
	for _, c := range newClaims(old, next, e.command) {
		err := e.store.take(ctx, c)
		if blog.KindOf(err) == blog.Taken && err != nil {
			// An earlier attempt at it whose answer was lost may come late.
			return cmp.Or(e.store.releaseAll(ctx, []claim{c}), err)
		}
		if err != nil {
			return err
		}
		e.taken = append(e.taken, c)
	}
	return nil
}

// entry returns the row of the journal that the intent is written to.
func (e *userEdit) entry() blog.CommandID {
	if e.note == nil {
		return e.command
	}
	return e.note.entry
}

// oldNames returns a user's unique keys with the claims that the edit gives up.
func (e *userEdit) oldNames(old blog.User) *names {
	n := claimedNames(old, blog.CommandID{})
	for _, c := range e.given {
		switch {
		case c.in.field == usernameClaims.field && c.key == n.Username:
			n.UsernameClaim = c.command
		case c.in.field == emailClaims.field && c.key == n.Email:
			n.EmailClaim = c.command
		}
	}
	return n
}

// newClaims returns the claims that next needs and old does not have.
func newClaims(old, next blog.User, command blog.CommandID) []claim {
	var claims []claim
	if key := blog.UsernameKey(next.Username); key != blog.UsernameKey(old.Username) {
		claims = append(claims, claim{usernameClaims, key, next.ID, command})
	}
	if next.Email != nil && (old.Email == nil || blog.EmailKey(*next.Email) != blog.EmailKey(*old.Email)) {
		claims = append(claims, claim{emailClaims, blog.EmailKey(*next.Email), next.ID, command})
	}
	return claims
}

// unused returns the claims among some that are for names that the user has not.
func unused(claims []claim, now blog.User) []claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
		switch c.in.field {
		case usernameClaims.field:
			return c.key == blog.UsernameKey(now.Username)
		default:
			return now.Email != nil && c.key == blog.EmailKey(*now.Email)
		}
	})
}

// write writes next under the guard of old. It returns the truth as of that or later, and
// whether the edit is in it; where it is not, it may be decided anew.
func (e *userEdit) write(ctx context.Context, old userTruth, next blog.User) (userTruth, bool, error) {
	after := userTruth{User: next}
	applied, err := e.attempt(ctx, e.store.db, old.guard(), updateUser.With(next.Username, next.Email, next.DisplayName, next.Bio,
		next.Version, next.Stamp, cql.ID(e.command.UUID), old.by.with(e.command), cql.ID(next.ID.UUID), old.Version, old.Stamp),
		func(ctx context.Context) (_ history, _ int, err error) {
			after, err = e.store.userTruth(ctx, next.ID, e.store.db.OneSerial)
			return after.by, after.Version, err
		})
	return after, applied, err
}

// complete writes what follows from the edit, of the user as it is now.
func (e *userEdit) complete(ctx context.Context, now blog.User) {
	in := e.note.in
	copies, renamed := blog.CopiesOfUser(now, in.former()...)
	e.store.complete(ctx, e.entry(), effects{copies: copies, afterReply: func(ctx context.Context) error {
		return e.store.followUserEdit(ctx, in, now, renamed, takesTurns)
	}})
}

// followUserEdit does what remains of an edit once its user's own rows are written: the
// name goes to every copy of it, and only then are the claims given back that the user
// has no use for.
func (s *Store) followUserEdit(ctx context.Context, in intent, now blog.User, renamed bool, turns turnTaking) error {
	if renamed {
		if err := s.spreadName(ctx, in.Command, now.ID, now.Version, turns); err != nil {
			return err
		}
	}
	return s.releaseAll(ctx, unused(in.claims(), now))
}

// former returns every state of the user that an edit may have ended, and the one that it
// was to make: another edit may have followed.
func (in intent) former() (all []blog.FormerNames) {
	for _, n := range append(in.Old[:len(in.Old):len(in.Old)], in.New) {
		all = append(all, blog.FormerNames{Username: n.Shown, UsernameKey: n.Username, EmailKey: n.Email})
	}
	return all
}

// claims returns the claims on names that an intent names.
func (in intent) claims() (all []claim) {
	for _, n := range append(in.Old[:len(in.Old):len(in.Old)], in.New) {
		all = append(all, n.claims(in.Actor)...)
	}
	return all
}

// withdraw gives back what an edit has claimed that is not applied. Another edit of
// the same user, here or on another server, may rely on the same claim and be about
// to write the truth: raising the stamp first makes it fail and claim again.
func (e *userEdit) withdraw(ctx context.Context, refusal error) error {
	if len(e.tried) == 0 {
		return nil
	}
	if len(e.taken) > 0 || e.unsure > 0 {
		now, err := e.store.fence(ctx, e.input.Actor)
		if err == nil {
			err = e.store.releaseAll(ctx, unused(e.taken, now.User))
		}
		if err != nil {
			return err
		}
		if e.unsure > 0 {
			e.complete(ctx, now.User)
			return nil
		}
	}
	if !errors.Is(refusal, errMayCome) {
		e.store.closeEntry(ctx, e.entry())
	}
	return nil
}

// fence raises a user's stamp, and so makes every edit fail that goes by what it
// read before. It returns the truth as of that.
func (s *Store) fence(ctx context.Context, user blog.UserID) (userTruth, error) {
	return s.raise(ctx, user, func(blog.User) bool { return false }, 0)
}

// raiseStamp makes a user's stamp higher than a floor, so that a copy of its name
// can be written where a deletion at that floor has passed.
func (s *Store) raiseStamp(ctx context.Context, user blog.UserID, floor int64) (blog.Name, error) {
	t, err := s.raise(ctx, user, func(u blog.User) bool { return u.Stamp > floor }, floor)
	return t.Name(), err
}

// raise raises a user's stamp above a floor, unless what it reads is enough. The
// marks of the last edits stay: a stamp is not one.
func (s *Store) raise(ctx context.Context, user blog.UserID, enough func(blog.User) bool, floor int64) (t userTruth, err error) {
	err = cql.Until(ctx, blog.UsersByID, user, cql.Patiently(func() (done bool, by any, err error) {
		if t, err = s.userTruth(ctx, user, s.db.OneSerial); err != nil || enough(t.User) {
			return true, nil, err
		}
		read := t.guard()
		t.Stamp = max(blog.NextStamp(s.clock, read.stamp), floor+1)
		done, _, err = s.db.CompareAndSet(ctx, raiseUserStamp.With(t.Stamp, cql.ID(user.UUID), read.version, read.stamp))
		return done, read, err
	}))
	return t, err
}
