package counted

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Table is where partitions are. P is what a partition belongs to, R is what a change goes by in a row of its own; the
// zero R is a row that does not exist.
type Table[P comparable, R any] interface {
	// Header reads a partition's header. It may be older than one that was read before.
	Header(ctx context.Context, parent P) (Header, error)
	// HeaderSerial reads the header as every conditional batch left it that ended before.
	HeaderSerial(ctx context.Context, parent P) (Header, error)
	// RowsSerial reads the rows with some keys in one serial statement, and with them the header. Where no row is
	// found there is no header.
	RowsSerial(ctx context.Context, parent P, keys []blog.UUID) (map[blog.UUID]R, Header, error)
	// Replace makes one conditional batch: the next header, where the header is still as it was read and not closed,
	// and entries, each conditional on its row. An error leaves the outcome unknown: the batch may be applied later.
	Replace(ctx context.Context, parent P, now, next Header, entries []cql.Bound) (applied bool, err error)
	// ReplaceByClosed is Replace by a header that is closed.
	ReplaceByClosed(ctx context.Context, parent P, now, next Header) (applied bool, err error)
	// Clear deletes the rows of a partition that is closed. Its header stays.
	Clear(ctx context.Context, parent P) error
}

// Config is what the partitions of one table go by.
type Config struct {
	Name   blog.Table
	Sized  bool                                      // a row that is taken away stays, dead
	Full   func(field string, rows, bytes int) error // the refusal of a change after which a partition would hold so much
	Gone   error                                     // the refusal of a change of a partition that is closed
	Clock  blog.Clock                                // for stamps
	Log    *slog.Logger                              // is told of panics
	Limit  *Limit                                    // is shared by the partitions of a process
	Jitter func(time.Duration) time.Duration         // some part of a pause; nil: at random
}

// Limit bounds the commands that a process has under way on all of its partitions.
type Limit struct{ commands atomic.Int64 }

// Partitions are those of one table, as one process changes them. They are safe for concurrent use.
type Partitions[P comparable, R any] struct {
	Config
	Table[P, R]

	mu     sync.Mutex
	queues map[P]*queue[R] // of the partitions that commands of this process are under way on

	headers *lru.Cache[P, Header] // as changes of this process left them
	raced   atomic.Int64          // when another server was faster, in ns since 1970
}

// New returns the partitions of a table.
func New[P comparable, R any](c Config, table Table[P, R]) *Partitions[P, R] {
	if c.Jitter == nil {
		c.Jitter = func(pause time.Duration) time.Duration { return rand.N(pause) }
	}
	headers, _ := lru.New[P, Header](maxHeaders) // fails for a size below 1 only
	return &Partitions[P, R]{Config: c, Table: table, queues: map[P]*queue[R]{}, headers: headers}
}

// A process that is alone on its partitions need not read a header that it wrote itself. Where other servers write
// too, a header that was kept is often old, and to be refused costs more than to read: after a lost race a process
// reads for a while.
const (
	maxHeaders   = 1 << 14 // of each table: a few MB
	readsHeaders = time.Minute
)

// HeaderNow finds a partition's header for a change to go by: what the last batch of this process left, or else what
// is read. One that is old costs a refused attempt and nothing else. It returns how to read the header into now, or
// nil where it is there.
func (p *Partitions[P, R]) HeaderNow(ctx context.Context, parent P, now *Header) (read func() error) {
	p.mu.Lock()
	if q := p.queues[parent]; q != nil {
		*now = q.now
	}
	p.mu.Unlock()
	if now.Version > 0 {
		return nil
	}
	if time.Since(time.Unix(0, p.raced.Load())) >= readsHeaders {
		var kept bool
		if *now, kept = p.headers.Get(parent); kept {
			return nil
		}
	}
	return func() (err error) { *now, err = p.Header(ctx, parent); return err }
}

// Fence raises a partition's version, and so makes every change fail that goes by what it read before; and its stamp
// above a floor. A closed one needs no fence.
func (p *Partitions[P, R]) Fence(ctx context.Context, parent P, floor int64) error {
	return p.until(ctx, parent, func(now, next Header) (bool, error) {
		next.Stamp = max(next.Stamp, floor+1)
		return p.Replace(ctx, parent, now, next, nil)
	})
}

// Close ends a partition for ever: no change passes it again. The header stays, for a partition without one would
// accept a row.
func (p *Partitions[P, R]) Close(ctx context.Context, parent P) error {
	return p.until(ctx, parent, func(now, next Header) (bool, error) {
		return p.ReplaceByClosed(ctx, parent, now, next)
	})
}

// until replaces the header of a partition that is open.
func (p *Partitions[P, R]) until(ctx context.Context, parent P, replace func(now, next Header) (applied bool, err error)) error {
	return cql.Until(ctx, p.Name, parent, func() (done bool, by any, err error) {
		now, err := p.HeaderSerial(ctx, parent)
		if err != nil || now.Closed {
			return true, nil, err
		}
		next := now
		next.Version, next.Stamp = now.Version+1, blog.NextStamp(p.Clock, now.Stamp)
		done, err = replace(now, next)
		return done, now, err
	})
}
