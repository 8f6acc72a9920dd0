package measure

import (
	"context"
	"sync/atomic"

	"broadsheet/blog"
)

// Meter counts what a model asks of its database. It is the observer of one or more
// models that are measured one after the other.
type Meter struct {
	statements, partitions, rows, bytes atomic.Int64
	requested                           atomic.Bool // only statements of requests count: a store has work of its own
}

// ofRequest marks the context of a request that is measured.
type ofRequest struct{}

var _ blog.Observer = (*Meter)(nil)

// Statement counts one statement. A share of a batch is counted with the batch.
func (m *Meter) Statement(ctx context.Context, s blog.Statement) {
	if s.Share || m.requested.Load() && ctx.Value(ofRequest{}) == nil {
		return
	}
	m.statements.Add(1)
	m.partitions.Add(int64(s.Partitions))
	m.rows.Add(int64(s.Rows))
}

// Received counts what came from the database.
func (m *Meter) Received(bytes int) { m.bytes.Add(int64(bytes)) }

// Cost is what requests asked of a database, in all or each.
type Cost struct {
	Statements float64 `json:"statements"`
	Partitions float64 `json:"partitions"`
	Rows       float64 `json:"rows"`  // read by the database, or written
	Bytes      float64 `json:"bytes"` // received from it; 0: the store doesn't tell
}

func (m *Meter) read() Cost {
	return Cost{
		Statements: float64(m.statements.Load()), Partitions: float64(m.partitions.Load()),
		Rows: float64(m.rows.Load()), Bytes: float64(m.bytes.Load()),
	}
}

// since returns what was asked since an earlier reading, for each of n requests.
func (c Cost) since(earlier Cost, n int) Cost {
	each := 1 / float64(max(n, 1))
	return Cost{
		Statements: (c.Statements - earlier.Statements) * each, Partitions: (c.Partitions - earlier.Partitions) * each,
		Rows: (c.Rows - earlier.Rows) * each, Bytes: (c.Bytes - earlier.Bytes) * each,
	}
}
