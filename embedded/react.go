package embedded

import (
	"context"

	"broadsheet/blog"
)

// React is a method of [blog.Reactor].
func (s *Store) React(ctx context.Context, of *blog.ReactionKind, actor blog.UserID, post blog.PostID, stands bool) (blog.Reaction, blog.Count, error) {
	r := reacting{of: of, by: actor, stands: stands}
	err := s.command(ctx, func(tx *tx) error {
		user, err := tx.actor(r.by)
		if err == nil {
			err = r.read(tx, user.Name(), post)
		}
		if err != nil {
			return err
		}
		return r.make(tx)
	})
	if err != nil {
		return blog.Reaction{}, blog.Count{}, err
	}
	return blog.Reaction{Post: post, User: r.user.Author(), At: r.claim.At, Stands: r.stands}, r.count, nil
}

// reacting is a reaction under way, with all that giving it or taking it back depends on.
type reacting struct {
	of     *blog.ReactionKind
	post   blog.Post
	user   blog.Name
	claim  blog.Reaction
	count  blog.Count
	stands bool        // what is wanted
	by     blog.UserID // whose command it is; zero: an operator's
}

// read reads what a user's reaction to a post depends on.
func (r *reacting) read(tx *tx, user blog.Name, post blog.PostID) (err error) {
	r.user = user
	if r.post, err = tx.post(post, "postId"); err != nil {
		return err
	}
	if r.count, err = tx.count(tx.ctx, tables[r.of.Table], post); err != nil {
		return err
	}
	r.claim, err = tx.reactionClaim(tx.ctx, blog.ReactionKey{Of: r.of, Post: post, User: user.User})
	return err
}

// make gives the reaction or takes it back, unless that was done before: it writes the claim, the count, and all
// copies.
func (r *reacting) make(tx *tx) error {
	if r.claim.Stands == r.stands {
		return nil
	}
	post, user := r.post.ID, r.user.User
	change := blog.Change{Kind: r.of.TakenBack, Actor: r.by, Post: post}
	if r.by != user {
		change.User = user
	}
	r.claim.Stands = r.stands
	if r.stands {
		change.Kind = r.of.Given
		r.count.N++
		if err := r.of.Full("postId", r.count.N, 0); err != nil {
			return err
		}
		if r.claim.At.IsZero() {
			r.claim.At = blog.Millisecond(tx.clock.Now())
		}
		tx.putCopies(blog.NameOfReaction(r.of, post, r.claim.At, r.user))
	} else {
		r.count.N--
	}
	r.count.Stamp = blog.NextStamp(tx.clock, r.count.Stamp)
	tx.putTruth(tables[r.of.Table], encodeGroup(r.of.TruthGroup(), r.count.Stamp, r.claim), post, user)
	tx.putCount(tables[r.of.Table], post, r.count)
	tx.putCopies(blog.CopiesOfReaction(blog.ReactionState{
		Of: r.of, Ref: r.post.Ref(), User: user, At: r.claim.At, Stands: r.stands, Count: r.count,
	}))
	tx.append(change)
	return nil
}
