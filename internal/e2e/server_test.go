package e2e

import (
	"strings"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
)

// What the README promises for the first minute, and for the day after.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	began := time.Now()
	first := harness.Start(t, "--data-dir", dir).Ready()
	t.Logf("ready, with the demo, after %v", time.Since(began).Round(time.Millisecond))
	for _, line := range []string{first.URL + "/playground", first.URL + "/graphql", "Bearer alice"} {
		harness.Eventually(t, "the welcome has "+line, func() bool { return strings.Contains(first.Out.String(), line) })
	}
	demo := total(first)
	if demo < 180 || demo > 220 {
		t.Errorf("the demo has %d posts, not some 200", demo)
	}
	post := lifeOfAUser(first)
	if code := first.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, first.Log.String())
	}

	second := harness.Start(t, "--data-dir", dir).Ready()
	if posts := total(second); posts != demo+1 {
		t.Errorf("after a restart: %d posts, want the demo's %d and one", posts, demo)
	}
	wantLifeOfAUser(second, post)
	if log := second.Log.String(); strings.Contains(log, "demo") {
		t.Errorf("a second demo: %s", log)
	}
}

func TestWithoutDemo(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	s.As("", `{ feed { edges { cursor } } }`, "").Want("data.feed.edges", "[]")
}

// total counts the posts of the feed, and checks that no page repeats one.
func total(s *harness.Server) int {
	s.T.Helper()
	seen := map[string]bool{}
	for after := ""; ; {
		page := s.As("", `query($after: String) { feed(first: 100, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } } }`,
			`{"after": `+harness.NullOr(after)+`}`).OK()
		for _, id := range page.All("data.feed.edges", "node.id") {
			if seen[id] {
				s.T.Errorf("post %s twice", id)
			}
			seen[id] = true
		}
		if page.At("data.feed.pageInfo.hasNextPage") == "false" {
			return len(seen)
		}
		after = page.At("data.feed.pageInfo.endCursor")
	}
}

// lifeOfAUser has a new user write, comment, like and rename, and returns the post's
// id.
func lifeOfAUser(s *harness.Server) (post string) {
	s.T.Helper()
	s.As("dana", `{ viewer { id } }`, "").OK().Want("data.viewer", "null")
	s.As("dana", `mutation { createUser(input: {username: "dana", email: "dana@example.org"}) { user { username } userErrors { code } } }`, "").
		OK().Want("data.createUser.user.username", "dana")
	written := s.As("dana", `mutation { createPost(input: {title: "On partitions", content: "One query, one table."}) { post { id commentCount } userErrors { code } } }`, "").OK()
	post = written.At("data.createPost.post.id")
	id := `{"id": "` + post + `"}`
	s.As("dana", `mutation($id: ID!) { createComment(input: {postId: $id, content: "Said I."}) { post { commentCount } userErrors { code } } }`, id).
		OK().Want("data.createComment.post.commentCount", "1")
	s.As("dana", `mutation($id: ID!) { likePost(input: {postId: $id}) { post { likeCount viewerHasLiked } userErrors { code } } }`, id).
		OK().Want("data.likePost.post", `{"likeCount":1,"viewerHasLiked":true}`)
	s.As("dana", `mutation { updateUser(input: {username: "Dana_2"}) { user { username } userErrors { code } } }`, "").
		OK().Want("data.updateUser.user.username", "Dana_2")
	wantLifeOfAUser(s, post)
	return post
}

// wantLifeOfAUser reads all that lifeOfAUser wrote, in every list it is in.
func wantLifeOfAUser(s *harness.Server, post string) {
	s.T.Helper()
	harness.Eventually(s.T, "the new name is in every copy", func() bool {
		feed := s.As("dana", `{ feed(first: 1) { edges { node { id author { username } commentCount likeCount viewerHasLiked } } } }`, "").OK()
		return feed.At("data.feed.edges.0.node") == `{"author":{"username":"Dana_2"},"commentCount":1,"id":"`+post+`","likeCount":1,"viewerHasLiked":true}`
	})
	read := s.As("dana", `query($id: ID!) {
		post(id: $id) { title content version comments { totalCount edges { node { content } } } likes { totalCount edges { node { user { id } } } } }
		userPosts(username: "DANA_2") { edges { node { id } } }
		viewer { username email comments { edges { node { content } } } }
		user(username: "dana") { id }
	}`, `{"id": "`+post+`"}`).OK()
	read.Want("data.post.title", "On partitions")
	read.Want("data.post.content", "One query, one table.")
	read.Want("data.post.version", "1")
	read.Want("data.post.comments.totalCount", "1")
	read.Want("data.post.comments.edges.0.node.content", "Said I.")
	read.Want("data.post.likes.totalCount", "1")
	read.Want("data.userPosts.edges.0.node.id", post)
	read.Want("data.viewer.username", "Dana_2")
	read.Want("data.viewer.email", "dana@example.org")
	read.Want("data.viewer.comments.edges.0.node.content", "Said I.")
	read.Want("data.user", "null")
}
