package embedded

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Repair is a method of [audit.Store]. It is a command like any other: under the
// writer's lock, and in one commit; but for an erasure, which takes many.
func (s *Store) Repair(ctx context.Context, d audit.Drift) error {
	if d.Kind == audit.LeftErasure {
		return s.eraseWhole(d.Key[0].(blog.UserID))
	}
	return s.command(ctx, func(tx *tx) error {
		switch {
		case d.Table.UniqueKey() != nil:
			return tx.repairClaim(d.Table.UniqueKey(), d.Key[0].(string), d.Key[1].(blog.UserID))
		case d.Kind == audit.Contradiction:
			return blog.Errorf(blog.Invalid, "nothing tells which is right: edit or delete it, or restore it from a backup")
		case d.Kind == audit.Orphan:
			return blog.Errorf(blog.Invalid, "this store leaves nothing of what is deleted: what they are below is lost")
		case d.OfTally():
			return tx.recount(tables[d.Table], d.Parent())
		default:
			return tx.rewrite(d)
		}
	})
}

// rewrite makes the copies in one row, or above the rows of one partition, what the
// truths say; none where no truth asks for them and they were to be deleted. What follows
// from a truth that is lost stays as it is beside the others.
func (tx *tx) rewrite(d audit.Drift) error {
	copies, err := audit.RowCopies(tx.ctx, tx.truths, d.Table, d.Key, d.Post)
	if err != nil || len(copies) == 0 && d.Deletes == 0 {
		return err
	}
	for _, table := range audit.Uncounted(d, copies) {
		if err := tx.recount(tables[table], d.Parent()); err != nil {
			return err
		}
	}
	static := len(d.Key) < len(d.Table.RowKey())
	for _, g := range d.Table.Families() {
		if g.Static() == static && len(copies) == 0 {
			_ = tx.batch.Delete(tx.cellKey(tables[d.Table], g.Cell, d.Key...), nil)
		}
	}
	tx.putCopies(copies)
	return nil
}

// repairClaim gives a user the claim on what it has, or releases one on what it has not.
func (tx *tx) repairClaim(k *blog.UniqueKey, text string, user blog.UserID) error {
	u, err := tx.anyUser(user)
	if err != nil && !blog.IsNotFound(err) {
		return err
	}
	owner, err := tx.owner(tx.ctx, tables[k.Claims], text)
	switch {
	case err != nil:
		return err
	case k.OwnedBy(u, text) && owner.IsZero():
		tx.putTruth(tables[k.Claims], encode(0, user), text)
	case k.OwnedBy(u, text) && owner != user:
		return blog.Errorf(blog.Invalid, "somebody else holds the claim: repair again once it is released")
	case !k.OwnedBy(u, text) && owner == user:
		tx.deleteRow(tables[k.Claims], text)
	}
	return nil
}

// recount writes the number of a counted table's rows, and its copies.
func (tx *tx) recount(counted *table, id blog.UUID) error {
	parent, err := tx.parent(counted.name.Declaration().About.Parent, id)
	if err != nil {
		return err
	}
	old, err := tx.count(tx.ctx, counted, id)
	if err != nil {
		old = blog.Count{} // it is damaged
	}
	now := commentsHead{Count: blog.Count{Stamp: blog.NextStamp(tx.clock, old.Stamp)}}
	err = tx.walk(counted, id, func(r *row) error {
		if counted == commentsByPost {
			c, err := decodeComment(blog.CommentKey{Post: blog.PostID{UUID: id}, Comment: blog.CommentID{UUID: r.id()}}, r.cells[truthCell])
			now.N, now.bytes = now.N+1, now.bytes+len(c.Content)
			return err
		}
		c, err := decodeReaction(blog.ReactionKey{Of: counted.name.Reaction()}, r.cells[truthCell])
		if c.Stands {
			now.N++
		}
		return err
	})
	if err != nil {
		return err
	}
	if counted == commentsByPost {
		post := blog.PostID{UUID: id}
		head, _ := tx.commentsHead(post) // it may be damaged
		now.kept = max(now.N, head.kept)
		tx.putCommentsHead(post, now)
	} else {
		tx.putCount(counted, id, now.Count)
	}
	tx.putCopies(blog.CopiesOfCount(counted.name, parent, now.Count))
	return nil
}
