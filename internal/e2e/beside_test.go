package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// What is asked of a store that a server has open is told by that server, while it is written to, and
// what is changed there holds for the requests that follow.
func TestCommandsBesideAServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	const newPost = `mutation { createPost(input: {title: "T", content: "c"}) { post { id } userErrors { code } } }`
	end := writersOf(s, func(subject string) {
		post := s.As(subject, newPost, "").At("data.createPost.post.id")
		s.As(subject, fmt.Sprintf(`mutation { likePost(input: {postId: %[1]q}) { post { id } } deletePost(input: {postId: %[1]q}) { deletedPostId } }`, post), "")
	})
	since := readChanges(t, harness.Want(t, 0, "", "changes", "--no-follow", "--data-dir", dir))[0].Cursor
	follower := following(t, "changes", "--after", since, "--data-dir", dir)
	harness.Eventually(t, "the follower is told of changes", func() bool { return len(follower.all()) > 20 })
	for range 3 {
		harness.Want(t, 0, "DRIFTED", "verify", "--data-dir", dir)
		harness.Want(t, 0, "REPAIRED", "verify", "--repair", "--data-dir", dir)
		harness.Want(t, 0, "rows were written", "rebuild", "posts_by_author", "--data-dir", dir)
	}
	harness.Want(t, 1, "no such table", "rebuild", "feed_buckets", "--data-dir", dir)
	harness.Want(t, 1, "this is no cursor of changes", "changes", "--after", "garbage", "--data-dir", dir)
	end()
	harness.Want(t, 0, `"suspended": true`, "user", "suspend", "--username", "writer_0", "--data-dir", dir)
	if got := s.As("writer_0", newPost, "").Text; !strings.Contains(got, "SUSPENDED") {
		t.Errorf("who was suspended beside the server writes: %s", got)
	}
	found := harness.Want(t, 0, "", "verify", "--data-dir", dir)
	s.Stop()
	if code := <-follower.ended; code != 1 {
		t.Errorf("a follower whose server has ended ends with %d", code)
	}
	if again := harness.Want(t, 0, "", "verify", "--data-dir", dir); again != found {
		t.Errorf("beside the server verify found\n%s\nand without it\n%s", found, again)
	}
}

// writers has four accounts write again and again until end is called.
func writersOf(s *harness.Server, write func(subject string)) (end func()) {
	s.T.Helper()
	var ended sync.WaitGroup
	over := make(chan struct{})
	for i := range 4 {
		subject := fmt.Sprint("writer_", i)
		s.As(subject, fmt.Sprintf(`mutation { createUser(input: {username: %q}) { user { id } } }`, subject), "").OK()
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
