package cassandra

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

// The statements that read copies name exactly the columns that the groups have, in
// the order in which they are scanned.
func TestCopyTablesReadEveryGroup(t *testing.T) {
	seen := map[blog.Table]bool{}
	for _, read := range copyTables {
		table := read.scan.table
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
		if (read.head.cql != "") != (len(above) > 0) {
			t.Errorf("%s: above its rows stand %v, read by %q", table, above, read.head.cql)
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

func wantSelect(t *testing.T, st statement, columns, timed []string) {
	t.Helper()
	for _, column := range timed {
		columns = append(columns[:len(columns):len(columns)], "WRITETIME("+column+")")
	}
	want := "SELECT " + strings.Join(columns, ", ") + " FROM " + string(st.table) + " WHERE "
	if !strings.HasPrefix(st.cql, want) {
		t.Errorf("%s is read by\n%s, want\n%s…", st.table, st.cql, want)
	}
}
