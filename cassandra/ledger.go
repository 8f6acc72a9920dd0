package cassandra

import (
	"context"
	"math/rand/v2"
	"time"

	"broadsheet/blog"
)

// ledger is a partition that counts its rows: a post's comments, or its likes. Its
// static cells are the head. Every change of the partition is one conditional
// batch that raises the head's version, which is the linearization point:
//
//	(post, 0) │ count 2 │ version 5 │ stamp …900 │ closed –
//	          ├─ row …
//	          └─ row …
//	              │  change: IF version = 5 AND count = 2 AND closed = null
//	              ▼
//	(post, 0) │ count 3 │ version 6 │ stamp …950 │ closed –
//	          ├─ row … and the new one, in the same batch
//
// The version never repeats. That is what makes an unknown outcome decidable: a
// batch whose answer was lost may still be applied by a coordinator long after a
// read showed it absent, but only until the version has moved past its guard.
type ledger struct {
	selectHead statement
	updateHead statement
	closeHead  statement
	clearHead  statement
	clearRows  statement
	lines      keyedLock[blog.PostID] // one change at a time of this process
	rows       string                 // what the rows are, for messages
	limit      int                    // rows
}

func commentsLedger() *ledger {
	return &ledger{
		selectHead: statement{blog.CommentsByPost, `SELECT DISTINCT comment_count, version, stamp, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0`},
		updateHead: statement{blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`},
		closeHead:  statement{blog.CommentsByPost, `UPDATE comments_by_post SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`},
		clearHead:  statement{blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`},
		clearRows:  statement{blog.CommentsByPost, `DELETE FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id <= ?`},
		rows:       "comments",
		limit:      blog.MaxCommentsOfPost,
	}
}

func likesLedger() *ledger {
	return &ledger{
		selectHead: statement{blog.LikeClaims, `SELECT DISTINCT like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0`},
		updateHead: statement{blog.LikeClaims, `UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND like_count = ? AND closed = null`},
		closeHead:  statement{blog.LikeClaims, `UPDATE like_claims SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`},
		clearHead:  statement{blog.LikeClaims, `UPDATE like_claims SET like_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`},
		clearRows:  statement{blog.LikeClaims, `DELETE FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id >= ? AND user_id <= ?`},
		rows:       "likes",
		limit:      blog.MaxLikesOfPost,
	}
}

// head is a ledger's static cells; all zero where nothing was ever written.
type head struct {
	rows    int
	version int64
	stamp   int64
	closed  bool
}

func (h head) count() blog.Count { return blog.Count{N: h.rows, Stamp: h.stamp} }

// guard returns the arguments of updateHead's conditions. A version of 0 stands
// for absent cells, which a condition names by null.
func (h head) guard() (version, rows any) {
	if h.version == 0 {
		return nil, nil
	}
	return h.version, h.rows
}

// change is one command's change of a ledger.
type change struct {
	delta int   // rows added
	floor int64 // the new stamp is above it
	// entries returns what goes with the new head, in the same batch. Each is
	// conditional on its row's own state, so that whoever repeats a command that
	// was applied, here or on another server, is refused and not counted twice.
	entries func(next head) []bound
	// proceed, where it is not nil, is asked after the head was read and before
	// each attempt under that head's guard. Its error ends the command.
	proceed func(ctx context.Context, now head) error
	// reread reads, at the serial consistency, the command's own row, and
	// reports whether the change stands. It refreshes what entries goes by. Its
	// error ends the command. Where maybe is false no attempt of this command
	// can have been applied: what stands is somebody else's doing.
	reread func(ctx context.Context, maybe bool) (stands bool, err error)
}

// commit makes a change of a ledger and returns the head as of it or later. It
// returns NotFound where the post was deleted, Invalid where the ledger is full.
func (s *Store) commit(ctx context.Context, l *ledger, post blog.PostID, c change) (head, error) {
	unlock, err := l.lines.lock(ctx, post)
	if err != nil {
		return head{}, convert(ctx, err)
	}
	defer unlock()
	now, err := s.ledgerHead(ctx, l, post)
	if err != nil {
		return head{}, err
	}
	maybe := false
	for pause := firstPause / 10; ; pause = min(2*pause, maxGather) {
		if c.proceed != nil {
			if err := c.proceed(ctx, now); err != nil {
				return head{}, err
			}
		}
		next, err := s.attempt(ctx, l, post, now, c)
		switch err {
		case nil:
			return next, nil
		case errRefused:
		case errUnknown:
			maybe = true
		default:
			return head{}, err
		}
		stands := false
		if now, stands, err = s.settle(ctx, l, post, now, c, maybe); err != nil || stands {
			return now, err
		}
		// Refused: another server was faster. The one that waits longer leaves
		// the partition to the others.
		if err := wait(ctx, rand.N(pause)); err != nil {
			return head{}, convert(ctx, err)
		}
	}
}

