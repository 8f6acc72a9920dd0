package counted

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// row is what the tests' changes go by: a row that was made, and edited, and deleted; or one that
// is switched on and off, as a like is.
type row struct {
	exists  bool
	version int
	by      []int // the commands that wrote it, oldest first
}

// The entries of the tests' batches. Each has as arguments the row, the command, and the version of
// the row that it goes by.
var (
	makeRow   = cql.On("rows", "make IF NOT EXISTS")
	editRow   = cql.On("rows", "edit IF version = ?")
	deleteRow = cql.On("rows", "delete IF version = ?")
	switchOn  = cql.On("rows", "on IF NOT on")
	switchOff = cql.On("rows", "off IF on")
)

// partition is a partition as Cassandra keeps it, with a history of all that was applied, and a
// network that loses, delays and repeats. Times are of the bubble's clock, and all of them drawn
// from one seed.
type partition struct {
	faults faults

	mu      sync.Mutex
	random  *rand.Rand
	header  Header
	rows    map[blog.UUID]row
	history []Header         // by version
	applied map[int][]effect // by command
	broken  []string         // what must never be seen

	refused int // batches
	lost    int // answers to batches that may be applied
}

// effect is a change that was applied: in which version, and how many rows there were just then.
type effect struct {
	version int64
	own     int
}

// faults are how many of a hundred statements fail in a way.
type faults struct {
	notSent  int // the answer is lost, and the batch is not applied
	lost     int // the batch is applied, and its answer is lost
	late     int // the answer is lost, and the batch is tried later
	again    int // the batch is tried once more later, as a node does that replays it
	unread   int // a serial read fails
	old      int // a plain read shows what was before
	longest  time.Duration
	tooLarge int // a batch of more than one change is refused by the database as it is
}

func newPartition(seed uint64, f faults) *partition {
	return &partition{
		random: rand.New(rand.NewPCG(seed, 1)), faults: f, rows: map[blog.UUID]row{},
		history: []Header{{}}, applied: map[int][]effect{},
	}
}

func (p *partition) chance(percent int) bool { return p.draw(100) < percent }

// draw returns a number below n.
func (p *partition) draw(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(n)
}

// pass is the time that a statement takes one way.
func (p *partition) pass() { time.Sleep(p.delay()) }

func (p *partition) delay() time.Duration { return time.Duration(1 + p.draw(int(p.faults.longest))) }

var errNetwork = blog.Errorf(blog.Unavailable, "no answer")

func (p *partition) read(ctx context.Context, percent int) error {
	p.pass()
	if ctx.Err() != nil {
		return cql.Convert(ctx, ctx.Err())
	}
	if p.chance(percent) {
		return errNetwork
	}
	return nil
}

// Header may show any header that there was.
func (p *partition) Header(ctx context.Context, _ string) (Header, error) {
	if err := p.read(ctx, p.faults.unread); err != nil {
		return Header{}, err
	}
	old := p.chance(p.faults.old)
	p.mu.Lock()
	now := p.header
	if old {
		now = p.history[p.random.IntN(len(p.history))]
	}
	p.mu.Unlock()
	p.pass()
	return now, nil
}

func (p *partition) HeaderSerial(ctx context.Context, _ string) (Header, error) {
	if err := p.read(ctx, p.faults.unread); err != nil {
		return Header{}, err
	}
	p.mu.Lock()
	now := p.header
	p.mu.Unlock()
	p.pass()
	return now, nil
}

func (p *partition) RowsSerial(ctx context.Context, _ string, keys []blog.UUID) (map[blog.UUID]row, Header, error) {
	if err := p.read(ctx, p.faults.unread); err != nil {
		return nil, Header{}, err
	}
	p.mu.Lock()
	found := map[blog.UUID]row{}
	for _, key := range keys {
		if r, ok := p.rows[key]; ok && !p.header.Closed {
			found[key] = row{r.exists, r.version, slices.Clone(r.by)}
		}
	}
	now := p.header
	if len(found) == 0 {
		now = Header{}
	}
	p.mu.Unlock()
	p.pass()
	return found, now, nil
}

