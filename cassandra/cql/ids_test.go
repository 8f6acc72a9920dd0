package cql_test

import (
	"math/rand/v2"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

func TestAfterIsTheNextUUID(t *testing.T) {
	for _, c := range []struct{ name, id, next string }{
		{"the last digit", "01932b4e-8f2a-7c3d-9e4f-0123456789ab", "01932b4e-8f2a-7c3d-9e4f-0123456789ac"},
		{"a carry within the random bits", "01932b4e-8f2a-7c3d-9e4f-ffffffffffff", "01932b4e-8f2a-7c3d-9e50-000000000000"},
		{"a carry over the variant", "01932b4e-8f2a-7c3d-bfff-ffffffffffff", "01932b4e-8f2a-7c3e-8000-000000000000"},
		{"a carry over the version", "01932b4e-8f2a-7fff-bfff-ffffffffffff", "01932b4e-8f2b-7000-8000-000000000000"},
		{"a carry through the time", "01932b4e-ffff-7fff-bfff-ffffffffffff", "01932b4f-0000-7000-8000-000000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := blog.ParseUUID(c.id)
			if err != nil {
				t.Fatal(err)
			}
			if got := cql.After(id).String(); got != c.next {
				t.Errorf("after %s comes %s, want %s", c.id, got, c.next)
			}
		})
	}
}

func TestAfterIsAboveAndValid(t *testing.T) {
	for range 1000 {
		var id blog.UUID
		for i := range id {
			id[i] = byte(rand.Uint32())
		}
		id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
		if next := cql.After(id); !next.Valid() || next.Compare(id) <= 0 {
			t.Fatalf("after %s comes %s", id, next)
		}
	}
}
