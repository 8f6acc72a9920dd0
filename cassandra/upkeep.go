package cassandra

import (
	"sync"

	"broadsheet/blog"
)

// Upkeep is a method of [blog.Store].
func (s *Store) Upkeep() blog.Upkeep {
	u := blog.Upkeep{Jobs: s.jobs.progress()}
	s.recovery.report(&u, s.clock.Now())
	return u
}

// jobs counts the jobs of this process.
type jobs struct {
	mu    sync.Mutex
	kinds map[blog.Job]blog.JobProgress
}

// begin counts a job as running until end is called.
func (j *jobs) begin(kind blog.Job) (end func()) {
	j.note(kind, blog.JobProgress{Running: 1})
	return func() { j.note(kind, blog.JobProgress{Running: -1}) }
}

// wrote counts copies that a job has written.
func (j *jobs) wrote(kind blog.Job, copies int) {
	j.note(kind, blog.JobProgress{Copies: int64(copies)})
}

func (j *jobs) note(kind blog.Job, by blog.JobProgress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.kinds == nil {
		j.kinds = map[blog.Job]blog.JobProgress{}
	}
	p := j.kinds[kind]
	p.Running += by.Running
	p.Copies += by.Copies
	j.kinds[kind] = p
}

func (j *jobs) progress() map[blog.Job]blog.JobProgress {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make(map[blog.Job]blog.JobProgress, len(j.kinds))
	for kind, p := range j.kinds {
		all[kind] = p
	}
	return all
}
