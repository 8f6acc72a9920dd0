package cascade

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/job"
)

// Deletions delete what an account wrote, on behalf of a user; zero: an operator. What is gone
// already is no error.
type Deletions interface {
	Post(ctx context.Context, by blog.UserID, post blog.PostID) error
	Comment(ctx context.Context, by blog.UserID, comment blog.CommentKey) error
	Reaction(ctx context.Context, by blog.UserID, reaction blog.ReactionKey) error

	// Account continues an erasure that is in the truth and that no intent names any more.
	Account(ctx context.Context, user blog.UserID) error
}

// Erasures delete what erased accounts wrote.
type Erasures struct {
	jobs      *job.Runner
	deletions Deletions
}

// NewErasures returns erasures of which none is under way.
func NewErasures(jobs *job.Runner, deletions Deletions) *Erasures { return &Erasures{jobs, deletions} }

// Of deletes all that a user's own lists name. It runs after the erasure is in the user's truth: a row that is
// written meanwhile is either met here or deleted by its writer, which reads the account once more.
// [cql.ErrHeld]: it is being done.
func (e *Erasures) Of(ctx context.Context, user, by blog.UserID) error {
	lists := walks(user, job.MostSteps, func(w Written) ([]blog.Copy, func(context.Context) error) {
		return nil, func(ctx context.Context) error { return w.Delete(ctx, e.deletions, by) }
	})
	return e.jobs.Run(ctx, job.Job{Kind: blog.EraseJob, Of: user.String(), Account: user, Lists: lists})
}
