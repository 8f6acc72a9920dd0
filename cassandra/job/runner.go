package job

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/pace"
)

// Runner does the jobs of a process. The accounts that have some share its pace, and its slots.
type Runner struct {
	db     *cql.Session
	leases Leases
	wrote  func([]blog.Copy) // is told of copies that a job has written
	log    *slog.Logger
	Page   int // rows that a job reads at once
	Most   int // jobs that run at once; the others are left to recovery
	pace   pace.Pace[blog.UserID]

	running running
}

// NewRunner returns what does jobs at a rate of copies a second. wrote is told of the copies that they have written.
func NewRunner(db *cql.Session, leases Leases, rate int, wrote func([]blog.Copy), log *slog.Logger) *Runner {
	return &Runner{
		db: db, leases: leases, wrote: wrote, log: log,
		Page: min(max(rate/pagesPerSecond, 1), maxPage), Most: MaxJobs,
		pace: pace.Pace[blog.UserID]{Every: pace.Of(rate)},
	}
}

// Forget removes the checkpoint of a job that others have made needless.
func (r *Runner) Forget(ctx context.Context, kind blog.Job, of string) error {
	return Forget(ctx, r.db, name(kind, of))
}

// Progress tells of each kind of jobs how many run, and what they have written.
func (r *Runner) Progress() map[blog.Job]blog.JobProgress { return r.running.now() }

// running are the jobs of a process that run.
type running struct {
	mu       sync.Mutex
	names    map[string]begun
	of       map[blog.UserID]int // how many of them are an account's
	progress map[blog.Job]blog.JobProgress
}

type begun struct {
	kind blog.Job
	at   time.Time
}

// MaxJobs is how many jobs run in a process at once. It is well below [MaxBackground], so that jobs never keep
// commands from their work after the reply.
const MaxJobs = MaxBackground / 4

// begin counts a job as running until end is called. free: it did not run already, and there is a slot for it: an
// account has as many as it then leaves free.
func (j *running) begin(one Job, name string, most int) (end func(), free bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if left := most - len(j.names) - 1; !j.names[name].at.IsZero() || left < j.of[one.Account] {
		return nil, false
	}
	if j.names == nil {
		j.names, j.of, j.progress = map[string]begun{}, map[blog.UserID]int{}, map[blog.Job]blog.JobProgress{}
	}
	j.names[name] = begun{one.Kind, time.Now()}
	j.of[one.Account]++
	j.add(one.Kind, 1, 0)
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.names, name)
		if j.of[one.Account]--; j.of[one.Account] == 0 {
			delete(j.of, one.Account)
		}
		j.add(one.Kind, -1, 0)
	}, true
}

// wrote counts copies that a running job has written.
func (j *running) wrote(kind blog.Job, copies int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.add(kind, 0, copies)
}

func (j *running) add(kind blog.Job, running, copies int) {
	p := j.progress[kind]
	p.Running += running
	p.Copies += int64(copies)
	j.progress[kind] = p
}

func (j *running) now() map[blog.Job]blog.JobProgress {
	j.mu.Lock()
	defer j.mu.Unlock()
	progress := maps.Clone(j.progress)
	for _, one := range j.names {
		p := progress[one.kind]
		p.Oldest = max(p.Oldest, time.Since(one.at))
		progress[one.kind] = p
	}
	return progress
}
