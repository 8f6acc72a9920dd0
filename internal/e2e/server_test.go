package e2e

import (
	"strings"
	"testing"
	"time"
)

// What the README promises for the first minute, and for the day after.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	began := time.Now()
	first := start(t, "--data-dir", dir).ready()
	t.Logf("ready, with the demo, after %v", time.Since(began).Round(time.Millisecond))
	for _, line := range []string{first.url + "/playground", first.url + "/graphql", "Bearer alice"} {
		eventually(t, "the welcome has "+line, func() bool { return strings.Contains(first.out.String(), line) })
	}
	demo := total(first)
	if demo < 180 || demo > 220 {
		t.Errorf("the demo has %d posts, not some 200", demo)
	}
	post := lifeOfAUser(first)
	if code := first.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, first.log.String())
	}

	second := start(t, "--data-dir", dir).ready()
	if posts := total(second); posts != demo+1 {
		t.Errorf("after a restart: %d posts, want the demo's %d and one", posts, demo)
	}
	wantLifeOfAUser(second, post)
	if log := second.log.String(); strings.Contains(log, "demo") {
		t.Errorf("a second demo: %s", log)
	}
}

func TestWithoutDemo(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	s.as("", `{ feed { edges { cursor } } }`, "").want("data.feed.edges", "[]")
}

// total counts the posts of the feed, and checks that no page repeats one.
func total(s *server) int {
	s.t.Helper()
	seen := map[string]bool{}
	for after := ""; ; {
		page := s.as("", `query($after: String) { feed(first: 100, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } } }`,
			`{"after": `+nullOr(after)+`}`).ok()
		for _, id := range page.all("data.feed.edges", "node.id") {
			if seen[id] {
				s.t.Errorf("post %s twice", id)
			}
			seen[id] = true
		}
		if page.at("data.feed.pageInfo.hasNextPage") == "false" {
			return len(seen)
		}
		after = page.at("data.feed.pageInfo.endCursor")
	}
}

func nullOr(text string) string {
	if text == "" {
		return "null"
	}
	return `"` + text + `"`
}

// lifeOfAUser has a new user write, comment, like and rename, and returns the post's
// id.
func lifeOfAUser(s *server) (post string) {
	s.t.Helper()
	s.as("dana", `{ viewer { id } }`, "").ok().want("data.viewer", "null")
	s.as("dana", `mutation { createUser(input: {username: "dana", email: "dana@example.org"}) { user { username } userErrors { code } } }`, "").
		ok().want("data.createUser.user.username", "dana")
	written := s.as("dana", `mutation { createPost(input: {title: "On partitions", content: "One query, one table."}) { post { id commentCount } userErrors { code } } }`, "").ok()
	post = written.at("data.createPost.post.id")
	id := `{"id": "` + post + `"}`
	s.as("dana", `mutation($id: ID!) { createComment(input: {postId: $id, content: "Said I."}) { post { commentCount } userErrors { code } } }`, id).
		ok().want("data.createComment.post.commentCount", "1")
	s.as("dana", `mutation($id: ID!) { likePost(input: {postId: $id}) { post { likeCount viewerHasLiked } userErrors { code } } }`, id).
		ok().want("data.likePost.post", `{"likeCount":1,"viewerHasLiked":true}`)
	s.as("dana", `mutation { updateUser(input: {username: "Dana_2"}) { user { username } userErrors { code } } }`, "").
		ok().want("data.updateUser.user.username", "Dana_2")
	wantLifeOfAUser(s, post)
	return post
}

// wantLifeOfAUser reads all that lifeOfAUser wrote, in every list it is in.
func wantLifeOfAUser(s *server, post string) {
	s.t.Helper()
	eventually(s.t, "the new name is in every copy", func() bool {
		feed := s.as("dana", `{ feed(first: 1) { edges { node { id author { username } commentCount likeCount viewerHasLiked } } } }`, "").ok()
		return feed.at("data.feed.edges.0.node") == `{"author":{"username":"Dana_2"},"commentCount":1,"id":"`+post+`","likeCount":1,"viewerHasLiked":true}`
	})
	read := s.as("dana", `query($id: ID!) {
		post(id: $id) { title content version comments { totalCount edges { node { content } } } likes { totalCount edges { node { user { id } } } } }
		userPosts(username: "DANA_2") { edges { node { id } } }
		viewer { username email comments { edges { node { content } } } }
		user(username: "dana") { id }
	}`, `{"id": "`+post+`"}`).ok()
	read.want("data.post.title", "On partitions")
	read.want("data.post.content", "One query, one table.")
	read.want("data.post.version", "1")
	read.want("data.post.comments.totalCount", "1")
	read.want("data.post.comments.edges.0.node.content", "Said I.")
	read.want("data.post.likes.totalCount", "1")
	read.want("data.userPosts.edges.0.node.id", post)
	read.want("data.viewer.username", "Dana_2")
	read.want("data.viewer.email", "dana@example.org")
	read.want("data.viewer.comments.edges.0.node.content", "Said I.")
	read.want("data.user", "null")
}