func (p *partition) Replace(ctx context.Context, _ string, now, next Header, entries []cql.Bound) (bool, error) {
	return p.send(ctx, len(entries), func() bool { return p.replace(now, next, entries) })
}

func (p *partition) ReplaceByClosed(ctx context.Context, _ string, now, next Header) (bool, error) {
	next.Closed = true
	return p.send(ctx, 0, func() bool { return p.replace(now, next, nil) })
}

func (p *partition) Clear(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.header.Closed {
		p.fail("the rows of an open partition are deleted")
	}
	clear(p.rows)
	p.header.Rows = 0
	return nil
}

// send makes a conditional batch, with whatever happens to it.
func (p *partition) send(ctx context.Context, entries int, apply func() bool) (bool, error) {
	p.pass()
	if ctx.Err() != nil {
		return false, cql.Convert(ctx, ctx.Err())
	}
	if entries > 1 && p.chance(p.faults.tooLarge) {
		return false, blog.Errorf(blog.Internal, "batch too large")
	}
	if p.chance(p.faults.notSent) {
		return false, errNetwork
	}
	if p.chance(p.faults.late) {
		p.losing()
		time.AfterFunc(time.Duration(1+p.draw(20))*p.delay(), func() { apply() })
		return false, errNetwork
	}
	applied := apply()
	if p.chance(p.faults.again) {
		time.AfterFunc(p.delay(), func() { apply() })
	}
	if p.chance(p.faults.lost) {
		p.losing()
		return false, errNetwork
	}
	p.pass()
	if ctx.Err() != nil {
		return false, cql.Convert(ctx, ctx.Err())
	}
	return applied, nil
}

// losing notes that an answer is lost to a batch that may be applied.
func (p *partition) losing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost++
}

// replace is the conditional batch: all of it, or nothing.
func (p *partition) replace(now, next Header, entries []cql.Bound) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.header.Version != now.Version || p.header.Rows != now.Rows || p.header.Closed {
		p.refused++
		return false
	}
	changed := map[blog.UUID]row{}
	effects := map[int]effect{}
	count := p.header.Rows
	for _, e := range entries {
		key, command, version := e.Args[0].(blog.UUID), e.Args[1].(int), e.Args[2].(int)
		r, made := p.rows[key]
		if _, twice := changed[key]; twice {
			p.fail("two changes of one row share a batch")
		}
		passes := made && r.version == version
		switch e.Text {
		case makeRow.Text:
			passes = !made
		case switchOn.Text:
			passes = !r.exists
		case switchOff.Text:
			passes = r.exists
		}
		if !passes {
			p.refused++
			return false
		}
		after := row{exists: e.Text != deleteRow.Text && e.Text != switchOff.Text, version: r.version + 1, by: append(slices.Clone(r.by), command)}
		switch {
		case after.exists && !r.exists:
			count++
		case !after.exists && r.exists:
			count--
		}
		changed[key] = after
		effects[command] = effect{next.Version, count}
	}
	if next.Version != p.header.Version+1 || next.Stamp <= p.header.Stamp {
		p.fail(fmt.Sprintf("version %d at stamp %d follows version %d at %d", next.Version, next.Stamp, p.header.Version, p.header.Stamp))
	}
	if next.Rows != count {
		p.fail(fmt.Sprintf("version %d counts %d rows, and there are %d", next.Version, next.Rows, count))
	}
	for key, r := range changed {
		p.rows[key] = r
	}
	for command, of := range effects {
		p.applied[command] = append(p.applied[command], of)
	}
	p.header = next
	p.history = append(p.history, next)
	return true
}

func (p *partition) fail(what string) { p.broken = append(p.broken, what) }