const maxGather = 50 * time.Millisecond

// Outcomes of a conditional write that did not succeed for certain.
var (
	errRefused = blog.Errorf(blog.Unavailable, "a conditional write was refused: another was faster")
	errUnknown = blog.Errorf(blog.Timeout, "whether the edit was applied is not known: fetch the object and decide again")
)

// attempt makes the change under the guard of now. After errRefused or errUnknown
// the truth has to be read again.
func (s *Store) attempt(ctx context.Context, l *ledger, post blog.PostID, now head, c change) (head, error) {
	switch {
	case now.closed:
		return head{}, blog.ErrNoPost("postId")
	case c.delta > 0 && now.rows >= l.limit:
		return head{}, blog.ErrFull("postId", l.rows, l.limit)
	}
	next := head{rows: now.rows + c.delta, version: now.version + 1, stamp: max(blog.NextStamp(s.clock, now.stamp), c.floor+1)}
	version, rows := now.guard()
	batch := append([]bound{l.updateHead.with(next.rows, next.version, next.stamp, id(post.UUID), version, rows)}, c.entries(next)...)
	applied, _, err := s.compareAndSet(ctx, batch...)
	switch {
	case applied && err == nil:
		return next, nil
	case err != nil && blog.KindOf(err) == blog.Internal:
		return head{}, err
	case err != nil:
		return head{}, errUnknown
	default:
		return head{}, errRefused
	}
}

// settle finds out what became of an attempt under the guard of tried: it returns
// the head and whether the change stands. The head is read before the row: once
// the version has moved past the guard, the attempt is applied or never will be,
// and the row read after that tells which. While it has not moved, the same guard
// serves for the next attempt, and only one of the two can pass it. A row that
// stands below a head that has not moved may have been written between the two
// reads: the row is then read again below the later head, for the views, which go
// at the head's stamp, must not show a row that is older.
func (s *Store) settle(ctx context.Context, l *ledger, post blog.PostID, tried head, c change, maybe bool) (now head, stands bool, err error) {
	err = s.insist(ctx, func(ctx context.Context) error {
		if now, err = s.ledgerHeadSerial(ctx, l, post); err != nil {
			return err
		}
		for {
			if stands, err = c.reread(ctx, maybe); err != nil || !stands || now.version > tried.version {
				return err
			}
			again, err := s.ledgerHeadSerial(ctx, l, post)
			if err != nil || again == now {
				return err
			}
			now = again
		}
	})
	return now, stands, err
}

// ledgerHead reads a ledger's head, of a partition that may not exist yet.
func (s *Store) ledgerHead(ctx context.Context, l *ledger, post blog.PostID) (head, error) {
	var h head
	err := s.one(ctx, l.selectHead.with(id(post.UUID)), &h.rows, &h.version, &h.stamp, &h.closed)
	return h, absentIsZero(err)
}

func (s *Store) ledgerHeadSerial(ctx context.Context, l *ledger, post blog.PostID) (head, error) {
	var h head
	err := s.oneSerial(ctx, l.selectHead.with(id(post.UUID)), &h.rows, &h.version, &h.stamp, &h.closed)
	return h, absentIsZero(err)
}

func absentIsZero(err error) error {
	if err == errAbsent {
		return nil
	}
	return err
}

// closeLedger ends a ledger for ever: no change passes it again. The static cells
// stay, for a partition without them would accept a row.
func (s *Store) closeLedger(ctx context.Context, l *ledger, post blog.PostID) error {
	unlock, err := l.lines.lock(ctx, post)
	if err != nil {
		return convert(ctx, err)
	}
	defer unlock()
	for pause := firstPause / 10; ; pause = min(2*pause, maxGather) {
		now, err := s.ledgerHeadSerial(ctx, l, post)
		if err != nil || now.closed {
			return err
		}
		version, _ := now.guard()
		applied, _, err := s.compareAndSet(ctx, l.closeHead.with(now.version+1, blog.NextStamp(s.clock, now.stamp), id(post.UUID), version))
		if err != nil || applied {
			return err
		}
		if err := wait(ctx, rand.N(pause)); err != nil {
			return convert(ctx, err)
		}
	}
}

// clearLedger deletes the rows of a closed ledger.
func (s *Store) clearLedger(ctx context.Context, l *ledger, post blog.PostID) error {
	_, _, err := s.compareAndSet(ctx, l.clearHead.with(id(post.UUID)), l.clearRows.with(id(post.UUID), firstUUID, lastUUID))
	return err
}
