package embedded

import (
	"context"

	"broadsheet/blog"
)

// React is a method of [blog.Floor].
func (s *Store) React(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, to blog.UUID, stands bool) (given blog.Reaction, count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		user, err := tx.actor(actor)
		if err == nil && of.Parent == blog.AboutFollowed {
			_, err = tx.user(blog.UserID{UUID: to})
			err = ifAbsent(err, of.Parent.ErrAbsent())
		}
		if err == nil {
			given, count, err = tx.react(of, user.Name(), to, stands, actor)
		}
		return err
	})
	return given, count, err
}

// react gives a user's reaction to a parent or takes it back, unless that was done before: it writes the claim, the
// count, and all copies. by is whose command it is; zero: an operator's.
func (tx *tx) react(of *blog.ReactionKind, user blog.Name, to blog.UUID, stands bool, by blog.UserID) (given blog.Reaction, count blog.Count, err error) {
	parent, err := tx.parent(of.Parent, to)
	if err != nil {
		return given, count, err
	}
	return tx.reactTo(of, parent, user, to, stands, by)
}

// reactTo is react, to a parent that is there.
func (tx *tx) reactTo(of *blog.ReactionKind, parent blog.Parent, user blog.Name, to blog.UUID, stands bool, by blog.UserID) (given blog.Reaction, count blog.Count, err error) {
	count, err = tx.count(tx.ctx, tables[of.Table], to)
	if err == nil {
		given, err = tx.reactionClaim(tx.ctx, blog.ReactionKey{Of: of, To: to, User: user.User})
	}
	given = of.By(user.Author(), to, given.At, given.Stands)
	if err != nil || given.Stands == stands {
		return given, count, err
	}
	change := blog.Change{Kind: of.TakenBack, Actor: by, Post: given.Post, Followed: given.Followed, Group: given.Group}
	if by != user.User {
		change.User = user.User
	}
	given.Stands = stands
	if stands {
		change.Kind = of.Given
		count.N++
		if err := of.Full(of.Parent.Field(), count.N, 0); err != nil {
			return given, count, err
		}
		if given.At.IsZero() {
			given.At = blog.Millisecond(tx.clock.Now())
		}
		tx.putCopies(blog.NameOfReaction(of, to, given.At, user))
		if of == blog.Follows {
			err = tx.gather(given)
		}
	} else {
		count.N--
	}
	count.Stamp = blog.NextStamp(tx.clock, count.Stamp)
	tx.putTruth(tables[of.Table], encodeFamily(of.TruthFamily(), count.Stamp, given), to, user.User)
	tx.putCount(tables[of.Table], to, count)
	tx.putCopies(blog.CopiesOfReaction(of, given, count.Stamp))
	tx.putCopies(blog.CopiesOfCount(of.Table, parent, count))
	tx.append(change)
	return given, count, err
}

// parent reads where the copies of what is counted below it stand, be it a user whose erasure has begun. NotFound.
func (tx *tx) parent(of *blog.Subject, id blog.UUID) (blog.Parent, error) {
	switch of {
	case blog.AboutPost:
		p, err := tx.post(blog.PostID{UUID: id}, of.Field())
		return p.Ref(), err
	case blog.AboutGroup:
		_, _, err := tx.group(blog.GroupID{UUID: id})
		return blog.GroupID{UUID: id}, ifAbsent(err, of.ErrAbsent())
	}
	_, err := tx.anyUser(blog.UserID{UUID: id})
	return blog.FollowedID{UUID: id}, ifAbsent(err, of.ErrAbsent())
}
