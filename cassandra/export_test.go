package cassandra

import (
	"context"
	"errors"
	"sync/atomic"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
)

// What tests of this package need to reach inside.

// ErrHeld says that a job is done by another.
var ErrHeld = cql.ErrHeld

// SpreadName runs the job of a rename.
func (s *Store) SpreadName(ctx context.Context, command blog.CommandID, user blog.UserID) error {
	return s.renames.Spread(ctx, command, blog.User{ID: user, Version: 1})
}

// RenamesSpreading is how many renames walk, or wait until another walk for their user has ended.
func (s *Store) RenamesSpreading() int { return s.renames.Spreading() }

// SweepPost runs the job of a deletion.
func (s *Store) SweepPost(ctx context.Context, post blog.PostID) error {
	return s.sweeps.Post(ctx, post)
}

// WriteCopies writes copies, as a batch that comes late does.
func (s *Store) WriteCopies(ctx context.Context, copies []blog.Copy) error {
	return tables.Write(ctx, s.db, copies)
}

// ReadJobsBy makes jobs read so many rows at once.
func (s *Store) ReadJobsBy(rows int) { s.jobs.Page = rows }

// FillBackground leaves no slot in the background, for ever.
func (s *Store) FillBackground() {
	s.background = job.NewBackground(0, s.log)
}

// FillJobs lets no job run, for ever.
func (s *Store) FillJobs() { s.jobs.Most = 0 }

// KeepCheckpoints does what a server does with checkpoints from time to time.
func (s *Store) KeepCheckpoints(ctx context.Context) error { return s.cleaning.Once(ctx) }

// CloseAtOnce is Close of a process that has no time to wait for what commands left to the background.
func (s *Store) CloseAtOnce() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := s.Settle(ctx)
	s.background.Stop()
	return errors.Join(err, s.Close())
}

// Crash ends a store as the death of its process does: nothing more is written.
func (s *Store) Crash() {
	s.db.Close()
	s.background.Stop()
}

// losing is a table of partitions that loses answers to conditional batches.
type losing[R any] struct {
	counted.Table[blog.UUID, R]
	lose func(ctx context.Context, send func(context.Context) (bool, error)) (bool, error)
}

func (l losing[R]) Replace(ctx context.Context, parent blog.UUID, now, next counted.Header, entries []cql.Bound) (bool, error) {
	return l.lose(ctx, func(ctx context.Context) (bool, error) { return l.Table.Replace(ctx, parent, now, next, entries) })
}

var errLost = blog.Errorf(blog.Unavailable, "the answer is lost")

// LoseAnswers has a store lose the answers to conditional batches on comments and likes: of every
// five, one is not sent, one is applied, and one is applied at some time after its answer
// was lost.
func (s *Store) LoseAnswers() (lost *atomic.Int64) {
	lost = new(atomic.Int64)
	var made atomic.Int64
	lose := func(ctx context.Context, send func(context.Context) (bool, error)) (bool, error) {
		switch made.Add(1) % 5 {
		case 1:
		case 2:
			_, _ = send(ctx)
		case 3:
			s.background.Run(ctx, func(ctx context.Context) { _, _ = send(ctx) })
		default:
			return send(ctx)
		}
		lost.Add(1)
		return false, errLost
	}
	s.truths.Comments.Table = losing[truth.Comment]{s.truths.Comments.Table, lose}
	for _, reactions := range s.truths.Reactions {
		reactions.Table = losing[truth.Reaction]{reactions.Table, lose}
	}
	return lost
}

// Between has a store lose the answer to the first conditional batch on a post's comments,
// which is applied, and runs do before it looks what became of it.
func (s *Store) Between(do func()) {
	var lost atomic.Bool
	s.truths.Comments.Table = losing[truth.Comment]{s.truths.Comments.Table, func(ctx context.Context, send func(context.Context) (bool, error)) (bool, error) {
		applied, err := send(ctx)
		if err != nil || !lost.CompareAndSwap(false, true) {
			return applied, err
		}
		do()
		return false, errLost
	}}
}

// CreatePostAs is CreatePost with an id that was drawn before, as a command has that comes
// again under its key.
func (s *Store) CreatePostAs(ctx context.Context, c blog.CreatePost, post blog.PostID) (blog.Post, error) {
	author, err := s.truths.Users.Name(ctx, c.Author)
	if err != nil {
		return blog.Post{}, err
	}
	ids := s.fresh()
	ids.object = post.UUID
	return (&postCreation{CreatePost: c, store: s, author: author}).create(ctx, ids)
}

// CreateCommentAs is CreateComment with an id that was drawn before.
func (s *Store) CreateCommentAs(ctx context.Context, c blog.CreateComment, comment blog.CommentID) (blog.Comment, error) {
	leave, err := s.truths.Comments.Enter(c.Post.UUID)
	if err != nil {
		return blog.Comment{}, err
	}
	defer leave()
	ids := s.fresh()
	ids.object = comment.UUID
	made, err := (&commentCreation{CreateComment: c, store: s}).create(ctx, ids)
	return made.comment, err
}

// MakePostsGap makes a gap of an author's deleted posts around one of them. Between the look
// at the rows that it will hide and the writing of the gap it runs do.
func (s *Store) MakePostsGap(ctx context.Context, author blog.UserID, post blog.PostID, do func()) error {
	making, begun, err := s.gaps.Begin(ctx, gap.Key{List: gap.In(blog.PostsByAuthor, author), ID: post.UUID})
	if err != nil || !begun {
		return err
	}
	do()
	return making.Write(ctx)
}

// After returns the next higher id.
func After(u blog.UUID) blog.UUID { return cql.After(u) }
