package resolvers_test

import (
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// A client goes on from where a page of the feed ends, also where that has no posts.
func TestAPageWithoutPostsHasItsEnd(t *testing.T) {
	s := newStub(t)
	ends := blog.FirstUUIDAt(epoch)
	s.names.add("feed:end", relay.Feed(blog.NewestFirst).Cursor(blog.PostID{UUID: ends}))
	s.feed = func(blog.Page[blog.Post], error) (blog.Page[blog.Post], error) {
		return blog.ShortPage(blog.FirstPage[blog.PostID](20), []blog.Post{}, ends), nil
	}
	s.want(s.ask(t.Context(), `{ feed { edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`),
		`{"feed": {"edges": [], "pageInfo": {"hasNextPage": true, "hasPreviousPage": false, "startCursor": "<feed:end>", "endCursor": "<feed:end>"}}}`)
}
