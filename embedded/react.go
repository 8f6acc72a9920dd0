package embedded

import (
	"context"

	"broadsheet/blog"
)

// React is a method of [blog.Floor].
func (s *Store) React(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, post blog.PostID, stands bool) (given blog.Reaction, count blog.Count, err error) {
	err = s.command(ctx, func(tx *tx) error {
		user, err := tx.actor(actor)
		if err == nil {
			given, count, err = tx.react(of, user.Name(), post, stands, actor)
		}
		return err
	})
	return given, count, err
}

// react gives a user's reaction to a post or takes it back, unless that was done before: it writes the claim, the
// count, and all copies. by is whose command it is; zero: an operator's.
func (tx *tx) react(of *blog.ReactionKind, user blog.Name, post blog.PostID, stands bool, by blog.UserID) (given blog.Reaction, count blog.Count, err error) {
	p, err := tx.post(post, "postId")
	if err == nil {
		count, err = tx.count(tx.ctx, tables[of.Table], post)
	}
	if err == nil {
		given, err = tx.reactionClaim(tx.ctx, blog.ReactionKey{Of: of, Post: post, User: user.User})
	}
	given.Post, given.User = post, user.Author()
	if err != nil || given.Stands == stands {
		return given, count, err
	}
	change := blog.Change{Kind: of.TakenBack, Actor: by, Post: post}
	if by != user.User {
		change.User = user.User
	}
	given.Stands = stands
	if stands {
		change.Kind = of.Given
		count.N++
		if err := of.Full("postId", count.N, 0); err != nil {
			return given, count, err
		}
		if given.At.IsZero() {
			given.At = blog.Millisecond(tx.clock.Now())
		}
		tx.putCopies(blog.NameOfReaction(of, post, given.At, user))
	} else {
		count.N--
	}
	count.Stamp = blog.NextStamp(tx.clock, count.Stamp)
	tx.putTruth(tables[of.Table], encodeGroup(of.TruthGroup(), count.Stamp, given), post, user.User)
	tx.putCount(tables[of.Table], post, count)
	tx.putCopies(blog.CopiesOfReaction(of, given, count.Stamp))
	tx.putCopies(blog.CopiesOfCount(of.Table, p.Ref(), count))
	tx.append(change)
	return given, count, nil
}
