package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// What is asked of a store that a server has open is told by that server, while it is written to, and
// what is changed there holds for the requests that follow.
func TestCommandsBesideAServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, "--data-dir", dir, "--no-demo").ready()
	const newPost = `mutation { createPost(input: {title: "T", content: "c"}) { post { id } userErrors { code } } }`
	end := s.writers(func(subject string) {
		post := s.as(subject, newPost, "").at("data.createPost.post.id")
		s.as(subject, fmt.Sprintf(`mutation { likePost(input: {postId: %[1]q}) { post { id } } deletePost(input: {postId: %[1]q}) { deletedPostId } }`, post), "")
	})
	since := readChanges(t, want(t, 0, "", "changes", "--no-follow", "--data-dir", dir))[0].Cursor
	follower := following(t, "changes", "--after", since, "--data-dir", dir)
	eventually(t, "the follower is told of changes", func() bool { return len(follower.all()) > 20 })
	for range 3 {
		want(t, 0, "DRIFTED", "verify", "--data-dir", dir)
		want(t, 0, "REPAIRED", "verify", "--repair", "--data-dir", dir)
		want(t, 0, "rows were written", "rebuild", "posts_by_author", "--data-dir", dir)
	}
	want(t, 1, "no such table", "rebuild", "feed_buckets", "--data-dir", dir)
	want(t, 1, "this is no cursor of changes", "changes", "--after", "garbage", "--data-dir", dir)
	end()
	want(t, 0, `"suspended": true`, "user", "suspend", "--username", "writer_0", "--data-dir", dir)
	if got := s.as("writer_0", newPost, "").text; !strings.Contains(got, "SUSPENDED") {
		t.Errorf("who was suspended beside the server writes: %s", got)
	}
	found := want(t, 0, "", "verify", "--data-dir", dir)
	s.stop()
	if code := <-follower.ended; code != 1 {
		t.Errorf("a follower whose server has ended ends with %d", code)
	}
	if again := want(t, 0, "", "verify", "--data-dir", dir); again != found {
		t.Errorf("beside the server verify found\n%s\nand without it\n%s", found, again)
	}
}

// writers has four accounts write again and again until end is called.
func (s *server) writers(write func(subject string)) (end func()) {
	s.t.Helper()
	var ended sync.WaitGroup
	over := make(chan struct{})
	for i := range 4 {
		subject := fmt.Sprint("writer_", i)
		s.as(subject, fmt.Sprintf(`mutation { createUser(input: {username: %q}) { user { id } } }`, subject), "").ok()
		ended.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					write(subject)
				}
			}
		})
	}
	return func() {
		close(over)
		ended.Wait()
	}
}
