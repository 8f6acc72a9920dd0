package job

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/pace"

	"github.com/gocql/gocql"
)

// Job is work after a command's reply that grows with the data: it goes through lists of rows, each in the order of
// its clustering key, and writes what follows from each.
//
//	posts_by_author    ├──────────────────────┤ done
//	comments_by_author ├────────────┤╌╌╌╌╌╌╌╌╌╌ page after page
//	likes_by_user                   └ checkpoint: list 1, this key
//
// Where more follows behind a page, the checkpoint says how far the job has come, and a lease says which server does
// it: of one that dies another one takes over there. Most jobs end with their first pages, and need neither. All that
// a job does may be done twice.
type Job struct {
	Kind blog.Job
	Of   string // with the kind the name of its checkpoint, and of its lease

	// Account is whose rows the job writes. The accounts that have jobs share the pace.
	Account blog.UserID

	// Version is that of the truth that the job goes by, where it has one. What was done for an earlier version, by a
	// job of this name that did not end, is done again.
	Version int
	Lists   []Walk
	// Above, where it is not nil, is asked before each page for what the page's copies go by. It returns copies to be
	// written with them.
	Above func(ctx context.Context) ([]blog.Copy, error)
}

// name returns what a job's checkpoint and its lease are called.
func name(kind blog.Job, of string) string { return string(kind) + "/" + of }

func isJob(name string) bool {
	kind, _, _ := strings.Cut(name, "/")
	return slices.Contains(blog.Jobs(), blog.Job(kind))
}

// Walk is a list of rows that a job goes through.
type Walk struct {
	Page  cql.Statement // rows behind a key, so many: the partition's key, the row's, the limit
	Of    gocql.UUID
	First gocql.UUID // before all keys
	Most  int        // rows that are read at once; 0: as many as the job's pace allows
	// Years is Page of a list that may have another key by now: the year follows the partition's key. It has the same rows
	// in the same order, so a job goes on there with its place. Zero: no such.
	Years cql.Statement
	Row   Row
}

// Row scans a row, and returns what follows: copies, and what is to be done; nil: nothing.
type Row func(row gocql.Scanner) (key blog.UUID, copies []blog.Copy, do func(context.Context) error, err error)

// page is what is read of a list at once, and follows from that.
type page struct {
	rows   int
	last   blog.UUID // key of the last row
	copies []blog.Copy
	cost   int // of each of its steps, in copies
	steps  []step
}

// step is a part of a job's work, which takes as much of the pace as so many copies.
type step struct {
	copies int
	do     func(context.Context) error
}

// take adds the next row, and what follows from it.
func (p *page) take(key blog.UUID, copies []blog.Copy, do func(context.Context) error, err error) error {
	p.rows++
	p.last, p.copies = key, append(p.copies, copies...)
	if do != nil {
		p.steps = append(p.steps, step{p.cost, do})
	}
	return err
}

type position struct {
	List    int       `json:"list"`
	After   blog.UUID `json:"after"` // zero: the list's beginning
	Version int       `json:"version,omitempty"`
}

const (
	maxPage       = 500 // rows
	copiesOfBatch = 100
	stepsAtOnce   = 4

	MostSteps       = 64 // rows of a page from which more than copies follows
	copiesOfCommand = 10 // that a step as long as a command writes, about

	// At a low rate pages are small: what is cut off goes on behind the last whole page.
	pagesPerSecond = 5
)

// Run does a job, or what is left of it. [cql.ErrHeld]: it is being done. After any other error, or where ctx ends, it
// goes on from its checkpoint when it is run again, by any server.
func (r *Runner) Run(ctx context.Context, j Job) error {
	w := work{Job: j, Runner: r, name: name(j.Kind, j.Of)}
	end, free := r.running.begin(j, w.name, r.Most)
	if !free {
		return cql.ErrHeld
	}
	defer end()
	ctx, w.stop = context.WithCancelCause(ctx)
	err := w.begin(ctx)
	if err == nil {
		err = w.walkAll(ctx)
	}
	if errors.Is(context.Cause(ctx), cql.ErrHeld) {
		err = cql.ErrHeld
	}
	w.stop(nil)
	w.renewing.Wait()
	if err != nil && w.held && err != cql.ErrHeld {
		w.handOver(context.WithoutCancel(ctx))
	}
	return err
}

type work struct {
	Job
	*Runner
	name     string
	at       Checkpoint[position]
	reached  position // not written down yet
	held     bool     // its lease
	stop     context.CancelCauseFunc
	renewing sync.WaitGroup
}

func (w *work) begin(ctx context.Context) (err error) {
	err = cql.Insist(ctx, func(ctx context.Context) error {
		w.at, err = Load[position](ctx, w.db, w.name)
		return err
	})
	w.reached = w.at.Position
	if w.reached.Version < w.Version {
		w.reached = position{Version: w.Version}
	}
	if err == nil && w.at.version > 0 {
		err = w.hold(ctx)
	}
	return err
}

