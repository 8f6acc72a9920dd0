package cassandra

import (
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

// The statements that read copies name exactly the columns that the groups have, in
// the order in which they are scanned.
func TestCopyTablesReadEveryGroup(t *testing.T) {
	seen := map[blog.Table]bool{}
	for _, read := range copyTables {
		table := read.scan.Table
		seen[table] = true
		columns, cells := scanned(table), scanned(table)[len(table.RowKey()):]
		for _, more := range []column{read.gone, read.dead} {
			if more != "" {
				columns = append(columns, string(more))
			}
		}
		wantSelect(t, read.scan, columns, nil)
		wantSelect(t, read.row, columns, cells)
		above := staticColumns(table)
		if (read.head.Text != "") != (len(above) > 0) {
			t.Errorf("%s: above its rows stand %v, read by %q", table, above, read.head.Text)
		}
		if len(above) > 0 {
			wantSelect(t, read.head, append(table.RowKey()[:len(table.RowKey()):len(table.RowKey())], above...), above)
		}
	}
	for _, g := range blog.Groups() {
		if !seen[g.Table] {
			t.Errorf("the copies in %s are not read", g.Table)
		}
	}
}

func wantSelect(t *testing.T, st cql.Statement, columns, timed []string) {
	t.Helper()
	for _, column := range timed {
		columns = append(columns[:len(columns):len(columns)], "WRITETIME("+column+")")
	}
	want := "SELECT " + strings.Join(columns, ", ") + " FROM " + string(st.Table) + " WHERE "
	if !strings.HasPrefix(st.Text, want) {
		t.Errorf("%s is read by\n%s, want\n%s…", st.Table, st.Text, want)
	}
}
