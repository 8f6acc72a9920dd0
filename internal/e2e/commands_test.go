package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

func TestSeedThenVerify(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	said := harness.Want(t, 0, "5 users, ", "seed", "--users", "5", "--data-dir", dir)
	if !regexp.MustCompile(`^5 users, \d+ posts, \d+ comments, \d+ likes in \S+: \d+ commands a second\n$`).MatchString(said) {
		t.Errorf("seed says %q", said)
	}
	report := harness.Want(t, 0, "DRIFTED", "verify", "--data-dir", dir)
	for _, table := range []string{"users_by_username", "feed_by_bucket", "likes_by_user"} {
		if !regexp.MustCompile(`(?m)^` + table + ` +[1-9]\d* +0 +0$`).MatchString(report) {
			t.Errorf("verify says nothing good of %s:\n%s", table, report)
		}
	}
	harness.Want(t, 1, "the store holds data already", "seed", "--users", "5", "--data-dir", dir)

	s := harness.Start(t, "--data-dir", dir).Ready()
	s.As("alice", `{ viewer { username } }`, "").OK().Want("data.viewer.username", "alice")
	if strings.Contains(s.Log.String(), "demo") {
		t.Errorf("a demo in a store that holds data: %s", s.Log.String())
	}
	if posts := total(s); !strings.Contains(said, ", "+strconv.Itoa(posts)+" posts,") {
		t.Errorf("the feed has %d posts, seed said: %s", posts, said)
	}
}

func TestSeedShowsItsProgress(t *testing.T) {
	t.Parallel()
	_, _, shown := harness.Command(t, "seed", "--users", "2", "--data-dir", t.TempDir())
	if !strings.Contains(shown, "seeding 100%") || !strings.Contains(shown, "commands/s") {
		t.Errorf("the progress: %q", shown)
	}
}

func TestUser(t *testing.T) {
	t.Parallel()
	for _, beside := range []bool{false, true} {
		t.Run(fmt.Sprintf("beside a server %v", beside), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			harness.Want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", dir)
			if beside {
				harness.Start(t, "--data-dir", dir).Ready()
			}
			testUser(t, dir)
		})
	}
}

func testUser(t *testing.T, dir string) {
	byName := harness.Want(t, 0, "alice@example.org", "user", "--username", "ALICE", "--data-dir", dir)
	var alice struct{ ID, UUID, Subject, Username, Email string }
	if err := json.Unmarshal([]byte(byName), &alice); err != nil {
		t.Fatal(err)
	}
	if alice.Subject != "alice" || alice.Username != "alice" || alice.ID == "" {
		t.Errorf("alice is %+v", alice)
	}
	for _, key := range [][]string{{"--id", alice.ID}, {"--id", alice.UUID}, {"--email", "Alice@Example.org"}} {
		if got := harness.Want(t, 0, "", "user", key[0], key[1], "--data-dir", dir); got != byName {
			t.Errorf("%v: %s, want %s", key, got, byName)
		}
	}
	for command, suspended := range map[string]string{"suspend": "true", "restore": "false"} {
		harness.Want(t, 0, `"suspended": `+suspended, "user", command, "--username", "alice", "--data-dir", dir)
		harness.Want(t, 1, "there is no such user", "user", command, "--username", "nobody_here", "--data-dir", dir)
		harness.Want(t, 0, "", "verify", "--data-dir", dir)
	}
	for _, c := range []struct{ command, moderator string }{{"promote", "true"}, {"promote", "true"}, {"demote", "false"}} {
		harness.Want(t, 0, `"moderator": `+c.moderator, "user", c.command, "--id", alice.ID, "--data-dir", dir)
		harness.Want(t, 0, `"moderator": `+c.moderator, "user", "--username", "alice", "--data-dir", dir)
		harness.Want(t, 1, "there is no such user", "user", c.command, "--username", "nobody_here", "--data-dir", dir)
	}
	harness.Want(t, 0, `"subject": "alice at the new issuer"`, "user", "relink", "--username", "alice", "--to-subject", "alice at the new issuer", "--data-dir", dir)
	harness.Want(t, 1, "already has an account", "user", "relink", "--username", "alice", "--to-subject", "bob", "--data-dir", dir)
	harness.Want(t, 2, "missing flags: --to-subject=SUBJECT", "user", "relink", "--username", "alice", "--data-dir", dir)
	harness.Want(t, 0, `"emailVerified": false`, "user", "unverify-email", "--email", "alice@example.org", "--data-dir", dir)
	harness.Want(t, 1, "there is no such user", "user", "--email", "alice@example.org", "--data-dir", dir)
	harness.Want(t, 0, `"emailVerified": true`, "user", "verify-email", "--username", "alice", "--data-dir", dir)
	harness.Want(t, 0, "alice@example.org", "user", "--email", "alice@example.org", "--data-dir", dir)
	harness.Want(t, 0, "", "verify", "--data-dir", dir)
	harness.Want(t, 1, "there is no such user", "user", "--username", "nobody_here", "--data-dir", dir)
	harness.Want(t, 1, "--id is not an id of this API", "user", "--id", "garbage", "--data-dir", dir)
	harness.Want(t, 2, "--id=ID or --username=NAME or --email=ADDRESS", "user", "--data-dir", dir)
	harness.Want(t, 2, "can't be used together", "user", "--id", "x", "--username", "y", "--data-dir", dir)
}