func (w *work) walkAll(ctx context.Context) error {
	for w.reached.List < len(w.Lists) {
		more, err := w.part(ctx, w.Lists[w.reached.List])
		if err == nil && more {
			err = w.save(ctx)
		}
		if err != nil {
			return err
		}
		if !more {
			w.reached = position{List: w.reached.List + 1, Version: w.reached.Version}
		}
	}
	if !w.held {
		return nil
	}
	// The lease is left to run out: by then the journal says that the command is done.
	return cql.Insist(ctx, func(ctx context.Context) error { return Forget(ctx, w.db, w.name) })
}

// part does the next page of a list. more: others follow.
func (w *work) part(ctx context.Context, list Walk) (more bool, err error) {
	var copies []blog.Copy
	if w.Above != nil {
		if err = cql.Insist(ctx, func(ctx context.Context) error { copies, err = w.Above(ctx); return err }); err != nil {
			return false, err
		}
	}
	first, limit, cost := list.First, w.Page, 0
	if !w.reached.After.IsZero() {
		first = cql.ID(w.reached.After)
	}
	if list.Most > 0 {
		limit, cost = min(limit, list.Most), copiesOfCommand
	}
	var p page
	err = cql.Insist(ctx, func(ctx context.Context) error {
		p = page{copies: slices.Clip(copies), cost: cost}
		reads, err := list.reads(ctx, w.db, first, limit)
		for i := 0; err == nil && i < len(reads) && p.rows < limit; i++ {
			err = w.db.Each(ctx, reads[i], limit, func(row gocql.Scanner) error {
				if p.rows == limit {
					return nil
				}
				return p.take(list.Row(row))
			})
		}
		return err
	})
	if err != nil || p.rows == 0 {
		return false, err
	}
	var writes []step
	for batch := range slices.Chunk(p.copies, copiesOfBatch) {
		writes = append(writes, step{len(batch), func(ctx context.Context) error { return w.write(ctx, batch) }})
	}
	if err = w.do(ctx, writes); err == nil {
		err = w.do(ctx, p.steps)
	}
	if err != nil {
		return false, err
	}
	w.reached.After = p.last
	return p.rows == limit, nil
}

// reads returns what is read behind a key until so many rows were found: one partition, or one a year.
func (l Walk) reads(ctx context.Context, db *cql.Session, first gocql.UUID, limit int) (all []cql.Bound, err error) {
	if table, err := db.Reads(ctx, l.Page.Table); err != nil || table == l.Page.Table {
		return []cql.Bound{l.Page.With(l.Of, first, limit)}, err
	}
	for year := blog.YearOf(blog.UUID(first)); year <= time.Now().UTC().Year()+1; year++ { // some clocks may be ahead
		all = append(all, l.Years.With(l.Of, year, first, limit))
	}
	return all, nil
}

// do takes steps, a few at once, at its account's part of the pace.
func (w *work) do(ctx context.Context, steps []step) error {
	for some := range slices.Chunk(steps, stepsAtOnce) {
		var all []func() error
		for _, s := range some {
			all = append(all, func() error {
				if err := w.pace.Wait(ctx, w.Account, s.copies); err != nil {
					return cql.Convert(ctx, err)
				}
				err := cql.Insist(ctx, s.do)
				if err == nil {
					w.running.wrote(w.Kind, s.copies)
				}
				return err
			})
		}
		if err := cql.Concurrently(all...); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) write(ctx context.Context, batch []blog.Copy) error {
	err := tables.Write(ctx, w.db, batch)
	if err == nil {
		w.wrote(batch)
	}
	return err
}

// hold takes the job's lease and keeps it. [cql.ErrHeld]: another server has it.
func (w *work) hold(ctx context.Context) error {
	err := cql.Insist(ctx, func(ctx context.Context) (err error) {
		w.held, err = w.leases.Take(ctx, w.name)
		return err
	})
	if err != nil {
		return err
	}
	if !w.held {
		return cql.ErrHeld
	}
	w.renewing.Go(func() {
		err := blog.SafelyLogged(w.log, func() error {
			for pace.Wait(ctx, LeaseTime/4) == nil {
				if held, err := w.leases.Take(ctx, w.name); err == nil && !held {
					w.stop(cql.ErrHeld)
				}
			}
			return nil
		})
		if err != nil {
			w.stop(err) // the lease is not kept any more
		}
	})
	return nil
}

// save writes down how far the job has come. [cql.ErrHeld]: another server has gone on with it.
func (w *work) save(ctx context.Context) error {
	if !w.held {
		if err := w.hold(ctx); err != nil {
			return err
		}
	}
	return cql.Insist(ctx, func(ctx context.Context) error {
		saved, err := w.at.Save(ctx, w.reached)
		if err != nil || saved {
			return err
		}
		// An attempt before, whose answer was lost, may have been applied.
		if w.at, err = Load[position](ctx, w.db, w.name); err == nil && w.at.Position != w.reached {
			err = cql.ErrHeld
		}
		return err
	})
}

// handOver lets others go on at once, where this server stops before its end.
func (w *work) handOver(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := w.at.Save(ctx, w.reached); err == nil {
		_ = w.leases.Leave(ctx, w.name)
	}
}
