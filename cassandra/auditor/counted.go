package auditor

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

// countedTruth is what an audit knows of a truth that is a counted partition.
type countedTruth struct {
	mend   cql.Statement                                                 // its header, under the guard of the version alone
	rows   cql.Statement                                                 // their keys, each with what says whether the row stands
	stands func(gocql.Scanner) (key blog.UUID, standing bool, err error) // reads one of them
	times  cql.Statement                                                 // when cells of its rows were written
	cells  int                                                           // so many of each row
}

var countedTruths = func() map[blog.Table]countedTruth {
	all := map[blog.Table]countedTruth{blog.CommentsByPost: countedComments}
	for k, s := range tables.Reactions {
		all[k.Claims] = countedTruth{
			mend: s.Mend, rows: s.Users, times: s.Times, cells: 2,
			stands: func(row gocql.Scanner) (key blog.UUID, stands bool, err error) {
				err = row.Scan(cql.Into(&key), &stands)
				return key, stands, err
			},
		}
	}
	return all
}()

var countedComments = countedTruth{
	mend: cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ?`+
		` WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
	rows: cql.On(blog.CommentsByPost,
		`SELECT comment_id, content FROM comments_by_post WHERE post_id = ? AND bucket = 0`),
	stands: func(row gocql.Scanner) (key blog.UUID, standing bool, err error) {
		var content string
		err = row.Scan(cql.Into(&key), &content)
		return key, content != "", err
	},
	times: cql.On(blog.CommentsByPost,
		`SELECT WRITETIME(author_id), WRITETIME(content), WRITETIME(edits), WRITETIME(username)`+
			` FROM comments_by_post WHERE post_id = ? AND bucket = 0`),
	cells: 4,
}

// Tally is a method of [audit.Reader]. The rows that are read between two readings of a
// header that did not move are those of its version: every change raises it.
func (a *reader) Tally(ctx context.Context, table blog.Table, post blog.PostID) (audit.Tally, error) {
	var tally audit.Tally
	err := a.patiently(ctx, func(ctx context.Context) (err error) { tally, _, err = a.Auditor.tally(ctx, table, post); return err })
	return tally, err
}

func (s *Auditor) tally(ctx context.Context, table blog.Table, post blog.PostID) (audit.Tally, counted.Header, error) {
	before, err := s.Truths.Counted(table).HeaderSerial(ctx, post)
	if err != nil {
		return audit.Tally{}, before, err
	}
	of := countedTruths[table]
	t := audit.Tally{Count: before.Count(), Closed: before.Closed}
	err = s.DB.ScanBy(ctx, auditPage, of.rows.With(cql.ID(post.UUID)), func(row gocql.Scanner) error {
		key, standing, err := of.stands(row)
		switch {
		case key.IsZero(): // of a partition that has lost its rows
		case standing:
			t.Rows++
		default:
			t.Strays++
		}
		return err
	})
	if err != nil {
		return t, before, err
	}
	after, err := s.Truths.Counted(table).HeaderSerial(ctx, post)
	t.Moving = after.Version != before.Version
	return t, after, err
}

// raiseCounted makes the stamp of a post's comments or likes higher than a floor. The
// version goes up with it, so that no command goes on by what it read before.
func (s *Auditor) raiseCounted(ctx context.Context, table blog.Table, post blog.PostID, floor int64) error {
	return cql.Until(ctx, table, post, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.Truths.Counted(table).HeaderSerial(ctx, post)
		if err != nil || now.Stamp > floor {
			return true, nil, err
		}
		if now.Closed {
			return true, nil, blog.ErrNoPost("postId")
		}
		done, err = s.mendHeader(ctx, table, post, now, now.Rows, floor)
		return done, now.Version, err
	}))
}

// mendHeader writes a header under the guard of the one before.
func (s *Auditor) mendHeader(ctx context.Context, table blog.Table, post blog.PostID, now counted.Header, rows int, floor int64) (applied bool, err error) {
	version, _ := now.Guard()
	applied, _, err = s.DB.CompareAndSet(ctx, countedTruths[table].mend.With(rows, now.Version+1, max(blog.NextStamp(s.Clock, now.Stamp), floor+1), cql.ID(post.UUID), version))
	return applied, err
}

// repairCount counts the rows under the guard of the version, writes the count, and
// then its copies.
func (s *Auditor) repairCount(ctx context.Context, table blog.Table, post blog.PostID) error {
	l := s.Truths.Counted(table)
	err := cql.Until(ctx, table, post, cql.Patiently(func() (done bool, by any, err error) {
		tally, now, err := s.tally(ctx, table, post)
		switch {
		case err != nil || tally.Moving:
			return false, nil, err
		case now.Closed || now.Rows == tally.Rows && now.Version > 0:
			return true, nil, nil
		}
		if applied, err := s.mendHeader(ctx, table, post, now, tally.Rows, 0); err != nil || !applied {
			return false, now.Version, err
		}
		after, err := l.HeaderSerial(ctx, post)
		if err == nil && after.Version == now.Version+1 && after.Rows != tally.Rows {
			err = blog.Errorf(blog.Invalid, "the count was written with a write time in the future: until then no conditional write can change it")
		}
		return true, nil, err
	}))
	if err != nil {
		return err
	}
	ref, err := s.Truths.Posts.Ref(ctx, post)
	if err != nil {
		return err
	}
	now, err := l.HeaderSerial(ctx, post)
	if err != nil {
		return err
	}
	if of := table.Reaction(); of != nil {
		return tables.Write(ctx, s.DB, blog.CopiesOfReaction(blog.ReactionState{Of: of, Ref: ref, Count: now.Count()}))
	}
	return tables.Write(ctx, s.DB, blog.CopiesOfComment(blog.CommentState{Ref: ref, Count: now.Count()}))
}

