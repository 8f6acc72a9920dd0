package cassandra

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

var (
	mendCommentsHeader = cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`)
	mendLikesHeader    = cql.On(blog.LikeClaims, `UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`)
	orphanCommentTimes = cql.On(blog.CommentsByPost, `SELECT WRITETIME(author_id), WRITETIME(content), WRITETIME(edits), WRITETIME(username) FROM comments_by_post WHERE post_id = ? AND bucket = 0`)
	orphanLikeTimes    = cql.On(blog.LikeClaims, `SELECT WRITETIME(liked), WRITETIME(liked_at) FROM like_claims WHERE post_id = ? AND bucket = 0`)
	deleteOrphanLikes  = cql.On(blog.LikeClaims, `DELETE FROM like_claims USING TIMESTAMP ? WHERE post_id = ? AND bucket = 0 AND user_id >= ? AND user_id <= ?`)
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
// Each step may be done again, so whatever the cluster does not answer is.
func (s *Store) Repair(ctx context.Context, d audit.Drift) error {
	if err := s.clocks.Right(ctx); err != nil {
		return err
	}
	return s.patiently(ctx, func(ctx context.Context) error { return s.repair(ctx, d) })
}

func (s *Store) repair(ctx context.Context, d audit.Drift) error {
	switch {
	case d.Table == blog.FeedBuckets:
		return s.repairIndex(ctx, d)
	case truth.ClaimTables[d.Table].Scan.Text != "":
		return s.repairClaim(ctx, d)
	case d.Kind == audit.Contradiction:
		return s.repairContradiction(ctx, d)
	case d.Table == blog.Gaps:
		return s.repairGap(ctx, d)
	case d.Kind == audit.Orphan:
		return s.repairOrphans(ctx, d.Table, d.Key[0].(blog.PostID))
	case d.OfTally():
		return s.repairCount(ctx, d.Table, d.Key[0].(blog.PostID))
	default:
		return s.repairRow(ctx, d)
	}
}

// repairRow writes a row as it should be, or deletes it where that was wanted: a truth
// that is gone by now, of which a row was to be written, is looked into anew. What hides a row that was
// written may be a deletion, whose write time nobody can read: then the stamp is
// raised in growing steps.
func (s *Store) repairRow(ctx context.Context, d audit.Drift) error {
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
		if err := tables.Write(ctx, s.db, expected); err != nil {
			return err
		}
		if row, _, err = s.rowWithTimes(ctx, d.Table, d.Key); err != nil {
			return err
		}
		if len(differing(expected, row)) == 0 {
			return s.gaps.UncoverLate(ctx, expected)
		}
		floor = s.clock.Now().UnixMicro() + further
	}
}

// ahead returns how far ahead of now the next attempt is to be made to write above a
// deletion that can't be seen: first now, then above any deletion for ever, then ever
// further.
func ahead(last int64) int64 {
	if last == 0 {
		return 2 * blog.GoneForEver
	}
	return 32 * last
}

// differing returns the truths of those groups of a row that are not as expected. What
// stands above the rows is not the row's, and what nobody expects follows from a truth
// that is lost: it is left alone.
func differing(expected []blog.Copy, row audit.Row) (truths []blog.Truth) {
	standing := map[*blog.Group]blog.Copy{}
	for _, c := range row.Cells {
		standing[c.Group] = c
	}
	static := len(row.Key) < len(expected[0].Group.Table.RowKey())
	for _, want := range expected {
		have, stands := standing[want.Group]
		differs := !stands || !audit.SameValues(want.Values, have.Values)
		if want.Group.Static() == static && differs && !slices.Contains(truths, want.Group.Truth) {
			truths = append(truths, want.Group.Truth)
		}
	}
	return truths
}

// raiseTruth makes the stamp of one of a row's truths higher than a floor.
func (s *Store) raiseTruth(ctx context.Context, t truthReader, of blog.Truth, expected []blog.Copy, d audit.Drift, floor int64) error {
	switch of {
	case blog.UserTruth:
		user, err := s.userOf(ctx, t, expected, d)
		if err == nil {
			_, err = s.truths.Users.RaiseStamp(ctx, user, floor)
		}
		return err
	case blog.PostTruth:
		return s.truths.Posts.RaiseStamp(ctx, rowPost(expected, d), floor)
	case blog.CommentsTruth:
		return s.raiseCounted(ctx, blog.CommentsByPost, rowPost(expected, d), floor)
	default:
		return s.raiseCounted(ctx, blog.LikeClaims, rowPost(expected, d), floor)
	}
}

// rowPost returns the post that a row is of.
func rowPost(expected []blog.Copy, d audit.Drift) blog.PostID {
	for _, values := range append([][]any{d.Key}, valuesOf(expected)...) {
		for _, value := range values {
			if post, ok := value.(blog.PostID); ok {
				return post
			}
		}
	}
	return d.Post
}

func valuesOf(copies []blog.Copy) (values [][]any) {
	for _, c := range copies {
		values = append(values, c.Key, c.Values)
	}
	return values
}

// userOf returns the user whose name or card stands in a row.
func (s *Store) userOf(ctx context.Context, t truthReader, expected []blog.Copy, d audit.Drift) (blog.UserID, error) {
	for _, values := range append([][]any{d.Key}, valuesOf(expected)...) {
		for _, value := range values {
			if user, ok := value.(blog.UserID); ok {
				return user, nil
			}
		}
	}
	if d.Table == blog.CommentsByPost {
		c, _, err := t.TrueComment(ctx, blog.CommentKey{Post: d.Key[0].(blog.PostID), Comment: d.Key[1].(blog.CommentID)})
		return c.Author.ID, err
	}
	p, err := t.TruePost(ctx, rowPost(expected, d))
	return p.Author.ID, err
}

// raiseCounted makes the stamp of a post's comments or likes higher than a floor. The
// version goes up with it, so that no command goes on by what it read before.
func (s *Store) raiseCounted(ctx context.Context, table blog.Table, post blog.PostID, floor int64) error {
	return cql.Until(ctx, table, post, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.truths.Counted(table).HeaderSerial(ctx, post)
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
func (s *Store) mendHeader(ctx context.Context, table blog.Table, post blog.PostID, now counted.Header, rows int, floor int64) (applied bool, err error) {
	write := mendLikesHeader
	if table == blog.CommentsByPost {
		write = mendCommentsHeader
	}
	version, _ := now.Guard()
	applied, _, err = s.db.CompareAndSet(ctx, write.With(rows, now.Version+1, max(blog.NextStamp(s.clock, now.Stamp), floor+1), cql.ID(post.UUID), version))
	return applied, err
}

// deleteRow deletes what follows from no truth, above its own write times. Where the
// key may come back its truth's stamp is first raised above the deletion; where it
// can't, the deletion is made for ever.
func (s *Store) deleteRow(ctx context.Context, d audit.Drift, row audit.Row, latest int64) error {
	if len(row.Cells) == 0 {
		return nil
	}
	stamp := max(latest, s.clock.Now().UnixMicro()) + 1
	comesBack, err := s.raiseAbove(ctx, d, stamp)
	if err != nil {
		return err
	}
	if !comesBack {
		stamp = blog.DeletionStamp(s.clock, latest)
	}
	if clear, ok := tables.Clears[d.Table]; ok && (len(d.Key) < len(d.Table.RowKey()) || !d.Table.Declaration().MakesRows()) {
		args := []any{stamp}
		for _, value := range d.Key {
			args = append(args, tables.Argument(value))
		}
		return s.db.Write(ctx, clear.With(args...))
	}
	for _, g := range d.Table.Groups() {
		if g.Row {
			return tables.Write(ctx, s.db, []blog.Copy{{Group: g, Key: d.Key, Stamp: stamp}})
		}
	}
	return blog.Errorf(blog.Invalid, "no statement deletes from %s", d.Table)
}

// raiseAbove raises the stamp of what may write a row's key again. comesBack is false
// where nothing can.
func (s *Store) raiseAbove(ctx context.Context, d audit.Drift, stamp int64) (comesBack bool, err error) {
	truth := d.Table.Groups()[slices.IndexFunc(d.Table.Groups(), func(g *blog.Group) bool { return g.Row || !d.Table.Declaration().MakesRows() })].Truth
	switch {
	case truth == blog.UserTruth && d.Table.Declaration().MakesRows():
		_, err = s.truths.Users.RaiseStamp(ctx, d.Key[1].(blog.UserID), stamp)
		if blog.KindOf(err) == blog.Forbidden {
			return false, nil
		}
	case truth == blog.LikesTruth:
		err = s.raiseLikesOfLiving(ctx, rowPost(nil, d), stamp)
		if blog.IsNotFound(err) {
			return false, nil
		}
	default:
		return false, nil
	}
	return err == nil, err
}

func (s *Store) raiseLikesOfLiving(ctx context.Context, post blog.PostID, stamp int64) error {
	if _, err := s.truths.Posts.Read(ctx, post, s.db.OneSerial); err != nil {
		return err
	}
	return s.raiseCounted(ctx, blog.LikeClaims, post, stamp)
}

// repairCount counts the rows under the guard of the version, writes the count, and
// then its copies.
func (s *Store) repairCount(ctx context.Context, table blog.Table, post blog.PostID) error {
	l := s.truths.Counted(table)
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
	ref, err := s.truths.Posts.Ref(ctx, post)
	if err != nil {
		return err
	}
	now, err := l.HeaderSerial(ctx, post)
	if err != nil {
		return err
	}
	copies := blog.CopiesOfLike(blog.LikeState{Ref: ref, Count: now.Count()})
	if table == blog.CommentsByPost {
		copies = blog.CopiesOfComment(blog.CommentState{Ref: ref, Count: now.Count()})
	}
	return tables.Write(ctx, s.db, copies)
}

// repairOrphans removes the rows of a post that was deleted, and what follows from them:
// either its truth says so, or the header, which only a deletion closes. A post of which
// nothing is known may be restored, and people are to be able to comment on it then. The partition is closed first, so that no command writes to it again: then truths
// that somebody wrote with a write time in the future can be deleted like copies.
func (s *Store) repairOrphans(ctx context.Context, table blog.Table, post blog.PostID) error {
	fate, err := truthReader{s, true}.PostFate(ctx, post)
	if err != nil {
		return err
	}
	now, err := s.truths.Counted(table).HeaderSerial(ctx, post)
	if err != nil {
		return err
	}
	if fate != audit.Ended && !now.Closed {
		return blog.Errorf(blog.Invalid, "the post was not deleted")
	}
	if err := s.truths.Close(ctx, post); err != nil {
		return err
	}
	comments, err := s.latestWrite(ctx, orphanCommentTimes.With(cql.ID(post.UUID)), 4)
	if err != nil {
		return err
	}
	likes, err := s.latestWrite(ctx, orphanLikeTimes.With(cql.ID(post.UUID)), 2)
	if err != nil {
		return err
	}
	stamp := blog.DeletionStamp(s.clock, comments, likes)
	if err := s.sweeps.Below(ctx, post, stamp); err != nil {
		return err
	}
	return s.db.Write(ctx, deleteOrphanLikes.With(stamp, cql.ID(post.UUID), cql.FirstID, cql.LastID))
}

// mendEdits writes the number of a comment's edits, which was null or 0.
var mendEdits = cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET version = ?, stamp = ?, edits = ? WHERE post_id = ? AND bucket = 0 AND comment_id = ? IF version = ? AND closed = null AND content = ? AND edits = ?`)

