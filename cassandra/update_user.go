package cassandra

import (
	"context"

	"broadsheet/blog"
)

// UpdateUser edits the actor's account. A new name or address is claimed before the
// truth is written. After the reply a rename walks to every copy of the name, and
// only then gives the old one back.
func (s *Store) UpdateUser(ctx context.Context, c blog.UpdateUser) (blog.User, error) {
	if err := c.Validate(); err != nil {
		return blog.User{}, err
	}
	ctx, cancel := s.commandContext(ctx)
	defer cancel()
	e := userEdit{store: s, edit: c, command: s.ids.Command()}
	user, err := e.run(ctx)
	if err != nil && blog.KindOf(err) != blog.Unavailable && blog.KindOf(err) != blog.Timeout {
		if failed := s.releaseAll(ctx, e.taken); failed != nil {
			return blog.User{}, failed
		}
	}
	return user, err
}

// userEdit is one UpdateUser under way.
type userEdit struct {
	store   *Store
	edit    blog.UpdateUser
	command blog.CommandID
	taken   []claim // by this command
	given   []claim // to be released once every copy is right
}

func (e *userEdit) run(ctx context.Context) (blog.User, error) {
	old, err := e.store.userTruth(ctx, e.edit.Actor, e.store.one)
	if err != nil {
		return blog.User{}, err
	}
	for {
		if err := blog.CheckVersion(e.edit.ExpectedVersion, old.Version); err != nil {
			return blog.User{}, err
		}
		next, changed := e.edit.After(old.User, e.store.clock)
		if !changed {
			return next, e.store.releaseAll(ctx, e.taken)
		}
		if err := e.prepare(ctx, old.User, next); err != nil {
			return blog.User{}, err
		}
		now, applied, err := e.write(ctx, old, next)
		if err != nil {
			return blog.User{}, err
		}
		if applied {
			e.publish(ctx, old.User, now.User)
			return now.User, nil
		}
		old = now
	}
}

// prepare writes the intent and claims what next needs and old has not.
func (e *userEdit) prepare(ctx context.Context, old, next blog.User) error {
	if err := e.findGiven(ctx, old, next); err != nil {
		return err
	}
	in := intent{Kind: "updateUser", Actor: old.ID, Old: claimedNames(old, blog.CommandID{}), New: claimedNames(next, e.command)}
	for _, c := range e.given {
		if c.in.field == usernameClaims.field {
			in.Old.UsernameClaim = c.command
		} else {
			in.Old.EmailClaim = c.command
		}
	}
	if err := e.store.record(ctx, e.command, in); err != nil {
		return err
	}
	for _, c := range newClaims(old, next, e.command) {
		if err := e.store.take(ctx, c); err != nil {
			return err
		}
		e.taken = append(e.taken, c)
	}
	return nil
}

// findGiven finds the claims that the edit gives up, as they stand before it.
func (e *userEdit) findGiven(ctx context.Context, old, next blog.User) error {
	e.given = e.given[:0]
	for _, gone := range newClaims(next, old, e.command) {
		c, err := e.store.held(ctx, gone.in, gone.key, old.ID)
		if err != nil {
			return err
		}
		e.given = append(e.given, c)
	}
	return nil
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

// write writes next under the guard of old. Where it is not applied it returns the
// truth as it is now: with the same version, the same attempt may be made again.
func (e *userEdit) write(ctx context.Context, old userTruth, next blog.User) (now userTruth, applied bool, err error) {
	applied, _, err = e.store.compareAndSet(ctx, updateUser.with(next.Username, next.Email, next.DisplayName, next.Bio,
		next.Version, next.Stamp, id(e.command.UUID), id(next.ID.UUID), old.Version, old.Stamp))
	if applied && err == nil {
		return userTruth{User: next, command: e.command}, true, nil
	}
	if blog.KindOf(err) == blog.Internal && err != nil {
		return now, false, err
	}
	err = e.store.insist(ctx, func(ctx context.Context) error {
		now, err = e.store.userTruth(ctx, next.ID, e.store.oneSerial)
		return err
	})
	return now, now.command == e.command && now.Version > old.Version, err
}

func (e *userEdit) publish(ctx context.Context, old, now blog.User) {
	s := e.store
	v := views{copies: append(blog.UserCopies(now), blog.RetiredUserCopies(old, now)...)}
	if now.Username != old.Username {
		v.copies = append(v.copies, blog.AuthorNameCopies(now.Name())...)
	}
	given := e.given
	v.rest = func(ctx context.Context) error {
		if now.Username != old.Username {
			if err := s.spreadName(ctx, now.Name()); err != nil {
				return err
			}
		}
		return s.releaseAll(ctx, given)
	}
	s.publish(ctx, e.command, v)
}

// raiseStamp makes a user's stamp higher than a floor, so that a copy of its name
// can be written where a deletion at that floor has passed.
func (s *Store) raiseStamp(ctx context.Context, user blog.UserID, floor int64) (blog.Name, error) {
	command := s.ids.Command()
	read := s.one
	for {
		u, err := s.userTruth(ctx, user, read)
		if err != nil || u.Stamp > floor {
			return u.Name(), err
		}
		stamp := max(blog.NextStamp(s.clock, u.Stamp), floor+1)
		applied, _, err := s.compareAndSet(ctx, raiseUserStamp.with(stamp, id(command.UUID), id(user.UUID), u.Version, u.Stamp))
		if applied && err == nil {
			u.Stamp = stamp
			return u.Name(), nil
		}
		if err != nil && blog.KindOf(err) != blog.Unavailable {
			return blog.Name{}, err
		}
		read = s.oneSerial
	}
}
