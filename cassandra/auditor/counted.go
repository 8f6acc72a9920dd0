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

// Tally is a method of [audit.Reader]. Rows that are read between two equal headers are those of
// the header's version, which every change raises.
func (a *reader) Tally(ctx context.Context, table blog.Table, parent blog.UUID) (audit.Tally, error) {
	return patient(ctx, a.Auditor, func(ctx context.Context) (audit.Tally, error) {
		tally, _, err := a.Auditor.tally(ctx, table, parent)
		return tally, err
	})
}

func (s *Auditor) tally(ctx context.Context, table blog.Table, parent blog.UUID) (audit.Tally, counted.Header, error) {
	before, err := s.Truths.Counted(table).HeaderSerial(ctx, parent)
	if err != nil {
		return audit.Tally{}, before, err
	}
	t := audit.Tally{Count: before.Count(), Closed: before.Closed}
	err = s.eachCounted(ctx, tables.Counting[table], parent, func(counts bool, _ int64) {
		if counts {
			t.Rows++
		} else {
			t.Strays++
		}
	})
	if err != nil {
		return t, before, err
	}
	after, err := s.Truths.Counted(table).HeaderSerial(ctx, parent)
	t.Moving = after.Version != before.Version
	return t, after, err
}

// raiseCounted makes the stamp of what a parent's partition counts higher than a floor.
func (s *Auditor) raiseCounted(ctx context.Context, table blog.Table, parent blog.UUID, floor int64) error {
	of := s.Truths.Counted(table)
	now, err := of.HeaderSerial(ctx, parent)
	switch {
	case err != nil || now.Stamp > floor:
		return err
	case now.Closed:
		return table.Declaration().About.Parent.ErrAbsent()
	}
	return of.Fence(ctx, parent, floor)
}

// repairCount counts the rows under the guard of the version, and writes the count and its
// copies.
func (s *Auditor) repairCount(ctx context.Context, table blog.Table, parent blog.UUID) error {
	l := s.Truths.Counted(table)
	err := cql.Until(ctx, table, parent, cql.Patiently(func() (done bool, by any, err error) {
		tally, now, err := s.tally(ctx, table, parent)
		switch {
		case err != nil || tally.Moving:
			return false, nil, err
		case now.Closed || now.Rows == tally.Rows && now.Version > 0:
			return true, nil, nil
		}
		version, _ := now.Guard()
		mend := tables.Counting[table].Mend.With(tally.Rows, now.Version+1, blog.NextStamp(s.Clock, now.Stamp), cql.ID(parent), version)
		if applied, _, err := s.DB.CompareAndSet(ctx, mend); err != nil || !applied {
			return false, now.Version, err
		}
		after, err := l.HeaderSerial(ctx, parent)
		if err == nil && after.Version == now.Version+1 && after.Rows != tally.Rows {
			err = blog.Errorf(blog.Invalid, "the count was written with a write time in the future: until then no conditional write can change it")
		}
		return true, nil, err
	}))
	if err != nil {
		return err
	}
	of, err := s.Truths.Parent(ctx, table.Declaration().About.Parent, parent)
	if err != nil {
		return err
	}
	now, err := l.HeaderSerial(ctx, parent)
	if err != nil {
		return err
	}
	return tables.Write(ctx, s.DB, blog.CopiesOfCount(table, of, now.Count()))
}

// repairOrphans removes the rows of a parent that is gone, and what follows from them. The parent's truth says that it
// is, or the header, which only a deletion closes; an unknown one may be restored, and has to accept rows then. The
// partition is closed first, so that no command writes to it again: then truths with a write time in the future can be
// deleted like copies.
func (s *Auditor) repairOrphans(ctx context.Context, table blog.Table, parent blog.UUID) error {
	of := table.Declaration().About.Parent
	fate, err := audit.FateOf(ctx, truthReader{s, true}, of.Table, of.ID(parent))
	if err != nil {
		return err
	}
	now, err := s.Truths.Counted(table).HeaderSerial(ctx, parent)
	if err != nil {
		return err
	}
	if fate < audit.Ended && !now.Closed {
		return blog.Errorf(blog.Invalid, "the %s was not deleted", of.Noun)
	}
	if err := s.Truths.Close(ctx, of, parent); err != nil {
		return err
	}
	latest := int64(0)
	for _, counted := range of.Counted() {
		if err := s.eachCounted(ctx, tables.Counting[counted], parent, func(_ bool, written int64) { latest = max(latest, written) }); err != nil {
			return err
		}
	}
	stamp := blog.DeletionStamp(s.Clock, latest)
	if err := s.Sweeps.Below(ctx, of, parent, blog.UserID{}, stamp); err != nil {
		return err
	}
	for _, counted := range of.Counted() {
		if counted.Reaction() == nil {
			continue
		}
		if err := s.DB.Write(ctx, tables.Counting[counted].Orphans.With(stamp, cql.ID(parent), cql.FirstID, cql.LastID)); err != nil {
			return err
		}
	}
	return nil
}

// eachCounted visits the rows of a counted partition: whether each counts, and when its last cell was written.
func (s *Auditor) eachCounted(ctx context.Context, of tables.Counted, parent blog.UUID, visit func(counts bool, written int64)) error {
	var key blog.UUID
	mark, written := &cell{ColumnType: of.Counts}, make([]int64, of.Cells)
	order := []any{cql.Into(&key), mark}
	for i := range written {
		order = append(order, &written[i])
	}
	return s.DB.Scan(ctx, of.Each.With(cql.ID(parent)), func(row gocql.Scanner) error {
		err := row.Scan(order...)
		if err == nil && !key.IsZero() { // else the partition has lost its rows
			visit(mark.value != "" && mark.value != false, slices.Max(written))
		}
		return err
	})
}

// mendEdits writes the number of a comment's edits, which was null or 0.
var mendEdits = cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET version = ?, stamp = ?, edits = ?`+
	` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`+
	` IF version = ? AND closed = null AND content = ? AND edits = ?`)

// repairContradiction mends what a copy can prove: how often a comment was edited, if its
// author's list has the same text.
func (s *Auditor) repairContradiction(ctx context.Context, d audit.Drift) error {
	undecided := blog.Errorf(blog.Invalid, "nothing tells which is right: edit or delete it, or restore it from a backup")
	if d.Table != blog.CommentsByPost || len(d.Key) != 2 {
		return undecided
	}
	key := blog.CommentKey{Post: d.Key[0].(blog.PostID), Comment: d.Key[1].(blog.CommentID)}
	return cql.Until(ctx, blog.CommentsByPost, key, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.Truths.Comments.HeaderSerial(ctx, key.Post.UUID)
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

// listedEdits returns the version of a comment on its author's list; 0: it is not there, or has
// another text.
func (s *Auditor) listedEdits(ctx context.Context, c blog.Comment) (int, error) {
	row, _, err := s.rowWithTimes(ctx, blog.CommentsByAuthor, []any{c.Author.ID, c.ID})
	for _, copied := range row.Cells {
		if copied.Family != blog.AuthorComment {
			continue
		}
		c.Version = copied.Values[3].(int)
		if audit.SameValues(copied.Values, blog.CopiesOfComment(c, 0)[0].Values) {
			return c.Version, err
		}
	}
	return 0, err
}
