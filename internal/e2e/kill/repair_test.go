package kill

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// A repair that is killed and started again goes on with the tables that it had not done, and counts what it had mended.
func TestKillRepair(t *testing.T) {
	t.Parallel()
	c := testkeyspace.New(t)
	harness.Want(t, 0, "4 users", harness.On(c, "seed", "--users", "4")...)
	lost := map[string]int{}
	for _, table := range []string{"likes_by_post", "comments_by_author", "posts_by_author"} {
		lost[table] = len(testkeyspace.Rows(t, c, "SELECT bucket FROM %s."+table))
		testkeyspace.Execute(t, c, "TRUNCATE %s."+table)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	repair := harness.On(c, "verify", "--repair", "--checkpoint", file, "--audit-concurrency", "1")
	noted := func() string {
		text, _ := os.ReadFile(file)
		return string(text)
	}
	mended := func(table string) int { return strings.Count(noted(), `{"Mended":{"Table":"`+table+`"`) }

	first := program(t, nil, repair...)
	harness.Eventually(t, "some comments are mended", func() bool { return mended("comments_by_author") > 50 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	before := mended("comments_by_author")
	if !strings.Contains(noted(), `"Done":{"Table":"likes_by_post"`) || before >= lost["comments_by_author"] {
		t.Fatalf("killed too early or too late:\n%s", noted())
	}
	// What was done is not read again: this is not noticed.
	testkeyspace.Execute(t, c, "TRUNCATE %s.likes_by_post")

	report := harness.Want(t, 0, "", repair...)
	repaired := map[string]int{}
	for _, line := range regexp.MustCompile(`(?m)^(\w+) +\d+ +\d+ +\d+ +(\d+)$`).FindAllStringSubmatch(report, -1) {
		if _, twice := repaired[line[1]]; twice {
			t.Errorf("%s is reported twice:\n%s", line[1], report)
		}
		repaired[line[1]], _ = strconv.Atoi(line[2])
	}
	for table, n := range lost {
		// One row may have been mended and not been noted.
		if most := 1; repaired[table] > n || repaired[table] < n-most {
			t.Errorf("%s: %d repaired, of %d", table, repaired[table], n)
		}
	}
	t.Logf("killed after %d of %d comments", before, lost["comments_by_author"])
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is there still: %v", err)
	}
	if found := harness.Want(t, 1, "", harness.On(c, "verify")...); unclean.FindString(strings.ReplaceAll(found, "likes_by_post", "")) != "" {
		t.Errorf("more has drifted than was done before:\n%s", found)
	}
}

// program starts the program in a process of its own, until t ends.
func program(t *testing.T, stdout io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Stdout = append(os.Environ(), harness.BeProgram+"=1"), stdout
	alive, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = alive.Close()
	})
	return cmd
}
