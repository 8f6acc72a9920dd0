package cassandra

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// job is work after a command's reply that grows with the data: it goes through lists
// of rows, each in the order of its clustering key, and writes what follows from each.
//
//	posts_by_author    ├──────────────────────┤ done
//	comments_by_author ├────────────┤╌╌╌╌╌╌╌╌╌╌ page after page
//	likes_by_user                   └ checkpoint: list 1, this key
//
// Where more follows behind a page, the checkpoint says how far the job has come, and a
// lease says who does it: of a server that dies another one takes over there. Most jobs
// end with their first pages, and need neither. All that a job does may be done twice.
type job struct {
	store *Store
	kind  blog.Job
	name  string // of its checkpoint, and of its lease
	// version is that of the truth that the job goes by, where it has one. What was done
	// for an earlier version, by a job of this name that did not end, is done again.
	version int
	lists   []walk
	// above, where it is not nil, is asked before each page for what the page's copies
	// go by. It returns copies to be written with them.
	above func(ctx context.Context) ([]blog.Copy, error)
}

// The names of jobs, by what they are done for.
func renameJob(command blog.CommandID) string { return "rename/" + command.String() }
func sweepJob(post blog.PostID) string        { return "sweep/" + post.String() }

// isJob reports whether a checkpoint is a job's.
func isJob(name string) bool {
	return strings.HasPrefix(name, "rename/") || strings.HasPrefix(name, "sweep/")
}

// walk is a list of rows that a job goes through.
type walk struct {
	page  cql.Statement // rows behind a key, so many: the partition's key, the row's, the limit
	of    gocql.UUID
	first gocql.UUID // before all keys
	// row scans a row. What stands without its mandatory cells has no copies.
	row func(gocql.Scanner) (key blog.UUID, copies []blog.Copy, err error)
}

// jobPosition is how far a job has come.
type jobPosition struct {
	List    int       `json:"list"`
	After   blog.UUID `json:"after"` // zero: the list's beginning
	Version int       `json:"version,omitempty"`
}

const (
	jobPage    = 500 // rows, at most
	jobBatch   = 100 // copies
	jobBatches = 4   // at once

	// At a low rate pages are small: what is cut off goes on behind the last whole page.
	jobPagesPerSecond = 5
)

// run does the job, or what is left of it. errHeld: it is being done. After any other
// error, or where ctx ends, it goes on from its checkpoint when it is run again,
// by whichever server.
func (j job) run(ctx context.Context) error {
	end, free := j.store.jobs.begin(j.kind, j.name)
	if !free {
		return cql.ErrHeld
	}
	defer end()
	ctx, stop := context.WithCancelCause(ctx)
	r := jobRun{job: j, stop: stop}
	err := r.begin(ctx)
	if err == nil {
		err = r.walkAll(ctx)
	}
	if errors.Is(context.Cause(ctx), cql.ErrHeld) {
		err = cql.ErrHeld
	}
	stop(nil)
	r.renewing.Wait()
	if err != nil && r.held && err != cql.ErrHeld {
		r.handOver(context.WithoutCancel(ctx))
	}
	return err
}

// jobRun is a job under way.
type jobRun struct {
	job
	at       checkpoint[jobPosition]
	reached  jobPosition // not written down yet
	held     bool        // its lease
	stop     context.CancelCauseFunc
	renewing sync.WaitGroup
}

func (r *jobRun) begin(ctx context.Context) (err error) {
	err = cql.Insist(ctx, func(ctx context.Context) error {
		r.at, err = loadCheckpoint[jobPosition](ctx, r.store, r.name)
		return err
	})
	r.reached = r.at.position
	if r.reached.Version < r.version {
		r.reached = jobPosition{Version: r.version}
	}
	if err == nil && r.at.version > 0 {
		err = r.hold(ctx)
	}
	return err
}

