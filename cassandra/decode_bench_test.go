package cassandra

import (
	"strings"
	"testing"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// BenchmarkFeedRow makes a post of a row of the feed, as it came from a node.
func BenchmarkFeedRow(b *testing.B) {
	id := gocql.UUID(blog.FirstUUIDAt(time.Unix(1_700_000_000, 0)))
	row := receivedAs(b,
		benchCell{gocql.TypeUUID, id}, benchCell{gocql.TypeUUID, id}, benchCell{gocql.TypeVarchar, "somebody_else"}, benchCell{gocql.TypeVarchar, "Some Body"},
		benchCell{gocql.TypeVarchar, "What a denormalized table costs, and what it saves"},
		benchCell{gocql.TypeVarchar, strings.Repeat("one query, one table ", 9)},
		benchCell{gocql.TypeTimestamp, time.Unix(1_700_000_000, 0)},
		benchCell{gocql.TypeInt, 1}, benchCell{gocql.TypeInt, 180}, benchCell{gocql.TypeInt, 12}, benchCell{gocql.TypeInt, 55})
	read := feedListing(blog.FeedPlace{}).row
	b.ReportAllocs()
	for b.Loop() {
		if _, _, stands, err := read(row); !stands || err != nil {
			b.Fatal(err)
		}
	}
}

type benchCell struct {
	of    gocql.Type
	value any
}

// receivedRow is a row in the protocol's form, which is read again and again.
type receivedRow struct {
	gocql.Scanner
	types []gocql.TypeInfo
	cells [][]byte
}

func receivedAs(b *testing.B, cells ...benchCell) gocql.Scanner {
	var row receivedRow
	for _, c := range cells {
		info := gocql.NewNativeType(4, c.of, "")
		bytes, err := gocql.Marshal(info, c.value)
		if err != nil {
			b.Fatal(err)
		}
		row.types, row.cells = append(row.types, info), append(row.cells, bytes)
	}
	return &row
}

func (r *receivedRow) Scan(into ...any) error {
	for i, to := range into {
		if err := gocql.Unmarshal(r.types[i], r.cells[i], to); err != nil {
			return err
		}
	}
	return nil
}