// repairOrphans removes the rows of a post that was deleted, and what follows from them:
// either its truth says so, or the header, which only a deletion closes. A post of which
// nothing is known may be restored, and people are to be able to comment on it then. The partition is closed first, so that no command writes to it again: then truths
// that were written with a write time in the future can be deleted like copies.
func (s *Auditor) repairOrphans(ctx context.Context, table blog.Table, post blog.PostID) error {
	fate, err := audit.FateOf(ctx, truthReader{s, true}, blog.PostsByID, post)
	if err != nil {
		return err
	}
	now, err := s.Truths.Counted(table).HeaderSerial(ctx, post)
	if err != nil {
		return err
	}
	if fate != audit.Ended && !now.Closed {
		return blog.Errorf(blog.Invalid, "the post was not deleted")
	}
	if err := s.Truths.Close(ctx, post); err != nil {
		return err
	}
	latest := int64(0)
	for _, of := range countedTruths {
		written, err := s.latestWrite(ctx, of.times.With(cql.ID(post.UUID)), of.cells)
		if err != nil {
			return err
		}
		latest = max(latest, written)
	}
	stamp := blog.DeletionStamp(s.Clock, latest)
	if err := s.Sweeps.Below(ctx, post, blog.UserID{}, stamp); err != nil {
		return err
	}
	for _, of := range tables.Reactions {
		if err := s.DB.Write(ctx, of.Orphans.With(stamp, cql.ID(post.UUID), cql.FirstID, cql.LastID)); err != nil {
			return err
		}
	}
	return nil
}

// latestWrite returns the latest of the write times that a statement reads, so many in
// each row.
func (s *Auditor) latestWrite(ctx context.Context, times cql.Bound, columns int) (latest int64, err error) {
	err = s.DB.Scan(ctx, times, func(row gocql.Scanner) error {
		written, order := make([]int64, columns), make([]any, columns)
		for i := range written {
			order[i] = &written[i]
		}
		err := row.Scan(order...)
		latest = max(latest, slices.Max(written))
		return err
	})
	return latest, err
}

// mendEdits writes the number of a comment's edits, which was null or 0.
var mendEdits = cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET version = ?, stamp = ?, edits = ?`+
	` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`+
	` IF version = ? AND closed = null AND content = ? AND edits = ?`)

// repairContradiction mends what a copy tells: how often a comment was edited, where its
// author's list has the same text. Nothing else can be told.
func (s *Auditor) repairContradiction(ctx context.Context, d audit.Drift) error {
	undecided := blog.Errorf(blog.Invalid, "nothing tells which is right: edit or delete it, or restore it from a backup")
	if d.Table != blog.CommentsByPost || len(d.Key) != 2 {
		return undecided
	}
	key := blog.CommentKey{Post: d.Key[0].(blog.PostID), Comment: d.Key[1].(blog.CommentID)}
	return cql.Until(ctx, blog.CommentsByPost, key, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.Truths.Comments.HeaderSerial(ctx, key.Post)
		if err != nil {
			return false, nil, err
		}
		var r audit.TruthRow
		var edits *int // null is told from 0
		into, c := commentInto(&r), &r.Comment
		into[slices.Index(into, any(&c.Version))] = &edits
		err = cql.AbsentIsZero(s.DB.OneSerial(ctx, truthTables[blog.CommentsByPost].one.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), into...))
		if err != nil || c.Content == "" || edits != nil && *edits > 0 {
			return true, nil, err
		}
		if c.Version, err = s.listedEdits(ctx, *c); err != nil {
			return false, nil, err
		}
		if c.Version < 1 || now.Closed {
			return true, nil, undecided
		}
		version, _ := now.Guard()
		done, _, err = s.DB.CompareAndSet(ctx, mendEdits.With(now.Version+1, blog.NextStamp(s.Clock, now.Stamp), c.Version,
			cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), version, c.Content, edits))
		return done, now.Version, err
	}))
}

// listedEdits returns the version that a comment has on its author's list; 0 where that
// has it not, or with another text.
func (s *Auditor) listedEdits(ctx context.Context, c blog.Comment) (int, error) {
	row, _, err := s.rowWithTimes(ctx, blog.CommentsByAuthor, []any{c.Author.ID, c.ID})
	for _, copied := range row.Cells {
		if copied.Group != blog.AuthorComment {
			continue
		}
		c.Version = copied.Values[3].(int)
		if audit.SameValues(copied.Values, blog.CopiesOfComment(blog.CommentState{Comment: c})[0].Values) {
			return c.Version, err
		}
	}
	return 0, err
}
