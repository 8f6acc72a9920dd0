package house

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
)

// A backup has each truth later than what follows from it: deploy/backup.sh knows what each table is. It takes those
// that it does not name for copies.
func TestABackupTakesTruthsLast(t *testing.T) {
	named := func(group string) []string {
		line := regexp.MustCompile(`(?m)^` + group + `='(.*)'$`).FindStringSubmatch(text(t, "deploy/backup.sh"))
		if line == nil {
			t.Fatalf("deploy/backup.sh has no %s", group)
		}
		return strings.Fields(line[1])
	}
	var truths, claims, marks []string
	for _, s := range slices.Backward(blog.Subjects) { // what is counted before what it is counted at
		truths = append(truths, string(s.Table))
	}
	for _, k := range blog.UniqueKeys {
		claims = append(claims, string(k.Claims))
	}
	for _, table := range blog.Tables() {
		name := string(table)
		if !slices.Contains(blog.Rebuildable(), table) && table.Declaration().Replaces == "" && !slices.Contains(truths, name) && !slices.Contains(claims, name) {
			marks = append(marks, name)
		}
	}
	got := slices.Concat(named("marks"), named("omitted"))
	for _, c := range []struct{ got, want []string }{
		{named("truths"), truths},
		{slices.Sorted(slices.Values(named("claims"))), slices.Sorted(slices.Values(claims))},
		{slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(marks))},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("deploy/backup.sh names %v, the tables are %v", c.got, c.want)
		}
	}
}