// Who mistypes a directory learns it, rather than that all is well in a new one.
func TestCommandsThatOnlyLookMakeNoStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mistyped")
	harness.Want(t, 1, dir+" holds no store: name the directory of one by --data-dir", "verify", "--data-dir", dir)
	harness.Want(t, 1, dir+" holds no store", "user", "--username", "alice", "--data-dir", dir)
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was made nevertheless")
	}
	harness.Want(t, 1, "holds no store", "verify", "--data-dir", t.TempDir())
}

func TestSchemaAndVersion(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile(filepath.Join(harness.Repository, "schema.graphqls"))
	if err != nil {
		t.Fatal(err)
	}
	if got := harness.Want(t, 0, "", "schema"); got != string(file) {
		t.Error("schema prints something else than schema.graphqls")
	}
	if got := harness.Want(t, 0, "", "version"); !regexp.MustCompile(`^broadsheet \S+ \(commit \w+, go\S+\)\n$`).MatchString(got) {
		t.Errorf("version prints %q", got)
	}
}

func TestVerifyAndRebuild(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	harness.Want(t, 0, "2 users", "seed", "--users", "2", "--data-dir", dir)
	harness.Want(t, 0, "REPAIRED", "verify", "--repair", "--audit-rate", "1000000", "--data-dir", dir)
	said := harness.Want(t, 0, "rows were written", "rebuild", "posts_by_author", "--data-dir", dir)
	if !regexp.MustCompile(`(?m)^posts_by_author: [1-9]\d* rows were written$`).MatchString(said) ||
		!regexp.MustCompile(`(?m)^posts_by_author +[1-9]\d* +0 +0 +0$`).MatchString(said) {
		t.Errorf("rebuild says %q", said)
	}
	harness.Want(t, 2, "--force and --checkpoint say how --repair goes", "verify", "--force", "--data-dir", dir)
	harness.Want(t, 0, "REPAIRED", "verify", "--repair", "--force", "--data-dir", dir)
	harness.Want(t, 1, "posts_by_id can't be rebuilt", "rebuild", "posts_by_id", "--data-dir", dir)
	harness.Want(t, 1, "posts_by_author", "rebuild", "no_such_table", "--data-dir", dir)
	harness.Want(t, 2, "--audit-concurrency must be at least 1", "verify", "--audit-concurrency", "0", "--data-dir", dir)
}
