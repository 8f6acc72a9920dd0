package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
)

// Backups of a server under write can be restored, verify, and have all that was acknowledged before they began.
func TestBackups(t *testing.T) {
	t.Parallel()
	testBackups(t, 3)
}

// TestSoakBackups is TestBackups with more of them.
func TestSoakBackups(t *testing.T) {
	storetest.Soaks(t)
	testBackups(t, 20)
}

func testBackups(t *testing.T, backups int) {
	dir := filepath.Join(t.TempDir(), "data")
	s := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	var (
		mu      sync.Mutex
		written []string
	)
	end := writersOf(s, func(subject string) {
		post := s.As(subject, `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").At("data.createPost.post.id")
		s.As(subject, fmt.Sprintf(`mutation { likePost(input: {postId: %[1]q}) { post { id } } createComment(input: {postId: %[1]q, content: "c"}) { post { id } } }`, post), "")
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
		harness.Eventually(t, "more is written", func() bool { return len(acknowledged()) > 30*i })
		b := backup{filepath.Join(t.TempDir(), "backup"), time.Now(), acknowledged()}
		harness.Want(t, 0, b.dir, "backup", b.dir, "--data-dir", dir)
		made = append(made, b)
	}
	end()
	if at := lastBackupOf(s); at < float64(made[len(made)-1].made.Unix()) {
		t.Errorf("the last backup was made at %v", at)
	}
	s.Stop()
	for _, b := range made {
		if len(b.has) == 0 {
			t.Fatal("a backup of nothing")
		}
		again := filepath.Join(t.TempDir(), "again")
		harness.Want(t, 0, "DRIFTED", "restore", b.dir, "--data-dir", again)
		restored := harness.Start(t, "--data-dir", again, "--no-demo").Ready()
		for _, post := range b.has {
			restored.As("", fmt.Sprintf(`{ post(id: %q) { id } }`, post), "").OK().Want("data.post.id", post)
		}
		if at := lastBackupOf(restored); at != 0 {
			t.Errorf("what was restored says that it was backed up at %v", at)
		}
		restored.Stop()
	}
}

var lastBackup = regexp.MustCompile(`(?m)^broadsheet_backup_timestamp_seconds (\S+)$`)

// lastBackup is what the metric says.
func lastBackupOf(s *harness.Server) float64 {
	s.T.Helper()
	found := lastBackup.FindStringSubmatch(s.Get("/metrics").Text)
	if found == nil {
		s.T.Fatal("no metric says when there was a backup")
	}
	at, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		s.T.Fatal(err)
	}
	return at
}

// firstEvent returns the first event of a subscription as server-sent text.
func firstEventOf(s *harness.Server, subscription string) string {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	defer cancel()
	body, err := json.Marshal(map[string]string{"query": subscription})
	if err != nil {
		s.T.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/graphql", bytes.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := s.Client.Do(request)
	if err != nil {
		s.T.Fatal(err)
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
	s := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } } }`, "").OK()
	post := s.As("ann", newPost, "").OK().At("data.createPost.post.id")
	cursors := func(s *harness.Server) (subscriptions []string) {
		now := s.As("", fmt.Sprintf(`{ feed { liveCursor } comments(postId: %q) { liveCursor } }`, post), "").OK()
		return []string{
			fmt.Sprintf(`subscription { postCreated(after: %q) { cursor } }`, now.At("data.feed.liveCursor")),
			fmt.Sprintf(`subscription { commentCreated(postId: %q, after: %q) { cursor } }`, post, now.At("data.comments.liveCursor")),
		}
	}
	write := func(s *harness.Server) {
		s.As("ann", newPost, "").OK()
		s.As("ann", fmt.Sprintf(newComment, post), "").OK()
	}
	write(s)
	before := cursors(s)
	harness.Want(t, 0, backup, "backup", backup, "--data-dir", dir)
	write(s) // which is lost
	ahead := cursors(s)
	s.Stop()

	s = harness.Start(t, "--data-dir", backup, "--no-demo").Ready()
	for range 3 {
		for _, subscription := range ahead {
			if got := firstEventOf(s, subscription); !strings.Contains(got, "CURSOR_EXPIRED") {
				t.Errorf("%s: %s", subscription, got)
			}
		}
		write(s)
	}
	for _, subscription := range before {
		if got := firstEventOf(s, subscription); strings.Contains(got, "errors") || !strings.Contains(got, "cursor") {
			t.Errorf("%s: %s", subscription, got)
		}
	}
}

// A backup is made where no server runs, too, and refused where it can't be made.
func TestBackupCommand(t *testing.T) {
	t.Parallel()
	dir, backup := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backup")
	harness.Want(t, 1, "holds no store", "backup", backup, "--data-dir", dir)
	harness.Want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", dir)
	harness.Want(t, 0, backup, "backup", backup, "--data-dir", dir)
	harness.Want(t, 0, "DRIFTED", "verify", "--data-dir", backup)
	harness.Want(t, 1, "is there already", "backup", backup, "--data-dir", dir)
	s := harness.Start(t, "--data-dir", dir).Ready()
	if lastBackupOf(s) == 0 {
		t.Error("a server that starts knows of no backup")
	}
	harness.Want(t, 1, "is there already", "backup", backup, "--data-dir", dir)
	harness.Want(t, 1, "name a directory on the file system of", "backup", filepath.Join(dir, "none", "such"), "--data-dir", dir)
	info, err := os.Stat(filepath.Join(dir, "server.sock"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("who may ask for backups: %v, %v", info, err)
	}
	within := filepath.Join(dir, "backup")
	harness.Want(t, 0, within, "backup", within, "--data-dir", dir)
	harness.Want(t, 0, "DRIFTED", "verify", "--data-dir", within)
	harness.Want(t, 1, "a cluster has backups of its own", "backup", backup, "--store", "cassandra", "--cassandra-hosts", "127.0.0.1")
	s.Stop()
	if err := os.WriteFile(filepath.Join(dir, "server.sock"), nil, 0o600); err != nil { // as a server leaves that was killed
		t.Fatal(err)
	}
	s = harness.Start(t, "--data-dir", dir).Ready()
	harness.Want(t, 0, backup, "backup", backup+"-2", "--data-dir", dir)
	s.Stop()
}

// A backup is restored to where nothing is, once a copy of it is verified, and stays as it is.
func TestRestoreCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, backup := filepath.Join(dir, "data"), filepath.Join(dir, "backup")
	restore := func(code int, text string) {
		t.Helper()
		harness.Want(t, code, text, "restore", backup, "--data-dir", data)
		if parts, err := filepath.Glob(filepath.Join(dir, "*.part*")); len(parts) > 0 || err != nil {
			t.Errorf("left behind: %v, %v", parts, err)
		}
	}
	harness.Want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", data)
	restore(2, "backup") // which is not there
	harness.Want(t, 0, backup, "backup", backup, "--data-dir", data)
	restore(1, data+" is there already")
	harness.Want(t, 1, "a cluster has backups of its own", "restore", backup, "--store", "cassandra", "--cassandra-hosts", "127.0.0.1")

	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.RemoveAll(data))
	harness.Want(t, 1, "lies in the backup", "restore", backup, "--data-dir", filepath.Join(backup, "data"))
	must(os.Mkdir(data+".part", 0o700))
	harness.Want(t, 1, "of a restore that was cut off", "restore", backup, "--data-dir", data)
	must(os.Remove(data + ".part"))
	before := contents(t, backup)
	restore(0, "DRIFTED")
	if after := contents(t, backup); !maps.Equal(after, before) {
		t.Error("the backup is another one after it was restored")
	}
	harness.Want(t, 0, "DRIFTED", "verify", "--data-dir", data)

	must(os.RemoveAll(data))
	for name, text := range before {
		file := filepath.Join(backup, name)
		must(os.Remove(file))
		harness.Want(t, 1, "", "restore", backup, "--data-dir", data)
		if text != "" {
			torn := []byte(text)
			torn[len(torn)*97/100] ^= 4
			for _, damage := range [][]byte{torn, []byte(text)[:len(text)*97/100], nil} {
				must(os.WriteFile(file, damage, 0o600))
				harness.Want(t, 1, "", "restore", backup, "--data-dir", data)
			}
		}
		must(os.WriteFile(file, []byte(text), 0o600))
	}
	sums, whole := filepath.Join(backup, "SHA256SUMS"), before["SHA256SUMS"]
	last := whole[strings.LastIndexByte(strings.TrimSuffix(whole, "\n"), '\n')+1:]
	for wrong, text := range map[string]string{"is no file of the backup": last, "lacks": whole + strings.Repeat("0", 64) + "  ../secret\n"} {
		must(os.WriteFile(sums, []byte(text), 0o600))
		restore(1, wrong)
	}
	must(os.WriteFile(sums, []byte(whole), 0o600))
	must(os.WriteFile(filepath.Join(backup, "000099.sst"), nil, 0o600))
	restore(1, "is no file of the backup")
	must(os.Remove(filepath.Join(backup, "000099.sst")))
	restore(0, "DRIFTED")

	s := harness.Start(t, "--data-dir", backup, "--no-demo").Ready()
	must(os.RemoveAll(data))
	restore(1, "was opened since")
	s.Stop()
	before = contents(t, backup)
	largest := slices.MaxFunc(slices.Collect(maps.Keys(before)), func(a, b string) int { return cmp.Compare(len(before[a]), len(before[b])) })
	torn := []byte(before[largest])
	for at := len(torn) / 4; at < len(torn); at += 100 {
		torn[at] ^= 1
	}
	must(os.WriteFile(filepath.Join(backup, largest), torn, 0o600))
	restore(1, "nothing is restored")
	must(os.Remove(filepath.Join(backup, "BROADSHEET")))
	restore(1, "is no backup")
}

// A server whose directory was moved away, and has another in its place, leaves that its server's socket.
func TestTheSocketOfAnother(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	moved := harness.LaunchProcess(t, "--data-dir", dir) // a store that finds itself moved holds its files until its process ends
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	harness.Start(t, "--data-dir", dir+".new", "--no-demo").Ready().Stop()
	if err := os.Rename(dir+".new", dir); err != nil {
		t.Fatal(err)
	}
	harness.LaunchProcess(t, "--data-dir", dir)
	moved.Terminate()
	<-moved.Ended
	harness.Want(t, 0, dir+".backup", "backup", dir+".backup", "--data-dir", dir)
}

// A backup that was made while an account was erased is restored, and the erasure with it is ended.
func TestRestoreDuringAnErasure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, backup, again := filepath.Join(dir, "data"), filepath.Join(dir, "backup"), filepath.Join(dir, "again")
	s := harness.Start(t, "--data-dir", data, "--no-demo", "--limit=work=0").Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } } }`, "").OK()
	for range 300 {
		s.As("ann", `mutation { createPost(input: {title: "T", content: "c"}) { post { id } } }`, "").OK()
	}
	s.As("ann", `mutation { deleteAccount(input: {username: "ann"}) { deletedId } }`, "").OK()
	harness.Want(t, 0, backup, "backup", backup, "--data-dir", data)
	s.Stop()
	t.Log(harness.Want(t, 0, "DRIFTED", "restore", backup, "--data-dir", again))
	s = harness.Start(t, "--data-dir", again, "--no-demo").Ready()
	s.As("", `{ feed { edges { node { id } } } }`, "").OK().Want("data.feed.edges", "[]")
}

// A backup that an older program made, which has fewer tables, is restored as well.
func TestRestoreAnOlderBackup(t *testing.T) {
	t.Parallel()
	backup, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	if out, err := exec.CommandContext(t.Context(), "tar", "xzf", "embedded/testdata/kept/2026-11.tar.gz", "-C", backup).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	harness.Want(t, 0, "DRIFTED", "restore", backup, "--data-dir", data)
}

// contents reads the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(filepath.Join(dir, name))
			all[name] = string(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
