package cassandra

import (
	"strings"
	"testing"

	"broadsheet/blog"
)

func TestEveryGroupHasItsStatement(t *testing.T) {
	for _, g := range blog.Groups() {
		upsert, ok := upserts[g]
		if !ok {
			t.Errorf("%s %v: no statement writes it", g.Table, g.Columns)
			continue
		}
		columns := strings.Join(g.Columns.Names(), " = ?, ") + " = ?"
		key := g.Key[len(g.Key)-1] + " = ?"
		want := "UPDATE " + string(g.Table) + " USING TIMESTAMP ? SET " + columns + " WHERE "
		if upsert.Table != g.Table || !strings.HasPrefix(upsert.Text, want) || !strings.Contains(upsert.Text, key) {
			t.Errorf("%s: the statement is\n%s\nand should begin with\n%s", g.Table, upsert.Text, want)
		}
		if n := strings.Count(upsert.Text, "?"); n != 1+len(g.Columns)+len(g.Key) {
			t.Errorf("%s %v: %d arguments, want %d", g.Table, g.Columns, n, 1+len(g.Columns)+len(g.Key))
		}
		remove, ok := deletes[g]
		if ok != g.Row {
			t.Errorf("%s %v: a group that makes the row, and no other, has a deletion", g.Table, g.Columns)
		}
		if ok && (remove.Table != g.Table || strings.Count(remove.Text, "?") != 1+len(g.Key)) {
			t.Errorf("%s: the deletion is %s", g.Table, remove.Text)
		}
	}
}