func (r *jobRun) walkAll(ctx context.Context) error {
	for r.reached.List < len(r.lists) {
		more, err := r.part(ctx, r.lists[r.reached.List])
		if err == nil && more {
			err = r.save(ctx)
		}
		if err != nil {
			return err
		}
		if !more {
			r.reached = jobPosition{List: r.reached.List + 1, Version: r.reached.Version}
		}
	}
	if !r.held {
		return nil
	}
	// The lease is left to run out: by then the journal says that the command is done.
	return cql.Insist(ctx, func(ctx context.Context) error { return r.store.forget(ctx, r.name) })
}

// part does the next page of a list. more: others follow.
func (r *jobRun) part(ctx context.Context, w walk) (more bool, err error) {
	var copies []blog.Copy
	if r.above != nil {
		if err = cql.Insist(ctx, func(ctx context.Context) error { copies, err = r.above(ctx); return err }); err != nil {
			return false, err
		}
	}
	first, rows, last, page := w.first, 0, blog.UUID{}, copies
	if !r.reached.After.IsZero() {
		first = cql.ID(r.reached.After)
	}
	limit := r.store.jobPage
	err = cql.Insist(ctx, func(ctx context.Context) error {
		rows, page = 0, slices.Clip(copies)
		return r.store.db.Each(ctx, w.page.With(w.of, first, limit), limit, func(row gocql.Scanner) error {
			key, found, err := w.row(row)
			rows, last, page = rows+1, key, append(page, found...)
			return err
		})
	})
	if err != nil || rows == 0 {
		return false, err
	}
	if err := r.write(ctx, page); err != nil {
		return false, err
	}
	r.reached.After = last
	return rows == limit, nil
}

// write writes copies, a few batches at once, at the pace of all jobs of this process.
func (r *jobRun) write(ctx context.Context, copies []blog.Copy) error {
	for some := range slices.Chunk(copies, jobBatch*jobBatches) {
		var writes []func() error
		for batch := range slices.Chunk(some, jobBatch) {
			writes = append(writes, func() error { return r.writeBatch(ctx, batch) })
		}
		if err := cql.Concurrently(writes...); err != nil {
			return err
		}
	}
	return nil
}

func (r *jobRun) writeBatch(ctx context.Context, batch []blog.Copy) error {
	if err := r.store.pace.Wait(ctx, len(batch)); err != nil {
		return cql.Convert(ctx, err)
	}
	err := cql.Insist(ctx, func(ctx context.Context) error { return r.store.writeCopies(ctx, batch) })
	if err == nil {
		r.store.jobs.wrote(r.kind, len(batch))
		r.store.gapMaker.count(r.store, gapKeys(batch, true))
	}
	return err
}

// hold takes the job's lease and keeps it. errHeld: another server has it.
func (r *jobRun) hold(ctx context.Context) error {
	err := cql.Insist(ctx, func(ctx context.Context) (err error) {
		r.held, err = r.store.lease(ctx, r.name)
		return err
	})
	if err != nil {
		return err
	}
	if !r.held {
		return cql.ErrHeld
	}
	r.renewing.Go(func() {
		err := blog.SafelyTold(r.store.log, func() error {
			for cql.Wait(ctx, leaseTime/4) == nil {
				if held, err := r.store.lease(ctx, r.name); err == nil && !held {
					r.stop(cql.ErrHeld)
				}
			}
			return nil
		})
		if err != nil {
			r.stop(err) // nobody keeps the lease any more
		}
	})
	return nil
}

// save writes down how far the job has come. errHeld: another server has gone on with it.
func (r *jobRun) save(ctx context.Context) error {
	if !r.held {
		if err := r.hold(ctx); err != nil {
			return err
		}
	}
	return cql.Insist(ctx, func(ctx context.Context) error {
		saved, err := r.at.save(ctx, r.store, r.reached)
		if err != nil || saved {
			return err
		}
		// An attempt before, whose answer was lost, may have been applied.
		if r.at, err = loadCheckpoint[jobPosition](ctx, r.store, r.name); err == nil && r.at.position != r.reached {
			err = cql.ErrHeld
		}
		return err
	})
}

// handOver lets others go on at once, where this server stops before its end.
func (r *jobRun) handOver(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := r.at.save(ctx, r.store, r.reached); err == nil {
		_ = r.store.leave(ctx, r.name)
	}
}
