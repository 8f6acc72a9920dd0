package auditor

import (
	"cmp"
	"context"
	"math"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/audit"
)

// highestStamp leaves room above a stamp for deletions and for all later changes.
const highestStamp = math.MaxInt64 - 1<<60

// Repair mends a row by what the truth says now. A copy can't be corrected at its
// truth's stamp where the damage is younger than that. So the stamp is first raised,
// by a conditional write, above every write time that is seen in the row; then the
// row is written at it, and whatever commands write later is written above:
//
//	stamp 300   row │ name = ann @300 │ title = x @900     damage
//	stamp 901   row │ name = ann @300 │ title = x @900     the truth is raised
//	stamp 901   row │ name = ann @300 │ title = t @901     the row is written
//
// Each step may be repeated, and is while the cluster does not answer.
func (s *Auditor) Repair(ctx context.Context, d audit.Drift) error {
	if err := s.Clocks.Right(ctx); err != nil {
		return err
	}
	return s.patiently(ctx, func(ctx context.Context) error { return s.repair(ctx, d) })
}

func (s *Auditor) repair(ctx context.Context, d audit.Drift) error {
	switch {
	case d.Table == blog.FeedBuckets:
		return s.repairIndex(ctx, d)
	case d.Table == blog.HomeByUser:
		return s.repairHome(ctx, d)
	case d.Table.UniqueKey() != nil:
		return s.repairClaim(ctx, d)
	case d.Kind == audit.Contradiction:
		return s.repairContradiction(ctx, d)
	case d.Kind == audit.LeftErasure:
		return s.repairErasure(ctx, d)
	case d.Table == blog.Gaps:
		return s.Gaps.Uncover(ctx, []gap.Key{gapKey(d.Key)}) // the gap in which the row stands is cut
	case d.Kind == audit.Orphan:
		return s.repairOrphans(ctx, d.Table, d.Parent())
	case d.OfTally():
		return s.repairCount(ctx, d.Table, d.Parent())
	default:
		return s.repairRow(ctx, d)
	}
}

// repairErasure continues an erasure, or deletes what it missed, on behalf of an operator.
func (s *Auditor) repairErasure(ctx context.Context, d audit.Drift) error {
	var operator blog.UserID
	switch d.Table {
	case blog.UsersByID:
		return s.Deletions.Account(ctx, d.Key[0].(blog.UserID))
	case blog.PostsByID:
		return s.Deletions.Post(ctx, operator, d.Key[0].(blog.PostID))
	case blog.CommentsByPost:
		return s.Deletions.Comment(ctx, operator, blog.CommentKey{Post: d.Key[0].(blog.PostID), Comment: d.Key[1].(blog.CommentID)})
	}
	if d.Table == blog.GroupsByID {
		return s.Deletions.Group(ctx, operator, d.Key[0].(blog.GroupID))
	}
	return s.Deletions.Reaction(ctx, operator, blog.ReactionKey{Of: d.Table.Reaction(), To: d.Parent(), User: d.Key[1].(blog.UserID)})
}

// repairRow writes a row as it should be, or deletes it if that was planned: if the truth of a row that was
// to be written is gone by now, the next audit decides. A deletion, whose write time no statement can
// read, may hide the row that was written: then the stamp is raised in growing steps.
func (s *Auditor) repairRow(ctx context.Context, d audit.Drift) error {
	t := truthReader{s, true}
	floor := int64(0)
	for further := int64(0); ; further = ahead(further) {
		expected, err := audit.RowCopies(ctx, t, d.Table, d.Key, d.Post)
		if err != nil {
			return err
		}
		if len(expected) == 0 && d.Deletes == 0 {
			return nil
		}
		for _, table := range audit.Uncounted(d, expected) {
			if err := s.repairCount(ctx, table, d.Parent()); err != nil {
				return err
			}
		}
		row, latest, err := s.rowWithTimes(ctx, d.Table, d.Key)
		if err != nil {
			return err
		}
		floor = max(floor, latest)
		if floor > highestStamp {
			return blog.Errorf(blog.Invalid, "somebody has written or deleted with so high a write time that nothing can be written above it")
		}
		if len(expected) == 0 {
			return s.deleteRow(ctx, d, row, latest)
		}
		for _, truth := range differing(expected, row) {
			if err := s.raiseTruth(ctx, t, truth, expected, d, floor); err != nil {
				return err
			}
		}
		if expected, err = audit.RowCopies(ctx, t, d.Table, d.Key, d.Post); err != nil {
			return err
		}
		if len(expected) == 0 { // deleted meanwhile
			continue
		}
		if err := tables.Write(ctx, s.DB, expected); err != nil {
			return err
		}
		if row, _, err = s.rowWithTimes(ctx, d.Table, d.Key); err != nil {
			return err
		}
		if len(differing(expected, row)) == 0 {
			return s.Gaps.UncoverLate(ctx, expected)
		}
		floor = s.Clock.Now().UnixMicro() + further
	}
}

