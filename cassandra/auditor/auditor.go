package auditor

import (
	"context"
	"math"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cascade"
	"broadsheet/cassandra/cluster"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/feed"
	"broadsheet/cassandra/gap"
	"broadsheet/cassandra/journal"
	"broadsheet/cassandra/move"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

var (
	_ audit.Store     = (*Auditor)(nil)
	_ audit.Reader    = (*reader)(nil)
	_ audit.FeedIndex = (*reader)(nil)
)

// Auditor compares the copies of a cluster with their truths, and mends them. Its fields do not change once it is used.
type Auditor struct {
	DB       *cql.Session
	Cluster  cluster.Config // as it was resolved
	Clock    blog.Clock
	Clocks   *cluster.Clocks
	Truths   *truth.Truths
	Gaps     *gap.Gaps
	Feed     *feed.Index
	Journal  *journal.Journal
	Recovery *journal.Recovery
	Sweeps   *cascade.Sweeps
	Moves    *move.Phases

	Deletions cascade.Deletions // those of an erasure, of what it did not meet
}

// reader reads whole tables by ranges of tokens, and single rows.
type reader struct {
	*Auditor
	truthReader // at the consistency of all reads
	parts       int
	indexed     sync.Map // places that the feed's index names
}

// Audit is a method of [audit.Store].
func (s *Auditor) Audit(_ context.Context, parts int) (audit.Reader, error) {
	return &reader{Auditor: s, truthReader: truthReader{s, false}, parts: max(parts, 1)}, nil
}

// Close ends the reading; the store stays open.
func (a *reader) Close() error { return nil }

func (a *reader) Parts() int { return a.parts }

// Holds is a method of [audit.Reader].
func (a *reader) Holds(table blog.Table) bool { return a.Moves.Whole(table) }

// tokens returns the range of tokens of a part: above from, to included.
func (a *reader) tokens(part int) (from, to int64) {
	width := math.MaxUint64 / uint64(a.parts)
	from = int64(uint64(part)*width + 1<<63)
	if part == a.parts-1 {
		return from, math.MaxInt64
	}
	return from, int64(uint64(part+1)*width + 1<<63)
}

// part reads one part of a table. It asks again for a page that did not come: to read a large table anew is expensive.
func (a *reader) part(ctx context.Context, st cql.Statement, part, page int, visit func(gocql.Scanner) error) error {
	from, to := a.tokens(part)
	return a.DB.Pages(ctx, st.With(from, to), page, a.patiently, visit)
}

// patience bounds how long an audit waits for a cluster that does not answer.
const patience = time.Minute

// patiently repeats a step while the cluster does not answer, for a bounded time.
func (s *Auditor) patiently(ctx context.Context, step func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return cql.Insist(bounded, step)
}

// patient is patiently, of a reading.
func patient[T any](ctx context.Context, s *Auditor, read func(context.Context) (T, error)) (found T, err error) {
	err = s.patiently(ctx, func(ctx context.Context) (err error) { found, err = read(ctx); return err })
	return found, err
}

// auditPage is how many rows come in one answer, contentPage how many posts with contents: up to 40 kB, and 64 KiB.
const (
	auditPage   = 250
	contentPage = 50
)

func (a *reader) Unfinished(ctx context.Context) (audit.Unfinished, error) {
	u, err := patient(ctx, a.Auditor, a.Recovery.Unfinished)
	return audit.Unfinished(u), err
}
