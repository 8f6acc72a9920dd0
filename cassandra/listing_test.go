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
		name        string
		newestFirst bool
		page        blog.PageRequest[blog.PostID]
		want        span[blog.UUID]
	}{
		{"all", true, blog.PageRequest[blog.PostID]{}, span[blog.UUID]{first, last}},
		{"newest first, after a row", true, blog.PageRequest[blog.PostID]{After: &high}, span[blog.UUID]{first, high.UUID}},
		{"newest first, before a row", true, blog.PageRequest[blog.PostID]{Before: &low}, span[blog.UUID]{cql.After(low.UUID), last}},
		{"oldest first, after a row", false, blog.PageRequest[blog.PostID]{After: &low}, span[blog.UUID]{cql.After(low.UUID), last}},
		{"oldest first, before a row", false, blog.PageRequest[blog.PostID]{Before: &high}, span[blog.UUID]{first, high.UUID}},
		{"between two", true, blog.PageRequest[blog.PostID]{After: &high, Before: &low, Backward: true}, span[blog.UUID]{cql.After(low.UUID), high.UUID}},
	} {
		if got := idSpan(c.page, c.newestFirst); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
