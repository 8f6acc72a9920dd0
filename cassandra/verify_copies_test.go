package cassandra

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

// The statements that read copies name exactly the columns that the groups have, in
// the order in which they are scanned.
func TestScanCopiesReadsEveryGroup(t *testing.T) {
	seen := map[blog.Table]bool{}
	for _, scan := range scanCopies {
		seen[scan.table] = true
		columns := scanned(groupsOf(scan.table))
		if scan.gone != "" {
			columns = append(columns, string(scan.gone))
		}
		want := "SELECT " + strings.Join(columns, ", ") + " FROM " + string(scan.table)
		if scan.cql != want {
			t.Errorf("%s is read by\n%s, want\n%s", scan.table, scan.cql, want)
		}
	}
	for _, g := range blog.Groups() {
		if !seen[g.Table] {
			t.Errorf("the copies in %s are not read", g.Table)
		}
	}
}
