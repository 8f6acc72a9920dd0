package e2e

import (
	"fmt"
	"strings"
	"testing"

	"broadsheet/internal/cassandratest/testkeyspace"
)

// An account that spams is suspended and erased by one command each. Nothing of it is left.
func TestSpammerIsErased(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, "--no-demo", patient, "--data-dir", dir).ready()
	post := spam(s, 40)
	s.stop()
	want(t, 0, `"suspended": true`, "user", "suspend", "--username", "spammer", "--data-dir", dir)
	want(t, 0, `"username": "spammer"`, "user", "erase", "--username", "spammer", "--data-dir", dir)
	want(t, 0, "", "verify", "--data-dir", dir)
	want(t, 1, "there is no such user", "user", "erase", "--username", "spammer", "--data-dir", dir)
	s = start(t, "--no-demo", "--data-dir", dir).ready()
	wantErased(s, post)
}

// A server is killed as soon as it has told an owner that the account is erased. The next one ends that.
func TestKillErasure(t *testing.T) {
	t.Parallel()
	erased := func(t *testing.T, args ...string) *process {
		t.Helper()
		args = append(args, patient)
		first := launchProcess(t, args...)
		post := spam(first.server, 200)
		first.as("spammer", `mutation {deleteAccount(input: {username: "Spammer"}) {deletedId userErrors {message}}}`, "").ok()
		first.kill()
		second := launchProcess(t, args...)
		second.as("spammer", `{viewer {id}}`, "").ok().want("data.viewer", "null")
		eventually(t, "the subject has another account", func() bool {
			return second.as("spammer", `mutation {createUser(input: {username: "spammer"}) {userErrors {code}}}`, "").at("data.createUser.userErrors.0.code") == "absent"
		})
		wantErased(second.server, post)
		return second
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		erased(t, "--data-dir", dir).kill() // the directory is one process's at a time
		want(t, 0, "", "verify", "--data-dir", dir)
	})
	t.Run("cassandra", func(t *testing.T) {
		t.Parallel()
		c := testkeyspace.New(t)
		awaitClean(t, c, erased(t, on(c)...))
	})
}

// spam has an account write posts, and a comment and a like below another's post, which it returns.
func spam(s *server, posts int) (post string) {
	s.t.Helper()
	for _, name := range []string{"spammer", "other"} {
		s.as(name, `mutation {createUser(input: {username: "`+name+`"}) {userErrors {message}}}`, "").ok()
	}
	post = s.as("other", `mutation {createPost(input: {title: "Mine", content: "c"}) {post {id} userErrors {message}}}`, "").ok().at("data.createPost.post.id")
	s.as("spammer", `mutation {createComment(input: {postId: "`+post+`", content: "spam"}) {userErrors {message}}}`, "").ok()
	s.as("spammer", `mutation {likePost(input: {postId: "`+post+`"}) {userErrors {message}}}`, "").ok()
	for made := 0; made < posts; made += 20 {
		var fields strings.Builder
		for i := range 20 {
			fmt.Fprintf(&fields, `p%d: createPost(input: {title: "spam", content: "spam"}) {userErrors {message}} `, i)
		}
		s.as("spammer", "mutation {"+fields.String()+"}", "").ok()
	}
	return post
}

// wantErased fails unless nothing is there but another's post.
func wantErased(s *server, post string) {
	s.t.Helper()
	feed := s.as("other", `{feed(first: 5) {edges {node {id commentCount likeCount comments {totalCount} likes {totalCount}}}}}`, "").ok()
	feed.want("data.feed.edges.0.node.id", post)
	feed.want("data.feed.edges.1", "absent")
	for _, count := range []string{"commentCount", "likeCount", "comments.totalCount", "likes.totalCount"} {
		feed.want("data.feed.edges.0.node."+count, "0")
	}
}
