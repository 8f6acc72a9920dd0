package auditor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// TestLosses has a whole table lost and rows of another, with backups as old as nodes keep them.
func TestLosses(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	storetest.Losses(t, storetest.SoakTimes(t, 8), storetest.Losable{Store: testkeyspace.Open(t, config, blog.Options{}), Tables: audited, Loser: loser{config}})
}

// loser loses rows of a keyspace.
type loser struct{ config cassandra.Config }

func (l loser) Rows(t *testing.T, table blog.Table) (rows []storetest.LosableRow) {
	at := time.Now().UnixMicro()
	for _, text := range testkeyspace.JSON(t, l.config, table) {
		rows = append(rows, losable(t, table, storedRow{text, at}))
	}
	return rows
}

func (l loser) Lose(t *testing.T, table blog.Table, rows []storetest.LosableRow) {
	cql := []string{"TRUNCATE %s." + string(table)}
	if len(rows) > 0 {
		cql = nil
	}
	for _, row := range rows {
		cql = append(cql, fmt.Sprintf("DELETE FROM %%s.%s USING TIMESTAMP %d WHERE %s", table, row.Raw.(storedRow).at, row.Key))
	}
	testkeyspace.Execute(t, l.config, cql...)
}

func (l loser) Restore(t *testing.T, table blog.Table, rows []storetest.LosableRow) {
	var cql []string
	for _, row := range rows {
		stored := row.Raw.(storedRow)
		cql = append(cql, fmt.Sprintf("%s USING TIMESTAMP %d", testkeyspace.InsertJSON(t, table, stored.text), stored.at+1))
	}
	testkeyspace.Execute(t, l.config, cql...)
}

// storedRow is a row as JSON, and when it was read.
type storedRow struct {
	text string
	at   int64
}

// raised are the columns that a repair raises.
var raised = []string{"stamp", "command_id", "recent_commands"}

func losable(t *testing.T, table blog.Table, stored storedRow) storetest.LosableRow {
	t.Helper()
	var cells map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(stored.text), &cells))
	columns := table.RowKey()
	switch {
	case table == blog.FeedBuckets:
		columns = []string{"feed", "ends_at", "bucket", "shard"}
	case len(columns) == 0:
		t.Fatalf("%s has no key", table)
	}
	columns = slices.Clone(columns)
	if _, split := cells["bucket"]; split && !slices.Contains(columns, "bucket") {
		columns = append(columns, "bucket")
	}
	row := storetest.LosableRow{Raw: stored, Stands: len(standing([]string{stored.text})) > 0}
	for column, dead := range map[string][]string{"content": {"null"}, "title": {"null"}, "liked": {"null", "false"}} { // of a deletion that stays
		row.Stands = row.Stands && !slices.Contains(dead, string(cells[column]))
	}
	var key []string
	for _, column := range columns {
		value := string(cells[column])
		row.Stands = row.Stands && value != "null"
		key = append(key, fmt.Sprintf("%s = fromJson('%s')", column, strings.ReplaceAll(value, "'", "''")))
	}
	row.Key = strings.Join(key, " AND ")
	for _, column := range raised {
		delete(cells, column)
	}
	if table.CountsRows() { // the guard of the count
		delete(cells, "version")
	}
	for _, g := range table.Families() {
		if column := g.Columns[0].Name; g.Counts() && string(cells[column]) == "0" { // as where none is
			cells[column] = json.RawMessage("null")
		}
	}
	shown, err := json.Marshal(cells)
	must(t, err)
	row.Shown = string(shown)
	return row
}