// repairContradiction mends what a copy tells: how often a comment was edited, where its
// author's list has the same text. Nothing else can be told.
func (s *Store) repairContradiction(ctx context.Context, d audit.Drift) error {
	undecided := blog.Errorf(blog.Invalid, "nothing tells which is right: edit or delete it, or restore it from a backup")
	if d.Table != blog.CommentsByPost || len(d.Key) != 2 {
		return undecided
	}
	key := blog.CommentKey{Post: d.Key[0].(blog.PostID), Comment: d.Key[1].(blog.CommentID)}
	return cql.Until(ctx, blog.CommentsByPost, key, cql.Patiently(func() (done bool, by any, err error) {
		now, err := s.truths.Comments.HeaderSerial(ctx, key.Post)
		if err != nil {
			return false, nil, err
		}
		c := blog.Comment{Post: key.Post, ID: key.Comment}
		var edits *int
		err = cql.AbsentIsZero(s.db.OneSerial(ctx, auditComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)),
			cql.Into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &edits, new(int64), new(bool)))
		if err != nil || c.Content == "" || edits != nil && *edits > 0 {
			return true, nil, err
		}
		if c.Version, err = s.listedEdits(ctx, c); err != nil {
			return false, nil, err
		}
		if c.Version < 1 || now.Closed {
			return true, nil, undecided
		}
		version, _ := now.Guard()
		done, _, err = s.db.CompareAndSet(ctx, mendEdits.With(now.Version+1, blog.NextStamp(s.clock, now.Stamp), c.Version,
			cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID), version, c.Content, edits))
		return done, now.Version, err
	}))
}

