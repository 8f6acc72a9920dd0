package embedded

import (
	"context"

	"broadsheet/blog"
)

// CreatePost is a method of [blog.Commands].
func (s *Store) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	waits := false // for more homes than one commit brings it to
	p, err := carryOut(ctx, s, c, func(tx *tx, c blog.CreatePost) (p blog.Post, err error) {
		p, waits, err = tx.createPost(c)
		return p, err
	})
	if waits {
		s.publishAside(p.ID)
	}
	return p, err
}

func (tx *tx) createPost(c blog.CreatePost) (p blog.Post, waits bool, err error) {
	user, err := tx.actor(c.Author)
	if err != nil {
		return p, false, err
	}
	create := func() (blog.UUID, error) {
		author := user.Name()
		if err := tx.mayPublish(c); err != nil {
			return blog.UUID{}, err
		}
		p = c.Post(tx.ids.Post(), author, everywhere, tx.clock)
		tx.putPost(p)
		tx.putCopies(blog.NameOfPost(p.Ref(), author))
		tx.append(blog.Change{Kind: blog.PostCreated, Actor: p.Author.ID, Post: p.ID})
		waits, err = tx.publish(p.ID, p.Author.ID, blog.UserID{})
		return p.ID.UUID, err
	}
	err = tx.once(c.Idempotency, create, func(id blog.UUID) error {
		p, err = tx.postText(blog.PostID{UUID: id})
		for _, table := range blog.AboutPost.Counted() {
			if err == nil {
				*p.CountOf(table), err = tx.count(tx.ctx, tables[table], id)
			}
		}
		return ifAbsent(err, blog.ErrGoneSince("post"))
	})
	return p, waits, err
}

// mayPublish returns an error where there is no such group, or the author is not in it.
func (tx *tx) mayPublish(c blog.CreatePost) error {
	if c.Group.IsZero() {
		return nil
	}
	if _, err := tx.parent(blog.AboutGroup, c.Group.UUID); err != nil {
		return err
	}
	claim, err := tx.reactionClaim(tx.ctx, blog.ReactionKey{Of: blog.Members, To: c.Group.UUID, User: c.Author})
	if err != nil {
		return err
	}
	return c.Allowed(claim.Stands)
}
