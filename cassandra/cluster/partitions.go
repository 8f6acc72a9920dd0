package cluster

import (
	"context"
	"sync/atomic"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// selectLargest is read from whichever node is asked, of what it has on disk.
const selectLargest = `SELECT keyspace_name, table_name, mebibytes FROM system_views.max_partition_size`

// Partitions knows how large the largest partitions of a keyspace are, as its nodes say. It is safe for concurrent use.
type Partitions struct {
	Session  *gocql.Session
	Keyspace string

	largest atomic.Pointer[map[blog.Table]int64]
}

// Ask asks one node, each time another.
func (p *Partitions) Ask(ctx context.Context) error {
	var keyspace, table string
	var mebibytes int64
	largest := map[blog.Table]int64{}
	iter := p.Session.Query(selectLargest).WithContext(ctx).Consistency(gocql.One).Iter()
	for iter.Scan(&keyspace, &table, &mebibytes) {
		if keyspace == p.Keyspace && mebibytes > 0 {
			largest[blog.Table(table)] = mebibytes << 20
		}
	}
	if err := iter.Close(); err != nil {
		return cql.Convert(ctx, err)
	}
	p.largest.Store(&largest)
	return nil
}

// Report adds those of a mebibyte or more, as far as is known.
func (p *Partitions) Report(u *blog.Upkeep) {
	if largest := p.largest.Load(); largest != nil {
		u.Partitions = *largest
	}
}
