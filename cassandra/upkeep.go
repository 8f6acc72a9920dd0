package cassandra

import (
	"maps"
	"sync"

	"broadsheet/blog"
)

// Upkeep is a method of [blog.Store].
func (s *Store) Upkeep() blog.Upkeep {
	u := blog.Upkeep{Jobs: s.jobs.now(), ClockOffset: s.clocks.Offset()}
	s.recovery.report(&u, s.clocks.Now())
	if newer := s.newer.Load(); newer != nil && *newer != "" {
		u.Newer = "the schema has migrations that only a newer program knows: " + *newer
	}
	return u
}

// jobs are the jobs of this process.
type jobs struct {
	mu       sync.Mutex
	running  map[string]bool // by name
	progress map[blog.Job]blog.JobProgress
}

// maxJobs is how many jobs run in a process at once; the others are left to recovery. It is
// well below maxBackground, so that jobs never keep commands from their work after the
// reply.
const maxJobs = maxBackground / 4

// begin counts a job as running until end is called. free: it did not run already, and
// there is a place for it.
func (j *jobs) begin(kind blog.Job, name string) (end func(), free bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running[name] || len(j.running) >= maxJobs {
		return nil, false
	}
	if j.running == nil {
		j.running, j.progress = map[string]bool{}, map[blog.Job]blog.JobProgress{}
	}
	j.running[name] = true
	j.add(kind, 1, 0)
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.running, name)
		j.add(kind, -1, 0)
	}, true
}

// wrote counts copies that a running job has written.
func (j *jobs) wrote(kind blog.Job, copies int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.add(kind, 0, copies)
}

func (j *jobs) add(kind blog.Job, running, copies int) {
	p := j.progress[kind]
	p.Running += running
	p.Copies += int64(copies)
	j.progress[kind] = p
}

func (j *jobs) now() map[blog.Job]blog.JobProgress {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.progress)
}
