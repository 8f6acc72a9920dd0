package embedded

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
)

// TestLosses has a whole table lost and rows of another.
func TestLosses(t *testing.T) {
	t.Parallel()
	s, err := InMemory(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	l := storetest.Losable{Store: s, Loser: loser{s}}
	for _, table := range blog.Tables() {
		if _, lossy := lossy[tables[table]]; lossy {
			l.Tables = append(l.Tables, table)
		}
	}
	storetest.Losses(t, storetest.SoakTimes(t, 20), l)
}

// loser loses rows of a store.
type loser struct{ *Store }

func (l loser) done(t *testing.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

func (l loser) Rows(t *testing.T, table blog.Table) []storetest.LosableRow {
	return l.losable(t, tables[table])
}

func (l loser) Lose(t *testing.T, table blog.Table, rows []storetest.LosableRow) {
	if len(rows) == 0 {
		l.done(t, l.db.DeleteRange([]byte{tables[table].prefix}, []byte{tables[table].prefix + 1}, pebble.Sync))
	}
	for _, row := range rows {
		for _, c := range row.Raw.([]cell) {
			l.done(t, l.db.Delete(c.key, pebble.Sync))
		}
	}
}

func (l loser) Restore(t *testing.T, _ blog.Table, rows []storetest.LosableRow) {
	for _, row := range rows {
		for _, c := range row.Raw.([]cell) {
			l.done(t, l.db.Set(c.key, c.value, pebble.Sync))
		}
	}
}

// losable reads a table, a row each.
func (s *Store) losable(t *testing.T, table *table) (rows []storetest.LosableRow) {
	t.Helper()
	none := decode(string(encode(0, 0))).unread
	for _, c := range s.cells(t, table) {
		k, ok := table.parse(c.key)
		if !ok {
			t.Fatalf("%s: %x", table.name, c.key)
		}
		key := fmt.Sprint(k.values)
		if len(rows) == 0 || rows[len(rows)-1].Key != key {
			rows = append(rows, storetest.LosableRow{Key: key, Stands: !k.static, Raw: []cell(nil)})
		}
		row := &rows[len(rows)-1]
		row.Raw = append(row.Raw.([]cell), c)
		if shown := decode(string(c.value)).unread; shown != none || !slices.ContainsFunc(table.name.Families(), func(g *blog.Family) bool {
			return g.Counts() && g.Cell == k.cell && g.Static() == k.static
		}) { // a count of none is as one that is not there
			row.Shown += fmt.Sprintf("%d %q ", k.cell, shown)
		}
		if table.name.Reaction() != nil && table.name.CountsRows() && row.Stands {
			row.Stands, _ = cells{table: table, values: map[byte]string{k.cell: string(c.value)}}.stands() // or it was taken back
		}
	}
	return rows
}
