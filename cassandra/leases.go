package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var (
	takeLease  = statement{blog.Leases, `INSERT INTO leases (name, owner) VALUES (?, ?) IF NOT EXISTS USING TTL ?`}
	renewLease = statement{blog.Leases, `UPDATE leases USING TTL ? SET owner = ? WHERE name = ? IF owner = ?`}
	endLease   = statement{blog.Leases, `DELETE FROM leases WHERE name = ? IF owner = ?`}
)

// leaseTime is how long a lease outlives the server that holds it.
const leaseTime = 20 * time.Second

// lease reports whether this server holds the lease of a name, and takes or renews it
// where nobody else does. It has to be called again well within leaseTime. Nobody may
// rely on it for more than not doing work twice.
func (s *Store) lease(ctx context.Context, name string) (held bool, err error) {
	me, seconds := id(s.server), int(leaseTime.Seconds())
	held, _, err = s.compareAndSet(ctx, renewLease.with(seconds, me, name, me))
	if held || err != nil {
		return held, err
	}
	held, current, err := s.compareAndSet(ctx, takeLease.with(name, me, seconds))
	return held || current["owner"] == me, err
}

// leave gives a lease back, so that another server need not wait for its end.
func (s *Store) leave(ctx context.Context, name string) error {
	_, _, err := s.compareAndSet(ctx, endLease.with(name, id(s.server)))
	return err
}

// newServerID names a process.
func newServerID() blog.UUID { return blog.UUID(gocql.MustRandomUUID()) }
