package embedded

import (
	"context"

	"broadsheet/blog"
)

// LikePost is a method of [blog.Commands].
func (s *Store) LikePost(ctx context.Context, c blog.LikePost) (blog.Reaction, blog.Count, error) {
	return s.giveReaction(ctx, blog.Likes, c.Actor, c.Post)
}

// UnlikePost is a method of [blog.Commands].
func (s *Store) UnlikePost(ctx context.Context, c blog.UnlikePost) (blog.Count, error) {
	return s.takeReactionBack(ctx, blog.Likes, c.Actor, c.Post)
}

func (s *Store) giveReaction(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, post blog.PostID) (given blog.Reaction, count blog.Count, err error) {
	r := reacting{of: of, claims: tables[of.Claims]}
	err = s.command(ctx, func(tx *tx) error {
		if err := r.read(tx, actor, post); err != nil {
			return err
		}
		return r.give(tx)
	})
	if err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	return blog.Reaction{Post: post, User: r.user.Author(), At: r.claim.at}, r.count, nil
}

func (s *Store) takeReactionBack(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, post blog.PostID) (blog.Count, error) {
	r := reacting{of: of, claims: tables[of.Claims]}
	err := s.command(ctx, func(tx *tx) error {
		err := r.read(tx, actor, post)
		if err == nil && r.claim.stands {
			r.set(tx, false, of.TakenBack)
		}
		return err
	})
	return r.count, err
}

// reacting is a reaction under way, with all that giving it or taking it back depends on.
type reacting struct {
	of     *blog.ReactionKind
	claims *table
	post   blog.Post
	user   blog.Name
	claim  claim
	count  blog.Count
	by     blog.UserID // whose command it is; zero: an operator's
}

func (r *reacting) read(tx *tx, user blog.UserID, post blog.PostID) error {
	actor, err := tx.actor(user)
	if err != nil {
		return err
	}
	r.by = user
	return r.readOf(tx, actor.Name(), post)
}

// readOf is read of a user's own reaction, whose command it may not be.
func (r *reacting) readOf(tx *tx, user blog.Name, post blog.PostID) (err error) {
	r.user = user
	if r.post, err = tx.post(post, "postId"); err != nil {
		return err
	}
	if r.count, err = tx.count(r.claims, post); err != nil {
		return err
	}
	value, err := tx.get(r.claims, truthCell, post, user.User)
	if err == nil && value != "" {
		r.claim, err = decodeClaim(value)
	}
	return err
}

func (r *reacting) give(tx *tx) error {
	if r.claim.stands {
		return nil
	}
	if err := r.of.Full("postId", r.count.N+1, 0); err != nil {
		return err
	}
	if !r.claim.known {
		r.claim.at = blog.Millisecond(tx.clock.Now())
	}
	r.set(tx, true, r.of.Given)
	return nil
}

// set writes a reaction that changed: the claim, the count, and all copies.
func (r *reacting) set(tx *tx, stands bool, change blog.ChangeKind) {
	r.claim.stands = stands
	if stands {
		r.count = tx.counted(r.count, +1)
	} else {
		r.count = tx.counted(r.count, -1)
	}
	post, user := r.post.ID, r.user.User
	tx.putTruth(r.claims, encodeClaim(r.claim, r.count.Stamp), post, user)
	tx.putCount(r.claims, post, r.count)
	tx.putCopies(blog.CopiesOfReaction(blog.ReactionState{
		Of: r.of, Ref: r.post.Ref(), User: user, At: r.claim.at, Stands: stands, Count: r.count,
	}))
	if stands {
		tx.putCopies(blog.NameOfReaction(r.of, post, r.claim.at, r.user))
	}
	c := blog.Change{Kind: change, Actor: r.by, Post: post}
	if r.by != user {
		c.User = user
	}
	tx.tell(c)
}
