package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Backups of a server under write can be opened, verify, and have all that was acknowledged before they began.
func TestBackups(t *testing.T) {
	t.Parallel()
	testBackups(t, 3)
}

// TestSoakBackups is TestBackups with more of them.
func TestSoakBackups(t *testing.T) {
	if os.Getenv(soakEnv) == "" {
		t.Skipf("%s is not set: this takes a minute; `make soak` runs it", soakEnv)
	}
	testBackups(t, 20)
}

func testBackups(t *testing.T, backups int) {
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, "--data-dir", dir, "--no-demo").ready()
	var (
		mu      sync.Mutex
		written []string
	)
	end := s.writers(func(subject string) {
		post := s.as(subject, `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").at("data.createPost.post.id")
		s.as(subject, fmt.Sprintf(`mutation { likePost(input: {postId: %[1]q}) { post { id } } createComment(input: {postId: %[1]q, content: "c"}) { post { id } } }`, post), "")
		mu.Lock()
		defer mu.Unlock()
		written = append(written, post)
	})
	acknowledged := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return written
	}
	type backup struct {
		dir  string
		made time.Time
		has  []string
	}
	var made []backup
	for i := range backups {
		eventually(t, "more is written", func() bool { return len(acknowledged()) > 30*i })
		b := backup{filepath.Join(t.TempDir(), "backup"), time.Now(), acknowledged()}
		want(t, 0, b.dir, "backup", b.dir, "--data-dir", dir)
		made = append(made, b)
	}
	end()
	if at := s.lastBackup(); at < float64(made[len(made)-1].made.Unix()) {
		t.Errorf("the last backup was made at %v", at)
	}
	s.stop()
	for _, b := range made {
		if len(b.has) == 0 {
			t.Fatal("a backup of nothing")
		}
		want(t, 0, "DRIFTED", "verify", "--data-dir", b.dir)
		restored := start(t, "--data-dir", b.dir, "--no-demo").ready()
		for _, post := range b.has {
			restored.as("", fmt.Sprintf(`{ post(id: %q) { id } }`, post), "").ok().want("data.post.id", post)
		}
		if at := restored.lastBackup(); at != 0 {
			t.Errorf("what was restored says that it was backed up at %v", at)
		}
		restored.stop()
	}
}

var lastBackup = regexp.MustCompile(`(?m)^broadsheet_backup_timestamp_seconds (\S+)$`)

// lastBackup is what the metric says.
func (s *server) lastBackup() float64 {
	s.t.Helper()
	found := lastBackup.FindStringSubmatch(s.get("/metrics").text)
	if found == nil {
		s.t.Fatal("no metric says when there was a backup")
	}
	at, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return at
}

// firstEvent returns the first event of a subscription as server-sent text.
func (s *server) firstEvent(subscription string) string {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	body, err := json.Marshal(map[string]string{"query": subscription})
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/graphql", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found && data != "" {
			return data
		}
	}
	return ""
}

// A follower that is ahead of a backup is told that its cursor is expired, though the backup was served from since, and
// as much was written as is lost; one that is not goes on.
func TestARestoredBackup(t *testing.T) {
	t.Parallel()
	const (
		newPost    = `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`
		newComment = `mutation { createComment(input: {postId: %q, content: "c"}) { comment { id } } }`
	)
	dir, backup := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	s := start(t, "--data-dir", dir, "--no-demo").ready()
	s.as("ann", `mutation { createUser(input: {username: "ann"}) { user { id } } }`, "").ok()
	post := s.as("ann", newPost, "").ok().at("data.createPost.post.id")
	cursors := func(s *server) (subscriptions []string) {
		now := s.as("", fmt.Sprintf(`{ feed { liveCursor } comments(postId: %q) { liveCursor } }`, post), "").ok()
		return []string{
			fmt.Sprintf(`subscription { postCreated(after: %q) { cursor } }`, now.at("data.feed.liveCursor")),
			fmt.Sprintf(`subscription { commentCreated(postId: %q, after: %q) { cursor } }`, post, now.at("data.comments.liveCursor")),
		}
	}
	write := func(s *server) {
		s.as("ann", newPost, "").ok()
		s.as("ann", fmt.Sprintf(newComment, post), "").ok()
	}
	write(s)
	before := cursors(s)
	want(t, 0, backup, "backup", backup, "--data-dir", dir)
	write(s) // which is lost
	ahead := cursors(s)
	s.stop()

	s = start(t, "--data-dir", backup, "--no-demo").ready()
	for range 3 {
		for _, subscription := range ahead {
			if got := s.firstEvent(subscription); !strings.Contains(got, "CURSOR_EXPIRED") {
				t.Errorf("%s: %s", subscription, got)
			}
		}
		write(s)
	}
	for _, subscription := range before {
		if got := s.firstEvent(subscription); strings.Contains(got, "errors") || !strings.Contains(got, "cursor") {
			t.Errorf("%s: %s", subscription, got)
		}
	}
}

// A backup is made where no server runs, too, and refused where it can't be made.
func TestBackupCommand(t *testing.T) {
	t.Parallel()
	dir, backup := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	want(t, 1, "holds no store", "backup", backup, "--data-dir", dir)
	want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", dir)
	want(t, 0, backup, "backup", backup, "--data-dir", dir)
	want(t, 0, "DRIFTED", "verify", "--data-dir", backup)
	want(t, 1, "is there already", "backup", backup, "--data-dir", dir)
	s := start(t, "--data-dir", dir).ready()
	if s.lastBackup() == 0 {
		t.Error("a server that starts knows of no backup")
	}
	want(t, 1, "is there already", "backup", backup, "--data-dir", dir)
	want(t, 1, "name a directory on the file system of", "backup", filepath.Join(dir, "none", "such"), "--data-dir", dir)
	info, err := os.Stat(filepath.Join(dir, "server.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("who may ask for backups: %v, %v", info, err)
	}
	within := filepath.Join(dir, "backup")
	want(t, 0, within, "backup", within, "--data-dir", dir)
	want(t, 0, "DRIFTED", "verify", "--data-dir", within)
	want(t, 1, "a cluster has backups of its own", "backup", backup, "--store", "cassandra", "--cassandra-hosts", "127.0.0.1")
	s.stop()
	if err := os.WriteFile(filepath.Join(dir, "server.sock"), nil, 0o600); err != nil { // as a server leaves that was killed
		t.Fatal(err)
	}
	s = start(t, "--data-dir", dir).ready()
	want(t, 0, backup, "backup", backup+"-2", "--data-dir", dir)
	s.stop()
}
