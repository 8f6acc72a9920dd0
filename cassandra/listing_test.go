package cassandra

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

func TestIDSpan(t *testing.T) {
	low := blog.PostID{UUID: blog.UUID{5: 1, 6: 0x70, 8: 0x80}}
	high := blog.PostID{UUID: blog.UUID{5: 2, 6: 0x70, 8: 0x80}}
	first, last := blog.UUID(cql.FirstID), blog.UUID(cql.LastID)
	for _, c := range []struct {
		name string
		page blog.PageRequest[blog.PostID]
		want span[blog.UUID]
	}{
		{"all", blog.PageRequest[blog.PostID]{}, span[blog.UUID]{first, last}},
		{"newest first, after a row", blog.PageRequest[blog.PostID]{After: &high}, span[blog.UUID]{first, high.UUID}},
		{"newest first, before a row", blog.PageRequest[blog.PostID]{Before: &low}, span[blog.UUID]{cql.After(low.UUID), last}},
		{"oldest first, after a row", blog.PageRequest[blog.PostID]{Order: blog.OldestFirst, After: &low}, span[blog.UUID]{cql.After(low.UUID), last}},
		{"oldest first, before a row", blog.PageRequest[blog.PostID]{Order: blog.OldestFirst, Before: &high}, span[blog.UUID]{first, high.UUID}},
		{"between two", blog.PageRequest[blog.PostID]{After: &high, Before: &low, Backward: true}, span[blog.UUID]{cql.After(low.UUID), high.UUID}},
		{"between two times", blog.PageRequest[blog.PostID]{From: low.Time(), To: high.Time()}, span[blog.UUID]{low.UUID, high.UUID}},
		{"after a row beyond the times", blog.PageRequest[blog.PostID]{To: low.Time(), After: &high}, span[blog.UUID]{first, low.UUID}},
		{"before a row beyond the times", blog.PageRequest[blog.PostID]{From: high.Time(), Before: &low}, span[blog.UUID]{high.UUID, last}},
	} {
		if got := idSpan(c.page); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
