package cassandra

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
	lru "github.com/hashicorp/golang-lru/v2"
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
//
// Changes of one ledger ride together: see group.go.
type ledger struct {
	selectHead cql.Statement
	updateHead cql.Statement
	closeHead  cql.Statement
	clearHead  cql.Statement
	clearRows  cql.Statement
	selectRows cql.Statement // those with some keys, each with the head
	scanRow    func(gocql.Scanner) (blog.UUID, ledgerRow, head, error)
	sized      bool // the head tells what the partition takes
	// full returns the refusal of a change after which the partition would take so much.
	full func(field string, rows, bytes int) error

	// attempt makes a conditional batch; an error leaves its outcome unknown.
	attempt func(ctx context.Context, entries ...cql.Bound) (applied bool, current map[string]any, err error)

	mu    sync.Mutex
	lines map[blog.PostID]*line // of the posts that commands of this process are under way on

	heads *lru.Cache[blog.PostID, head] // as changes of this process left them
	raced atomic.Int64                  // when another server was faster, in ns since 1970
}

// A process that is alone on its posts need not read a head that it wrote itself. Where
// other servers write too, a head that was kept is often old, and to be refused costs more
// than to read: whoever is refused reads for a while.
const (
	maxHeads   = 1 << 14 // of each ledger: a few MB
	readsHeads = time.Minute
)

// kept returns the head that a change may go by without reading it. It may be old.
func (l *ledger) kept(post blog.PostID) (head, bool) {
	if time.Now().UnixNano()-l.raced.Load() < int64(readsHeads) {
		return head{}, false
	}
	return l.heads.Get(post)
}

// ledgerRow is what a change goes by in a row of its own: a comment, or a claim. A row
// that is not there is all zero.
type ledgerRow struct {
	comment commentTruth
	claim   likeClaim
}

func newHeads() *lru.Cache[blog.PostID, head] {
	heads, err := lru.New[blog.PostID, head](maxHeads)
	if err != nil {
		panic(err) // it fails for a size below 1 only
	}
	return heads
}

func commentsLedger() *ledger {
	return &ledger{
		heads:      newHeads(),
		selectHead: cql.On(blog.CommentsByPost, `SELECT DISTINCT comment_count, version, stamp, closed, comment_rows, comment_bytes FROM comments_by_post WHERE post_id = ? AND bucket = 0`),
		updateHead: cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ?, comment_rows = ?, comment_bytes = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`),
		closeHead:  cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
		clearHead:  cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		clearRows:  cql.On(blog.CommentsByPost, `DELETE FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id <= ?`),
		selectRows: cql.On(blog.CommentsByPost, `SELECT comment_id, author_id, content, updated_at, edits, recent_commands, comment_count, version, stamp, closed, comment_rows, comment_bytes FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id IN ?`),
		scanRow:    scanCommentTruth,
		sized:      true,
		full:       blog.ErrCommentsFull,
	}
}

func likesLedger() *ledger {
	return &ledger{
		heads:      newHeads(),
		selectHead: cql.On(blog.LikeClaims, `SELECT DISTINCT like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0`),
		updateHead: cql.On(blog.LikeClaims, `UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND like_count = ? AND closed = null`),
		closeHead:  cql.On(blog.LikeClaims, `UPDATE like_claims SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
		clearHead:  cql.On(blog.LikeClaims, `UPDATE like_claims SET like_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		clearRows:  cql.On(blog.LikeClaims, `DELETE FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id >= ? AND user_id <= ?`),
		selectRows: cql.On(blog.LikeClaims, `SELECT user_id, liked, liked_at, like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id IN ?`),
		scanRow:    scanClaim,
		full:       blog.ErrLikesFull,
	}
}

// head is a ledger's static cells; all zero where nothing was ever written.
type head struct {
	rows    int
	version int64
	stamp   int64
	closed  bool
	kept    int // rows that are there, dead ones too; less than rows: not known
	bytes   int // of contents
}

// takes is how many rows the partition holds.
func (h head) takes() int { return max(h.rows, h.kept) }

// columns returns where a statement that reads a head puts it.
func (l *ledger) columns(h *head) []any {
	columns := []any{&h.rows, &h.version, &h.stamp, &h.closed}
	if l.sized {
		columns = append(columns, &h.kept, &h.bytes)
	}
	return columns
}

// update returns updateHead, which makes one head of another.
func (l *ledger) update(post blog.PostID, next, now head) cql.Bound {
	args := []any{next.rows, next.version, next.stamp}
	if l.sized {
		args = append(args, next.takes(), next.bytes)
	}
	version, rows := now.guard()
	return l.updateHead.With(append(args, cql.ID(post.UUID), version, rows)...)
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

// ledgerHead reads a ledger's head, of a partition that may not exist yet.
func (s *Store) ledgerHead(ctx context.Context, l *ledger, post blog.PostID) (head, error) {
	var h head
	err := s.db.One(ctx, l.selectHead.With(cql.ID(post.UUID)), l.columns(&h)...)
	return h, cql.AbsentIsZero(err)
}

func (s *Store) ledgerHeadSerial(ctx context.Context, l *ledger, post blog.PostID) (head, error) {
	var h head
	err := s.db.OneSerial(ctx, l.selectHead.With(cql.ID(post.UUID)), l.columns(&h)...)
	return h, cql.AbsentIsZero(err)
}

// rowsSerial reads the rows with some keys in one statement, at the serial consistency, and
// with them the head, unless no row is found.
func (s *Store) rowsSerial(ctx context.Context, l *ledger, post blog.PostID, keys []gocql.UUID) (found map[blog.UUID]ledgerRow, now head, err error) {
	found = make(map[blog.UUID]ledgerRow, len(keys))
	err = s.db.EachSerial(ctx, l.selectRows.With(cql.ID(post.UUID), keys), len(keys), func(row gocql.Scanner) error {
		key, read, above, err := l.scanRow(row)
		found[key], now = read, above
		return err
	})
	return found, now, err
}

// closeLedger ends a ledger for ever: no change passes it again. The static cells
// stay, for a partition without them would accept a row.
func (s *Store) closeLedger(ctx context.Context, l *ledger, post blog.PostID) error {
	return cql.Until(ctx, l.selectHead.Table, post, func() (done bool, by any, err error) {
		now, err := s.ledgerHeadSerial(ctx, l, post)
		if err != nil || now.closed {
			return true, nil, err
		}
		version, _ := now.guard()
		done, _, err = s.db.CompareAndSet(ctx, l.closeHead.With(now.version+1, blog.NextStamp(s.clock, now.stamp), cql.ID(post.UUID), version))
		return done, now, err
	})
}

// clearLedger deletes the rows of a closed ledger.
func (s *Store) clearLedger(ctx context.Context, l *ledger, post blog.PostID) error {
	_, _, err := s.db.CompareAndSet(ctx, l.clearHead.With(cql.ID(post.UUID)), l.clearRows.With(cql.ID(post.UUID), firstUUID, lastUUID))
	return err
}
