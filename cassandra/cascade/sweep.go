package cascade

import (
	"context"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

var comments = tables.Counting[blog.CommentsByPost]

// Sweeps remove what stood below deleted posts and groups, and who followed erased users.
type Sweeps struct {
	db        *cql.Session
	clock     blog.Clock
	jobs      *job.Runner
	truths    *truth.Truths
	keepMarks KeepMarks
}

// KeepMarks has the intents of a truth's last commands, of those that have not ended, keep that they were applied, and
// the number of the comment that one made.
type KeepMarks func(ctx context.Context, by truth.History, number int) error

// NewSweeps returns sweeps of a cluster.
func NewSweeps(db *cql.Session, clock blog.Clock, jobs *job.Runner, truths *truth.Truths, keepMarks KeepMarks) *Sweeps {
	return &Sweeps{db: db, clock: clock, jobs: jobs, truths: truths, keepMarks: keepMarks}
}

// OffLists returns what takes a deleted post off its lists, and the copy of its author's name off its row, and the
// rows of copies that stand in partitions of the post, as of a stamp.
func OffLists(p blog.Post, stamp int64) (copies []blog.Copy, below []cql.Bound) {
	below = rowsBelow(blog.AboutPost, p.ID.UUID, stamp)
	return blog.DeletionsOfPost(p, stamp), append(below, tables.Clears[blog.PostsByID].With(stamp, cql.ID(p.ID.UUID)))
}

// rowsBelow returns the deletions of the rows of copies that stand in partitions of a parent.
func rowsBelow(of *blog.Subject, parent blog.UUID, stamp int64) (below []cql.Bound) {
	for _, st := range tables.BelowParent[of] {
		if shards := st.Table.Declaration().Shards(); shards > 1 {
			for shard := range shards {
				below = append(below, st.With(stamp, cql.ID(parent), shard).Of(2, cql.ID(parent), shard))
			}
			continue
		}
		below = append(below, st.With(stamp, cql.ID(parent)).Of(1, cql.ID(parent)))
	}
	return below
}

// Post removes all that stood below a deleted post, and the post from its lists. It goes by the truth alone, and ends
// in the same state from wherever it begins. [cql.ErrHeld]: it is being done.
//
// It first closes the post's comments and likes, so that nothing new can come. The rows of both stay until the end,
// for they say what else is to be removed; their static cells stay for ever, for a partition without them would accept
// a row.
func (s *Sweeps) Post(ctx context.Context, post blog.PostID) error {
	author, stamp, err := s.deletionStamp(ctx, post)
	if err != nil {
		return err
	}
	return s.Below(ctx, blog.AboutPost, post.UUID, author, stamp)
}

// Followers removes who follows a user whose erasure has begun, as Post removes what stood below a post.
func (s *Sweeps) Followers(ctx context.Context, user blog.UserID) error {
	return s.ended(ctx, blog.AboutFollowed, user.UUID, user, nil)
}

// Group removes who was in a deleted group, and the group from its owner's, as Post removes what stood below a post.
func (s *Sweeps) Group(ctx context.Context, group blog.GroupID) error {
	t, err := s.truths.Groups.Read(ctx, group, s.db.OneSerial)
	switch {
	case err == nil:
		return blog.Errorf(blog.Internal, "the group %v is not deleted", group)
	case !t.Deleted:
		return err
	}
	return s.ended(ctx, blog.AboutGroup, group.UUID, t.Owner, func(stamp int64) []blog.Copy { return blog.DeletionsOfGroup(t.Group, stamp) }, t.Stamp)
}

// OffOwner returns what takes a deleted group off its owner's, and the rows of copies that stand in partitions of the
// group, as of a stamp.
func OffOwner(g blog.Group, stamp int64) (copies []blog.Copy, below []cql.Bound) {
	return blog.DeletionsOfGroup(g, stamp), rowsBelow(blog.AboutGroup, g.ID.UUID, stamp)
}

// ended removes what was counted below something that has ended, and its own copies.
func (s *Sweeps) ended(ctx context.Context, of *blog.Subject, id blog.UUID, account blog.UserID, own func(stamp int64) []blog.Copy, known ...int64) error {
	if err := s.truths.Close(ctx, of, id); err != nil {
		return err
	}
	var mu sync.Mutex
	err := cql.Concurrently(s.truths.Below(of, func(_ blog.Table, counted truth.Counted) error {
		header, err := counted.HeaderSerial(ctx, id)
		mu.Lock()
		defer mu.Unlock()
		known = append(known, header.Stamp)
		return err
	})...)
	stamp := blog.DeletionStamp(s.clock, known...)
	if err != nil {
		return err
	}
	entries := rowsBelow(of, id, stamp)
	if own != nil {
		for _, c := range own(stamp) {
			entries = append(entries, tables.Bind(c))
		}
	}
	if err := s.db.WriteParts(ctx, entries); err != nil {
		return err
	}
	return s.Below(ctx, of, id, account, stamp)
}

// Below removes the rows of closed partitions of a parent, and what follows from them. The author is zero where it is
// not known.
func (s *Sweeps) Below(ctx context.Context, of *blog.Subject, parent blog.UUID, author blog.UserID, stamp int64) error {
	w := &sweep{parent, stamp, s.keepMarks}
	var lists []job.Walk
	for _, table := range of.Counted() {
		walk := job.Walk{Page: tables.Counting[table].Sweep, Of: cql.ID(parent), First: cql.LastID, Row: w.comment}
		if k := table.Reaction(); k != nil {
			walk.First, walk.Row = cql.FirstID, w.reaction(k)
		}
		lists = append(lists, walk)
	}
	err := s.jobs.Run(ctx, job.Job{Kind: blog.SweepJob, Of: parent.String(), Account: author, Lists: lists})
	if err != nil {
		return err
	}
	return s.clear(ctx, of, parent, stamp)
}

// deletionStamp closes what stands below a deleted post, takes the post off its lists, and returns its author and the
// stamp that all of it goes at.
func (s *Sweeps) deletionStamp(ctx context.Context, post blog.PostID) (author blog.UserID, stamp int64, err error) {
	t, err := s.truths.Posts.Read(ctx, post, s.db.OneSerial)
	switch {
	case err == nil:
		return author, 0, blog.Errorf(blog.Internal, "the post %v is not deleted", post)
	case !t.Deleted:
		return author, 0, err
	}
	if err := s.truths.Close(ctx, blog.AboutPost, post.UUID); err != nil {
		return author, 0, err
	}
	var writer truth.Account
	reads := s.truths.Counts(ctx, &t.Post, true)
	err = cql.Concurrently(append(reads, func() (err error) { writer, err = s.truths.Users.Account(ctx, t.Author.ID); return err })...)
	if err != nil {
		return author, 0, err
	}
	known := []int64{t.Stamp, writer.Stamp}
	for _, table := range blog.AboutPost.Counted() {
		known = append(known, t.CountOf(table).Stamp)
	}
	stamp = blog.DeletionStamp(s.clock, known...)
	copies, entries := OffLists(t.Post, stamp)
	for _, c := range copies {
		entries = append(entries, tables.Bind(c))
	}
	return t.Author.ID, stamp, s.db.WriteParts(ctx, entries)
}

// clear deletes the rows of closed partitions. A username beside a comment is a copy: one that comes late must
// find a deletion that is younger.
func (s *Sweeps) clear(ctx context.Context, of *blog.Subject, parent blog.UUID, stamp int64) error {
	return cql.Concurrently(s.truths.Below(of, func(table blog.Table, of truth.Counted) error {
		if err := of.Clear(ctx, parent); err != nil || table != blog.CommentsByPost {
			return err
		}
		// Above the deletion of each comment, which another server may have stamped by a clock that is ahead.
		return s.db.Write(ctx, comments.Orphans.With(stamp+blog.GoneForEver, cql.ID(parent), cql.FirstID, cql.LastID))
	})...)
}

// sweep makes the deletions of what people have on their own lists, and has the commands that made it keep their
// marks: recovery, which may have to publish them, finds no row.
type sweep struct {
	parent    blog.UUID
	stamp     int64
	keepMarks KeepMarks
}

func (w *sweep) comment(row gocql.Scanner) (blog.UUID, []blog.Copy, func(context.Context) error, error) {
	c, number, by := blog.Comment{Post: blog.PostID{UUID: w.parent}}, 0, truth.History{}
	err := row.Scan(cql.Into(&c.ID.UUID), cql.Into(&c.Author.ID.UUID), (*string)(&c.Path), &number, &by.Recent)
	return c.ID.UUID, blog.DeletionsOfComment(c, w.stamp), w.marks(by, number), err
}

// marks returns what keeps the marks of a row's commands.
func (w *sweep) marks(by truth.History, number int) func(context.Context) error {
	return func(ctx context.Context) error { return w.keepMarks(ctx, by, number) }
}

// reaction deletes for one that was taken back too: the server that took it back may have died before it took the
// reaction off its user's list.
func (w *sweep) reaction(of *blog.ReactionKind) job.Row {
	return func(row gocql.Scanner) (blog.UUID, []blog.Copy, func(context.Context) error, error) {
		key, by, at := blog.ReactionKey{Of: of, To: w.parent}, truth.History{}, time.Time{}
		err := row.Scan(cql.Into(&key.User.UUID), &at, &by.Recent)
		return key.User.UUID, blog.LostReaction(key, at, w.stamp), w.marks(by, 0), err
	}
}
