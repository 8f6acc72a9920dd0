package cascade

import (
	"context"
	"slices"
	"sync"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/coalesce"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Renames spread the names of users. Those of one user that wait while a walk is under way share the next:
//
//	to "ann" ──┬ walks ────────────┐
//	to "amy"   │   └ waits ────────┼ one walk, for version 4
//	to "bob"   │         └ waits ──┘ it made version 4
//
// However many renames of a user a server that died has left, they are one walk then.
type Renames struct {
	jobs   *job.Runner
	users  *truth.Users
	walks  coalesce.Next[blog.UserID, struct{}]
	walked *lru.Cache[blog.UserID, int] // after which version of the user the last whole walk began

	mu      sync.Mutex
	spreads map[blog.CommandID]blog.User // under way: the users after the commands
}

// maxWalked is of how many users it is known that a walk has ended: some 500 kB.
const maxWalked = 1 << 12

// NewRenames returns renames of which none is under way.
func NewRenames(jobs *job.Runner, users *truth.Users) *Renames {
	r := &Renames{jobs: jobs, users: users, spreads: map[blog.CommandID]blog.User{}}
	r.walked, _ = lru.New[blog.UserID, int](maxWalked) // fails for a size below 1 only
	r.walks.Stall, r.walks.Again = coalesce.Never, func(error) bool { return false }
	return r
}

// Spreading is how many renames are under way.
func (r *Renames) Spreading() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.spreads)
}

// Spread writes a user's name to every row that holds a copy of it, on behalf of a command after which the user was
// so, or a later one. It runs after the truth was changed: a row that is written meanwhile is either met here or is
// its writer's to correct, for that one looks at the truth once more. [cql.ErrHeld]: it is being done for the same
// command, or too many run.
func (r *Renames) Spread(ctx context.Context, command blog.CommandID, user blog.User) error {
	if !r.begin(command, user) {
		return cql.ErrHeld
	}
	defer r.end(command)
	walked := false
	_, err := r.walks.Do(ctx, user.ID, func(ctx context.Context) (none struct{}, err error) {
		version := r.newest(user.ID)
		if last, known := r.walked.Get(user.ID); known && last >= version {
			return none, nil
		}
		walked = true
		if err = r.walk(ctx, command, user.ID, version); err == nil {
			r.walked.Add(user.ID, version)
		}
		return none, err
	})
	if err == nil && !walked || blog.IsNoAccount(err) { // an earlier walk may have left its checkpoint; an erasure that ended meanwhile has left no row
		err = cql.Insist(ctx, func(ctx context.Context) error { return r.jobs.Forget(ctx, blog.RenameJob, command.String()) })
	}
	return err
}

func (r *Renames) begin(command blog.CommandID, user blog.User) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, under := r.spreads[command]; under || len(r.spreads) >= job.MaxJobs {
		return false
	}
	r.spreads[command] = user
	return true
}

func (r *Renames) end(command blog.CommandID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.spreads, command)
}

// newest returns the highest version of a user that a walk which begins now serves.
func (r *Renames) newest(user blog.UserID) (version int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.spreads {
		if u.ID == user {
			version = max(version, u.Version)
		}
	}
	return version
}

// walk is the job of a rename. The name is read again for each page: what a later rename has made of it is right at
// any time, and the later rename has every row gone through again.
func (r *Renames) walk(ctx context.Context, command blog.CommandID, user blog.UserID, version int) error {
	name := blog.Name{User: user}
	return r.jobs.Run(ctx, job.Job{
		Kind:    blog.RenameJob,
		Of:      command.String(),
		Account: user,
		Version: version,
		Above: func(ctx context.Context) (copies []blog.Copy, err error) {
			name, err = r.users.Name(ctx, user)
			return blog.NamesAboveLists(name), err
		},
		Lists: walks(user, true, 0, func(w Written) ([]blog.Copy, func(context.Context) error) {
			return besideRow(w.Names(name)), nil
		}),
	})
}

// besideRow leaves out the copies that stand once above a list: those are written with each page, not with each row.
func besideRow(copies []blog.Copy) []blog.Copy {
	return slices.DeleteFunc(copies, func(c blog.Copy) bool { return c.Family.Static() })
}
