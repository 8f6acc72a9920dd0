package job

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

// LeaseTime is how long a lease outlives the server that holds it.
const LeaseTime = 20 * time.Second

// Leases are those of one server. Nothing may rely on a lease for more than not doing work twice.
type Leases struct {
	db *cql.Session
	me gocql.UUID // names this process
}

// NewLeases returns the leases of a process that has none.
func NewLeases(db *cql.Session, server blog.UUID) Leases { return Leases{db, cql.ID(server)} }

// Take reports whether this server holds the lease of a name, and takes or renews it where no other does. It has to be
// called again well within [LeaseTime].
func (l Leases) Take(ctx context.Context, name string) (held bool, err error) {
	seconds := int(LeaseTime.Seconds())
	held, _, err = l.db.CompareAndSet(ctx, renewLease.With(seconds, l.me, name, l.me))
	if held || err != nil {
		return held, err
	}
	held, current, err := l.db.CompareAndSet(ctx, takeLease.With(name, l.me, seconds))
	return held || current["owner"] == l.me, err
}

// Leave gives a lease back, so that another server need not wait for its end.
func (l Leases) Leave(ctx context.Context, name string) error {
	_, _, err := l.db.CompareAndSet(ctx, endLease.With(name, l.me))
	return err
}
