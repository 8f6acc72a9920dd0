package kill

import (
	"fmt"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// An account that spams is suspended and erased by one command each. Nothing of it is left.
func TestSpammerIsErased(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.Start(t, "--no-demo", harness.Patient, "--data-dir", dir).Ready()
	post := spam(s, 40)
	s.Stop()
	harness.Want(t, 0, `"suspended": true`, "user", "suspend", "--username", "spammer", "--data-dir", dir)
	harness.Want(t, 0, `"username": "spammer"`, "user", "erase", "--username", "spammer", "--data-dir", dir)
	harness.Want(t, 0, "", "verify", "--data-dir", dir)
	harness.Want(t, 1, "there is no such user", "user", "erase", "--username", "spammer", "--data-dir", dir)
	s = harness.Start(t, "--no-demo", "--data-dir", dir).Ready()
	wantErased(s, post)
}

// A server is killed as soon as it has told an owner that the account is erased. The next one ends that.
func TestKillErasure(t *testing.T) {
	t.Parallel()
	erased := func(t *testing.T, args ...string) *harness.Process {
		t.Helper()
		args = append(args, harness.Patient)
		first := harness.LaunchProcess(t, args...)
		post := spam(first.Server, 200)
		first.As("spammer", `mutation {deleteAccount(input: {username: "Spammer"}) {deletedId userErrors {message}}}`, "").OK()
		first.Kill()
		second := harness.LaunchProcess(t, args...)
		second.As("spammer", `{viewer {id}}`, "").OK().Want("data.viewer", "null")
		harness.Eventually(t, "the subject has another account", func() bool {
			return second.As("spammer", `mutation {createUser(input: {username: "spammer"}) {userErrors {code}}}`, "").At("data.createUser.userErrors.0.code") == "absent"
		})
		wantErased(second.Server, post)
		return second
	}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		erased(t, "--data-dir", dir).Kill() // the directory is one process's at a time
		harness.Want(t, 0, "", "verify", "--data-dir", dir)
	})
	t.Run("cassandra", func(t *testing.T) {
		t.Parallel()
		c := testkeyspace.New(t)
		awaitClean(t, c, erased(t, harness.On(c)...))
	})
}

// spam has an account write posts, and a comment and a like below another's post, which it returns.
func spam(s *harness.Server, posts int) (post string) {
	s.T.Helper()
	for _, name := range []string{"spammer", "other"} {
		s.As(name, `mutation {createUser(input: {username: "`+name+`"}) {userErrors {message}}}`, "").OK()
	}
	post = s.As("other", `mutation {createPost(input: {title: "Mine", content: "c"}) {post {id} userErrors {message}}}`, "").OK().At("data.createPost.post.id")
	s.As("spammer", `mutation {createComment(input: {postId: "`+post+`", content: "spam"}) {userErrors {message}}}`, "").OK()
	s.As("spammer", `mutation {likePost(input: {postId: "`+post+`"}) {userErrors {message}}}`, "").OK()
	for made := 0; made < posts; made += 20 {
		var fields strings.Builder
		for i := range 20 {
			fmt.Fprintf(&fields, `p%d: createPost(input: {title: "spam", content: "spam"}) {userErrors {message}} `, i)
		}
		s.As("spammer", "mutation {"+fields.String()+"}", "").OK()
	}
	return post
}

// wantErased fails unless nothing is there but another's post.
func wantErased(s *harness.Server, post string) {
	s.T.Helper()
	feed := s.As("other", `{feed(first: 5) {edges {node {id commentCount likeCount comments {totalCount} likes {totalCount}}}}}`, "").OK()
	feed.Want("data.feed.edges.0.node.id", post)
	feed.Want("data.feed.edges.1", "absent")
	for _, count := range []string{"commentCount", "likeCount", "comments.totalCount", "likes.totalCount"} {
		feed.Want("data.feed.edges.0.node."+count, "0")
	}
}
