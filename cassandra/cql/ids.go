package cql

import (
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

// After returns the next higher UUID of the same version: the lower bound of what comes after u.
func After(u blog.UUID) blog.UUID {
	for i := len(u) - 1; i >= 0; i-- {
		counts := FirstID[i] ^ LastID[i] // all bits but those of the version and the variant
		next := (u[i] + 1) & counts
		u[i] = u[i]&^counts | next
		if next != 0 {
			break // no carry
		}
	}
	return u
}

// EndOfTime is behind everything that an id can be dated.
var EndOfTime = time.UnixMilli(1<<48 - 1)
