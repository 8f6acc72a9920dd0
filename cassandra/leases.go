package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var (
	takeLease  = cql.On(blog.Leases, `INSERT INTO leases (name, owner) VALUES (?, ?) IF NOT EXISTS USING TTL ?`)
	renewLease = cql.On(blog.Leases, `UPDATE leases USING TTL ? SET owner = ? WHERE name = ? IF owner = ?`)
	endLease   = cql.On(blog.Leases, `DELETE FROM leases WHERE name = ? IF owner = ?`)
)

// leaseTime is how long a lease outlives the server that holds it.
const leaseTime = 20 * time.Second

// lease reports whether this server holds the lease of a name, and takes or renews it
// where nobody else does. It has to be called again well within leaseTime. Nobody may
// rely on it for more than not doing work twice.
func (s *Store) lease(ctx context.Context, name string) (held bool, err error) {
	me, seconds := cql.ID(s.server), int(leaseTime.Seconds())
	held, _, err = s.db.CompareAndSet(ctx, renewLease.With(seconds, me, name, me))
	if held || err != nil {
		return held, err
	}
	held, current, err := s.db.CompareAndSet(ctx, takeLease.With(name, me, seconds))
	return held || current["owner"] == me, err
}

// leave gives a lease back, so that another server need not wait for its end.
func (s *Store) leave(ctx context.Context, name string) error {
	_, _, err := s.db.CompareAndSet(ctx, endLease.With(name, cql.ID(s.server)))
	return err
}

// newServerID names a process.
func newServerID() blog.UUID { return blog.UUID(gocql.MustRandomUUID()) }
