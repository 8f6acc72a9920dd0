package naive

import (
	"cmp"
	"context"
	"crypto/rand"

	"broadsheet/blog"
	"broadsheet/cassandra"

	"github.com/gocql/gocql"
)

// Keyspace is an open keyspace that [Create] has made.
type Keyspace struct {
	session  *gocql.Session
	observer blog.Observer
	clock    blog.Clock
	ids      *blog.IDs
}

// Open connects to the keyspace. Unavailable: no host answers.
func Open(ctx context.Context, c cassandra.Config, options blog.Options) (*Keyspace, error) {
	session, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if options.Clock == nil {
		options.Clock = blog.SystemClock{}
	}
	ids := cmp.Or(options.IDs, blog.NewIDs(options.Clock, rand.Reader))
	return &Keyspace{session: session, observer: options.Observer, clock: options.Clock, ids: ids}, nil
}

// V1 returns the version that copies nothing.
func (k *Keyspace) V1() *V1 { return &V1{k} }

// V2 returns the version with copies of names and counts.
func (k *Keyspace) V2() *V2 { return &V2{k} }

// Close disconnects.
func (k *Keyspace) Close() { k.session.Close() }
