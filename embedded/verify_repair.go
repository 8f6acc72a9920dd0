package embedded

import (
	"context"

	"broadsheet/blog"
)

// Repair is a method of [blog.Auditor]. It is a command like any other: under the
// writer's lock, and in one commit.
func (s *Store) Repair(ctx context.Context, d blog.Drift) error {
	return s.command(ctx, func(tx *tx) error {
		switch {
		case d.Table == blog.Gaps:
			return tx.repairGap(d.Key)
		case d.Kind == blog.Orphan:
			return tx.deleteOrphans(ledgerOf(d.Table), d.Key[0].(blog.PostID))
		case d.OfTally():
			return tx.recount(ledgerOf(d.Table), d.Key[0].(blog.PostID))
		default:
			return tx.rewrite(d.Table, d.Key, d.Post)
		}
	})
}

// truths reads what commands decide on.
func (tx *tx) truths() truths {
	return func(_ context.Context, key []byte) (string, error) { return tx.value(usersByID, key) }
}

// rewrite makes the copies in one row, or above the rows of one partition, what the
// truths say; none where no truth asks for them.
func (tx *tx) rewrite(name blog.Table, key []any, post blog.PostID) error {
	copies, err := blog.RowCopies(tx.ctx, tx.truths(), name, key, post)
	if err != nil {
		return err
	}
	static := len(key) < len(name.RowKey())
	for _, g := range name.Groups() {
		if g.Static() == static {
			at := tx.copyKey(blog.Copy{Group: g, Key: key})
			tx.writes(places[g].table, at)
			_ = tx.batch.Delete(at, nil)
		}
	}
	if !static && len(copies) > 0 {
		_ = tx.batch.Delete(tx.cellKey(places[copies[0].Group].table, deadCell, key...), nil)
	}
	tx.putCopies(copies)
	return nil
}

// recount writes the number of a ledger's rows, and its copies.
func (tx *tx) recount(ledger *table, post blog.PostID) error {
	p, err := tx.post(post, "postId")
	if err != nil {
		return err
	}
	old, err := tx.count(ledger, post)
	if err != nil {
		old = blog.Count{} // it is damaged
	}
	rows := 0
	err = tx.walk(ledger, post, func(r *row) error {
		stands, err := stands(ledger, parsedKey{cell: truthCell}, r.cells[truthCell])
		if stands {
			rows++
		}
		return err
	})
	if err != nil {
		return err
	}
	now := blog.Count{N: rows, Stamp: blog.NextStamp(tx.clock, old.Stamp)}
	tx.putCount(ledger, post, now)
	if ledger == commentsByPost {
		tx.putCopies(blog.CommentCountCopies(p.Ref(), now))
	} else {
		tx.putCopies(blog.LikeCountCopies(p.Ref(), now))
	}
	return nil
}

// deleteOrphans deletes the rows of a post that is gone, and what follows from them.
func (tx *tx) deleteOrphans(ledger *table, post blog.PostID) error {
	if _, err := tx.post(post, "postId"); !blog.IsNotFound(err) {
		return err
	}
	stamp := blog.DeletionStamp(tx.clock)
	tx.deletePartition(ledger, post)
	return tx.walk(ledger, post, func(r *row) error {
		id := descendingID(r.clustering)
		if ledger == likeClaims {
			tx.putCopies(blog.DeletedPostLikeCopies(blog.LikeKey{Post: post, User: blog.UserID{UUID: id}}, stamp))
			return nil
		}
		c, err := decodeComment(blog.CommentKey{Post: post, Comment: blog.CommentID{UUID: id}}, r.cells[truthCell])
		tx.putCopies(blog.DeletedCommentCopies(c, stamp))
		return err
	})
}