// listedEdits returns the version that a comment has on its author's list; 0 where that
// has it not, or with another text.
func (s *Store) listedEdits(ctx context.Context, c blog.Comment) (int, error) {
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

// latestWrite returns the latest of the write times that a statement reads, so many in
// each row.
func (s *Store) latestWrite(ctx context.Context, times cql.Bound, columns int) (latest int64, err error) {
	err = s.db.Scan(ctx, times, func(row gocql.Scanner) error {
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

// Indexed is a method of blog.FeedIndex. What the index names once it names for ever, and with
// its layout; an index without any is one that an older program wrote.
func (a *auditReader) Indexed(ctx context.Context, place blog.FeedPlace) (bool, error) {
	if _, known := a.indexed.Load(place); known {
		return true, nil
	}
	err := a.patiently(ctx, func(ctx context.Context) error {
		layouts, err := a.feed.Written(ctx)
		if err != nil {
			return err
		}
		return a.feed.EachBucket(ctx, func(b feed.Bucket, _ int64) error {
			if !b.Misnamed() && (len(layouts) == 0 || layouts.Covers(b)) {
				a.indexed.Store(b.FeedPlace, true)
			}
			return nil
		})
	})
	_, known := a.indexed.Load(place)
	return known, err
}

// EachBucket is a method of blog.FeedIndex.
func (a *auditReader) EachBucket(ctx context.Context, visit func(key []any, fault string) error) error {
	return a.feed.EachBucket(ctx, func(b feed.Bucket, _ int64) error {
		fault := ""
		if b.Misnamed() {
			fault = fmt.Sprintf("its bounds, %s to %s, are not those of its name", b.Start.Format(time.RFC3339), b.End.Format(time.RFC3339))
		}
		return visit([]any{b.End, b.Bucket, b.Shard}, fault)
	})
}

func (s *Store) repairIndex(ctx context.Context, d audit.Drift) error {
	if d.Kind == audit.MissingRow {
		return s.indexBucket(ctx, blog.FeedPlace{Bucket: d.Key[0].(string), Shard: d.Key[1].(int)})
	}
	latest := int64(0)
	var faulty feed.Bucket
	err := s.feed.EachBucket(ctx, func(b feed.Bucket, written int64) error {
		if audit.SameValues(d.Key, []any{b.End, b.Bucket, b.Shard}) {
			latest, faulty = max(latest, written), b
		}
		return nil
	})
	if err != nil || faulty == (feed.Bucket{}) {
		return err
	}
	return s.feed.Delete(ctx, faulty, blog.DeletionStamp(s.clock, latest))
}

// indexBucket makes the index name the bucket of a post, above whatever deletion may
// hide it.
func (s *Store) indexBucket(ctx context.Context, place blog.FeedPlace) error {
	b, ok := feed.BucketAt(place)
	if !ok {
		return blog.Errorf(blog.Invalid, "%q is not the name of a bucket", place.Bucket)
	}
	a := s.audit(1)
	now, stamp := s.clock.Now().UnixMicro(), int64(0)
	for further := int64(0); stamp < highestStamp; further = ahead(further) {
		stamp = now + further
		if err := s.feed.Mend(ctx, b, stamp); err != nil {
			return err
		}
		if named, err := a.Indexed(ctx, place); err != nil || named {
			return err
		}
	}
	return blog.Errorf(blog.Invalid, "a deletion hides the bucket for ever")
}