// ahead returns how far ahead of now the next attempt writes, above a deletion that can't be
// seen: first now, then above any permanent deletion, then ever further.
func ahead(last int64) int64 {
	if last == 0 {
		return 2 * blog.GoneForEver
	}
	return 32 * last
}

// differing returns the truths of those families of a row that are not as expected, without what stands above the rows.
func differing(expected []blog.Copy, row audit.Row) (truths []blog.Truth) {
	standing := map[*blog.Family]blog.Copy{}
	for _, c := range row.Cells {
		standing[c.Family] = c
	}
	static := len(row.Key) < len(expected[0].Family.Table.RowKey())
	for _, want := range expected {
		have, stands := standing[want.Family]
		differs := !stands || !audit.SameValues(want.Values, have.Values)
		if want.Family.Static() == static && differs && !slices.Contains(truths, want.Family.Truth) {
			truths = append(truths, want.Family.Truth)
		}
	}
	return truths
}

// raiseTruth makes the stamp of one of a row's truths higher than a floor.
func (s *Auditor) raiseTruth(ctx context.Context, t truthReader, of blog.Truth, expected []blog.Copy, d audit.Drift, floor int64) (err error) {
	row := append([]blog.Copy{{Key: d.Key}}, expected...)
	post := cmp.Or(audit.First[blog.PostID](row), d.Post)
	group := audit.First[blog.GroupID](row)
	parent := cmp.Or(audit.First[blog.FollowedID](row).UUID, group.UUID, post.UUID)
	switch of {
	case blog.UserTruth:
		user := audit.First[blog.UserID](row)
		if user.IsZero() { // the row is a truth's own
			var r audit.TruthRow
			r, err = t.True(ctx, d.Table, d.Key...)
			user = r.Writer()
		}
		if err == nil {
			_, err = s.Truths.Users.RaiseStamp(ctx, user, floor)
		}
		return err
	case blog.PostTruth:
		_, err = s.Truths.Posts.RaiseStamp(ctx, post, floor)
		return err
	case blog.GroupTruth:
		_, err = s.Truths.Groups.RaiseStamp(ctx, group, floor)
		return err
	}
	return s.raiseCounted(ctx, audit.TableOf(of), parent, floor)
}

// deleteRow deletes what follows from no truth, above its own write times: for ever, or, if the key may come back,
// below its truth's stamp, which is raised first.
func (s *Auditor) deleteRow(ctx context.Context, d audit.Drift, row audit.Row, latest int64) error {
	if len(row.Cells) == 0 {
		return nil
	}
	stamp := max(latest, s.Clock.Now().UnixMicro()) + 1
	comesBack, err := s.raiseAbove(ctx, d, stamp)
	if err != nil {
		return err
	}
	if !comesBack {
		stamp = blog.DeletionStamp(s.Clock, latest)
	}
	if clear, ok := tables.Clears[d.Table]; ok && (len(d.Key) < len(d.Table.RowKey()) || !d.Table.Declaration().MakesRows()) {
		return s.DB.Write(ctx, clear.With(append([]any{stamp}, tables.Arguments(d.Key)...)...))
	}
	for _, g := range d.Table.Families() {
		if g.Row {
			return tables.Write(ctx, s.DB, []blog.Copy{{Family: g, Key: d.Key, Stamp: stamp}})
		}
	}
	return blog.Errorf(blog.Invalid, "no statement deletes from %s", d.Table)
}

// raiseAbove raises the stamp of the truth that may write a row's key again, if one can.
func (s *Auditor) raiseAbove(ctx context.Context, d audit.Drift, stamp int64) (comesBack bool, err error) {
	truth := d.Table.Families()[slices.IndexFunc(d.Table.Families(), func(g *blog.Family) bool { return g.Row || !d.Table.Declaration().MakesRows() })].Truth
	switch {
	case truth == blog.UserTruth && d.Table.Declaration().MakesRows():
		_, err = s.Truths.Users.RaiseStamp(ctx, d.Key[1].(blog.UserID), stamp)
		if blog.KindOf(err) == blog.Forbidden {
			return false, nil
		}
	case d.Table.Reaction() != nil:
		of := d.Table.Reaction()
		fate, unread := audit.FateOf(ctx, truthReader{s, true}, of.Parent.Table, of.Parent.ID(d.Parent()))
		if err = unread; err == nil && fate != audit.Standing {
			return false, nil
		}
		if err == nil {
			err = s.raiseCounted(ctx, of.Table, d.Parent(), stamp)
		}
		if blog.IsNotFound(err) {
			return false, nil
		}
	default:
		return false, nil
	}
	return err == nil, err
}
