package cascade

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Deletions delete what an account wrote, on behalf of a user, or of an operator where that is zero. What is
// gone already is no error.
type Deletions interface {
	Post(ctx context.Context, by blog.UserID, post blog.PostID) error
	Comment(ctx context.Context, by blog.UserID, comment blog.CommentKey) error
	Reaction(ctx context.Context, by blog.UserID, reaction blog.ReactionKey) error

	// Account goes on with an erasure that stands in the truth and that no intent tells of any more.
	Account(ctx context.Context, user blog.UserID) error
}

// Erasures delete what erased accounts wrote.
type Erasures struct {
	jobs      *job.Runner
	deletions Deletions
}

// NewErasures returns erasures of which none is under way.
func NewErasures(jobs *job.Runner, deletions Deletions) *Erasures { return &Erasures{jobs, deletions} }

// Of deletes all that a user's own lists name. It runs after the erasure stands in the user's truth: a row that is
// written meanwhile is either met here or is its writer's to delete, for that one looks at the
// account once more. [cql.ErrHeld]: it is being done.
func (e *Erasures) Of(ctx context.Context, user, by blog.UserID) error {
	w := &erasing{e.deletions, user, by}
	author := cql.ID(user.UUID)
	lists := []job.Walk{
		{Page: walkPosts, Of: author, First: cql.LastID, Step: w.post},
		{Page: walkComments, Of: author, First: cql.LastID, Step: w.comment},
	}
	for _, k := range blog.ReactionKinds {
		lists = append(lists, job.Walk{Page: tables.Reactions[k].Walk, Of: author, First: cql.FirstID, Step: w.reaction(k)})
	}
	return e.jobs.Run(ctx, job.Job{Kind: blog.EraseJob, Of: user.String(), Account: user, Lists: lists})
}

// erasing makes the steps of an erasure. Dead rows, whose version is 0, need none.
type erasing struct {
	deletions Deletions
	user, by  blog.UserID
}

func (e *erasing) post(row gocql.Scanner) (blog.UUID, func(context.Context) error, error) {
	var ref blog.PostRef
	var version int
	err := row.Scan(cql.Into(&ref.ID.UUID), &version, &ref.Feed.Bucket, &ref.Feed.Shard)
	if err != nil || version == 0 {
		return ref.ID.UUID, nil, err
	}
	return ref.ID.UUID, func(ctx context.Context) error { return e.deletions.Post(ctx, e.by, ref.ID) }, nil
}

func (e *erasing) comment(row gocql.Scanner) (blog.UUID, func(context.Context) error, error) {
	var key blog.CommentKey
	var version int
	err := row.Scan(cql.Into(&key.Comment.UUID), &version, cql.Into(&key.Post.UUID))
	if err != nil || version == 0 {
		return key.Comment.UUID, nil, err
	}
	return key.Comment.UUID, func(ctx context.Context) error { return e.deletions.Comment(ctx, e.by, key) }, nil
}

func (e *erasing) reaction(of *blog.ReactionKind) func(gocql.Scanner) (blog.UUID, func(context.Context) error, error) {
	return func(row gocql.Scanner) (blog.UUID, func(context.Context) error, error) {
		key := blog.ReactionKey{Of: of, User: e.user}
		var at time.Time
		err := row.Scan(cql.Into(&key.Post.UUID), &at)
		if err != nil || at.IsZero() {
			return key.Post.UUID, nil, err
		}
		return key.Post.UUID, func(ctx context.Context) error { return e.deletions.Reaction(ctx, e.by, key) }, nil
	}
}
