package cassandra

import (
	"context"
	"sync/atomic"

	"broadsheet/blog"
)

// LoseAnswers has a store lose the answers to conditional batches on ledgers: of every
// five, one is not sent, one is applied, and one is applied at some time after its answer
// was lost.
func (s *Store) LoseAnswers() (lost *atomic.Int64) {
	lost = new(atomic.Int64)
	var made atomic.Int64
	for _, l := range []*ledger{s.comments, s.likes} {
		sent := l.attempt
		l.attempt = func(ctx context.Context, entries ...bound) (bool, map[string]any, error) {
			gone := blog.Errorf(blog.Unavailable, "the answer is lost")
			switch made.Add(1) % 5 {
			case 1:
			case 2:
				_, _, _ = sent(ctx, entries...)
			case 3:
				s.background.run(ctx, func(ctx context.Context) { _, _, _ = sent(ctx, entries...) })
			default:
				return sent(ctx, entries...)
			}
			lost.Add(1)
			return false, nil, gone
		}
	}
	return lost
}
