package cql

import (
	"encoding/binary"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// FirstID and LastID are the bounds of all UUIDs of version 7. Cassandra orders uuids by their version
// first, so a bound of another version would lie on the wrong side of all of them.
var (
	FirstID = gocql.UUID{6: 0x70, 8: 0x80}
	LastID  = gocql.UUID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
)

// After returns the next higher UUID of version 7: the lower bound of what comes
// after u.
func After(u blog.UUID) blog.UUID {
	const (
		high = 1<<12 - 1 // bits after the version
		low  = 1<<62 - 1 // bits after the variant
	)
	milliseconds := binary.BigEndian.Uint64(u[:8]) >> 16
	counter := binary.BigEndian.Uint64(u[:8]) & high
	random := binary.BigEndian.Uint64(u[8:]) & low
	if random++; random > low {
		random = 0
		counter++
	}
	if counter > high {
		counter = 0
		milliseconds++
	}
	var next blog.UUID
	binary.BigEndian.PutUint64(next[:8], milliseconds<<16|7<<12|counter)
	binary.BigEndian.PutUint64(next[8:], 1<<63|random)
	return next
}

// EndOfTime is behind everything that an id can be dated.
var EndOfTime = time.UnixMilli(1<<48 - 1)
