package gap

import (
	"reflect"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// A list names the partition that its statements are bound to.
func TestPlaces(t *testing.T) {
	id := blog.FirstUUIDAt(cql.EndOfTime)
	for name, c := range map[string]struct {
		list List
		want []any
	}{
		"comments of a post":    {In(blog.CommentsByPost, blog.PostID{UUID: id}), []any{cql.ID(id)}},
		"a list of an author":   {In(blog.PostsByAuthor, blog.UserID{UUID: id}), []any{cql.ID(id)}},
		"a shard of the feed":   {In(blog.FeedByBucket, "2026-01-05T00:00Z+168h0m0s", 12), []any{"2026-01-05T00:00Z+168h0m0s", 12}},
		"a bucket with a slash": {In(blog.FeedByBucket, "a/b", 0), []any{"a/b", 0}},
	} {
		if got := c.list.Partition(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What a post's copies make and kill are its rows in the lists that leave dead ones.
func TestKeys(t *testing.T) {
	post := blog.Post{ID: blog.PostID{UUID: blog.UUID{1}}, Author: blog.Author{ID: blog.UserID{UUID: blog.UUID{2}}}, Feed: blog.FeedPlace{Bucket: "b", Shard: 1}, Stamp: 1}
	want := map[Key]bool{
		{In(blog.PostsByAuthor, post.Author.ID), post.ID.UUID}: true,
		{In(blog.FeedByBucket, "b", 1), post.ID.UUID}:          true,
	}
	for name, c := range map[string]struct {
		copies []blog.Copy
		dead   bool
		want   map[Key]bool
	}{
		"made":                    {blog.CopiesOfPost(post), false, want},
		"made, asked for dead":    {blog.CopiesOfPost(post), true, map[Key]bool{}},
		"deleted":                 {blog.DeletionsOfPost(post, 9), true, want},
		"deleted, asked for made": {blog.DeletionsOfPost(post, 9), false, map[Key]bool{}},
	} {
		got := map[Key]bool{}
		for _, k := range Keys(c.copies, c.dead) {
			got[k] = true
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestGapCovers(t *testing.T) {
	low, high := blog.UUID{5: 1, 6: 0x70, 8: 0x80}, blog.UUID{5: 9, 6: 0x70, 8: 0x80}
	for name, c := range map[string]struct {
		gap  Gap
		key  blog.UUID
		want bool
	}{
		"its low end":                 {Gap{low, high}, low, true},
		"within":                      {Gap{low, high}, cql.After(low), true},
		"its high end":                {Gap{low, high}, high, false},
		"below":                       {Gap{cql.After(low), high}, low, false},
		"one that was cut at its end": {Gap{low, low}, low, false},
		"none":                        {Gap{}, low, false},
	} {
		if got := c.gap.Covers(c.key); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
