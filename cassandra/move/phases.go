package move

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/migrate"
)

// Phase is how far a table has come with the change of its key.
type Phase string

// The phases, in their order.
const (
	Old      Phase = "old"
	Both     Phase = "both"
	Filled   Phase = "filled"
	Verified Phase = "verified"
	New      Phase = "new"
	Dropped  Phase = "dropped"
)

var order = []Phase{Old, Both, Filled, Verified, New, Dropped}

func (p Phase) from(first Phase) bool { return slices.Index(order, p) >= slices.Index(order, first) }

// LeaseTime is for how long a server goes by a phase that it has read.
const LeaseTime = 10 * time.Second

// renewals is how often a server reads the phase within a lease.
const renewals = 4

// phaseOf returns what a checkpoint says, [Old] where no step was made.
func phaseOf(at migrate.Moved) Phase { return cmp.Or(Phase(at.Phase), Old) }

// Phases are those that one server goes by.
type Phases struct {
	db    *cql.Session
	lease time.Duration

	mu      sync.Mutex
	held    map[blog.Table]held          // by the old table
	reading map[blog.Table]chan struct{} // closed when the reading that is under way has ended
}

// held is a phase, and until when it is gone by. A program that knows no successor may write: then that one lacks rows.
type held struct {
	phase   Phase
	lacks   bool
	renewal time.Time
	end     time.Time
}

// NewPhases returns those of a server that has read none yet. lease is 0 but in tests.
func NewPhases(db *cql.Session, lease time.Duration) *Phases {
	return &Phases{db: db, lease: cmp.Or(lease, LeaseTime), held: map[blog.Table]held{}, reading: map[blog.Table]chan struct{}{}}
}

// Look reads the phase of every table. Unavailable.
func (p *Phases) Look(ctx context.Context) (err error) {
	for _, table := range Tables() {
		_, failed := p.of(ctx, table)
		err = cmp.Or(err, failed)
	}
	return err
}

// Writes is a method of [cql.Moves].
func (p *Phases) Writes(ctx context.Context, table blog.Table) (bool, error) {
	if !table.Moves() {
		return true, nil
	}
	replaced := table.Declaration().Replaces
	h, err := p.of(ctx, cmp.Or(replaced, table))
	if replaced != "" {
		return h.phase.from(Both), err
	}
	return h.phase != Dropped, err
}

// Reads is a method of [cql.Moves].
func (p *Phases) Reads(ctx context.Context, table blog.Table) (blog.Table, error) {
	h, err := p.of(ctx, table)
	if err == nil && (h.phase == Dropped || h.phase == New && !h.lacks) {
		table = table.Successor()
	}
	return table, err
}

// Whole reports whether a table holds all its rows, as far as was read last.
func (p *Phases) Whole(table blog.Table) bool {
	if !table.Moves() {
		return true
	}
	replaced := table.Declaration().Replaces
	h, _ := p.of(context.Background(), cmp.Or(replaced, table))
	if replaced != "" {
		return h.phase.from(Filled) && !h.lacks
	}
	return h.phase != Dropped
}

// of returns the phase of a table, by its old name. Unavailable: it is known no more.
func (p *Phases) of(ctx context.Context, table blog.Table) (held, error) {
	h, under := p.renew(table)
	if time.Now().Before(h.end) {
		return h, nil
	}
	select {
	case <-ctx.Done():
		return held{}, cql.Convert(ctx, ctx.Err())
	case <-under:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if h = p.held[table]; !time.Now().Before(h.end) {
		return held{}, blog.Errorf(blog.Unavailable, "how far %s has come with the change of its key can't be read; try again later", table)
	}
	return h, nil
}

// renew returns what is held, and has it read anew where that is due. under is closed when the reading has ended.
func (p *Phases) renew(table blog.Table) (h held, under chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, under = p.held[table], p.reading[table]
	if now := time.Now(); under == nil && (!now.Before(h.renewal) || !now.Before(h.end)) {
		under = make(chan struct{})
		p.reading[table] = under
		go p.read(table, under)
	}
	return h, under
}

// read reads the phase anew. It counts from before the reading.
func (p *Phases) read(table blog.Table, done chan struct{}) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), p.lease)
	defer cancel()
	phase, lacks, err := p.ask(ctx, table)
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.held[table]
	h.renewal = began.Add(p.lease / renewals)
	if err == nil {
		h = held{phase, lacks, h.renewal, began.Add(p.lease)}
	}
	p.held[table] = h
	delete(p.reading, table)
	close(done)
}

const selectCheckpoint = `SELECT position FROM checkpoints WHERE name = ?`

func (p *Phases) ask(ctx context.Context, table blog.Table) (phase Phase, lacks bool, err error) {
	noted, err := p.noted(ctx, migrate.MoveName(table))
	var at migrate.Moved
	if err == nil && noted != "" {
		err = json.Unmarshal([]byte(noted), &at)
	}
	if err == nil {
		noted, err = p.noted(ctx, migrate.UnbuiltName(table.Successor()))
	}
	return phaseOf(at), noted != "", err
}

// noted reads a checkpoint's text: no observer is told of it.
func (p *Phases) noted(ctx context.Context, name string) (text string, err error) {
	iter := p.db.Ask(ctx, selectCheckpoint, name)
	iter.Scan(&text)
	err = iter.Close()
	return text, cql.Convert(ctx, err)
}
