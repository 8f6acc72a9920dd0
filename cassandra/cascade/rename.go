package cascade

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/truth"
)

// Renames spread the names of users. The walks of one user take turns.
type Renames struct {
	jobs  *job.Runner
	users *truth.Users
	turns turns
}

// NewRenames returns renames of which none is under way.
func NewRenames(jobs *job.Runner, users *truth.Users) *Renames {
	return &Renames{jobs: jobs, users: users, turns: newTurns()}
}

// Waiting is how many renames wait for their turn.
func (r *Renames) Waiting() int { return r.turns.inWait() }

// Spread writes a user's name to every row that holds a copy of it, on behalf of a
// command after which the user had a version, or a later one. It runs after the truth was
// changed: a row that is written meanwhile is either met here or is its writer's to
// correct, for that one looks at the truth once more.
//
// The walks of this process for one user take turns, for one that begins after several
// renames serves them all. [cql.ErrHeld]: the same command's walk is under way, or another's
// is and the caller does not wait, or too many run.
func (r *Renames) Spread(ctx context.Context, command blog.CommandID, user blog.UserID, version int, how Meanwhile) error {
	for {
		turn, err := r.turns.begin(user, command, version, how)
		switch {
		case err != nil:
			return err
		case turn.served:
			// The walk of this command that another one's made needless may have left this.
			return cql.Insist(ctx, func(ctx context.Context) error { return r.jobs.Forget(ctx, blog.RenameJob, command.String()) })
		case turn.mine:
			err := r.walk(ctx, command, user, turn.version)
			r.turns.end(user, err == nil)
			return err
		}
		select {
		case <-turn.ended:
			r.turns.stopWaiting()
		case <-ctx.Done():
			r.turns.stopWaiting()
			return cql.Convert(ctx, ctx.Err())
		}
	}
}

// walk is the job of a rename. The name is read again for each page: what a later
// rename has made of it is right at any time, and the later rename has every row gone
// through again.
func (r *Renames) walk(ctx context.Context, command blog.CommandID, user blog.UserID, version int) error {
	n := &nameWalk{users: r.users, name: blog.Name{User: user}}
	lists := walks(user, 0, func(w Written) ([]blog.Copy, func(context.Context) error) { return besideRow(w.Names(n.name)), nil })
	return r.jobs.Run(ctx, job.Job{
		Kind:    blog.RenameJob,
		Of:      command.String(),
		Account: user,
		Version: version,
		Above:   n.above,
		Lists:   lists,
	})
}

// nameWalk has a username as each page finds it.
type nameWalk struct {
	users *truth.Users
	name  blog.Name
}

func (n *nameWalk) above(ctx context.Context) (copies []blog.Copy, err error) {
	n.name, err = n.users.Name(ctx, n.name.User)
	return blog.NamesAboveLists(n.name), err
}

// besideRow leaves out the copies that stand once above a list: those are written with
// each page, not with each row.
func besideRow(copies []blog.Copy) []blog.Copy {
	return slices.DeleteFunc(copies, func(c blog.Copy) bool { return c.Group.Static() })
}
