package resolvers_test

import (
	"context"
	"errors"
	"testing"

	"broadsheet/blog"
)

// docs/contract.md says what the failure of a read takes with it.
func TestWhatAFailedReadTakes(t *testing.T) {
	away := &blog.Error{Kind: blog.Unavailable, Err: errors.New("away")}
	for name, tc := range map[string]struct{ query, data, path string }{
		"the feed takes the answer":                 {`{ viewer: user(username: "alice") { username } feed { edges { cursor } } }`, `null`, "feed"},
		"a root list takes itself":                  {`{ post(id: "<post:p04>") { title } comments(postId: "<post:p04>") { totalCount } }`, `{"post": {"title": "Post p04"}, "comments": null}`, "comments"},
		"another root list takes itself":            {`{ post(id: "<post:p04>") { title } likes(postId: "<post:p04>") { totalCount } }`, `{"post": {"title": "Post p04"}, "likes": null}`, "likes"},
		"a list below a post takes the post":        {`{ viewer: user(username: "alice") { username } post(id: "<post:p04>") { title comments { totalCount } } }`, `{"viewer": {"username": "alice"}, "post": null}`, "post.comments"},
		"an entry of nodes takes itself":            {`{ nodes(ids: ["<post:p04>", "<user:alice>"]) { ... on Post { title } ... on User { username } } }`, `{"nodes": [{"title": "Post p04"}, null]}`, "nodes[1]"},
		"a user's own account takes what it is for": {`{ post(id: "<post:p04>") { title author { bio } } viewer { username } }`, `{"post": null, "viewer": null}`, "post.author"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.feed = func(page blog.Page[blog.Post], _ error) (blog.Page[blog.Post], error) { return page, away }
			s.commentsByPost = func() (blog.CommentPage, error) { return blog.CommentPage{}, away }
			s.likesByPost = func() (blog.ReactionPage, error) { return blog.ReactionPage{}, away }
			s.userByID = func(context.Context, blog.UserID) (blog.User, error) { return blog.User{}, away }
			response := s.ask(t.Context(), tc.query)
			s.want(response, tc.data)
			s.wantErrors(response, failed{tc.path, "UNAVAILABLE", tryAgain})
		})
	}
}
