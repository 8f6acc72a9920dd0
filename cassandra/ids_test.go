package cassandra

import (
	"math/rand/v2"
	"testing"

	"broadsheet/blog"
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
			if got := after(id).String(); got != c.next {
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
		if next := after(id); !next.Valid() || next.Compare(id) <= 0 {
			t.Fatalf("after %s comes %s", id, next)
		}
	}
}

func TestIDSpan(t *testing.T) {
	low := blog.PostID{UUID: blog.UUID{5: 1, 6: 0x70, 8: 0x80}}
	high := blog.PostID{UUID: blog.UUID{5: 2, 6: 0x70, 8: 0x80}}
	first, last := blog.UUID(firstUUID), blog.UUID(lastUUID)
	for _, c := range []struct {
		name        string
		newestFirst bool
		page        blog.PageRequest[blog.PostID]
		want        span[blog.UUID]
	}{
		{"all", true, blog.PageRequest[blog.PostID]{}, span[blog.UUID]{first, last}},
		{"newest first, after a row", true, blog.PageRequest[blog.PostID]{After: &high}, span[blog.UUID]{first, high.UUID}},
		{"newest first, before a row", true, blog.PageRequest[blog.PostID]{Before: &low}, span[blog.UUID]{after(low.UUID), last}},
		{"oldest first, after a row", false, blog.PageRequest[blog.PostID]{After: &low}, span[blog.UUID]{after(low.UUID), last}},
		{"oldest first, before a row", false, blog.PageRequest[blog.PostID]{Before: &high}, span[blog.UUID]{first, high.UUID}},
		{"between two", true, blog.PageRequest[blog.PostID]{After: &high, Before: &low, Backward: true}, span[blog.UUID]{after(low.UUID), high.UUID}},
	} {
		if got := idSpan(c.page, c.newestFirst); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
