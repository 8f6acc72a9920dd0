package auditor

import (
	"context"

	"broadsheet/blog"
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

func (t truthReader) Counts(ctx context.Context, p *blog.Post) error {
	return t.auditor.patiently(ctx, func(ctx context.Context) error {
		return cql.Concurrently(t.auditor.Truths.Counts(ctx, p, t.certain)...)
	})
}
