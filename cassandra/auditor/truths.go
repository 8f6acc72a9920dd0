package auditor

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/internal/audit"
)

var _ audit.Truths = truthReader{}

// truthReader reads truths by their keys. Certain readings are at the serial consistency: they
// don't see a commit once, because a minority has it, and then not again. They take part in
// Paxos, and delay the commands of a hot post; so a row is first looked at without them.
type truthReader struct {
	auditor *Auditor
	certain bool
}

func (a *reader) Certain() audit.Truths { return truthReader{a.Auditor, true} }

func (t truthReader) read(ctx context.Context, b cql.Bound, dest ...any) error {
	if t.certain {
		return t.auditor.DB.OneSerial(ctx, b, dest...)
	}
	return t.auditor.DB.One(ctx, b, dest...)
}

func (t truthReader) Counts(ctx context.Context, parent blog.UUID, of ...blog.Table) ([]blog.Count, error) {
	counts, reads := make([]blog.Count, len(of)), make([]func() error, len(of))
	for i, table := range of {
		reads[i] = func() (err error) {
			counts[i], err = t.count(ctx, table, parent)
			return err
		}
	}
	err := cql.Concurrently(reads...)
	return counts, err
}

func (t truthReader) count(ctx context.Context, table blog.Table, parent blog.UUID) (blog.Count, error) {
	of := t.auditor.Truths.Counted(table)
	read := of.Header
	if t.certain {
		read = of.HeaderSerial
	}
	header, err := patient(ctx, t.auditor, func(ctx context.Context) (counted.Header, error) { return read(ctx, parent) })
	return header.Count(), err
}
