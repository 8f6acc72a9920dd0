package cassandra_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

const keptFolder = "testdata/kept"

var keep = flag.String("keep", "", "keep data as this program writes it, under a `name`")

// Keyspaces that releases left behind are migrated and opened, answer as they did then,
// are edited and verify; and so does one whose servers died before any copy was written,
// once recovery has finished what their journal says.
func TestKeptData(t *testing.T) {
	t.Parallel()
	if *keep != "" {
		keepData(t, filepath.Join(keptFolder, *keep))
	}
	files, err := filepath.Glob(filepath.Join(keptFolder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d kept keyspaces: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".json")
		kept := storetest.ReadKept(t, file)
		open := func(t *testing.T) (*cassandra.Store, cassandra.Config) {
			t.Helper()
			c := restored(t, name+".cql")
			if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
				t.Fatal(err)
			}
			return testkeyspace.Open(t, c, blog.Options{Clock: storetest.NewClock(kept.Now.Add(time.Hour))}), c
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			store, _ := open(t)
			for _, k := range blog.ReactionKinds {
				if k.Table != blog.LikeClaims && slices.Contains(store.Upkeep().Unbuilt, k.ByUser) {
					t.Errorf("%s is to be built, of truths that are as new", k.ByUser)
				}
			}
			kept.Serves(t, store)
		})
		t.Run(filepath.Base(name)+" recovered", func(t *testing.T) {
			store, c := open(t)
			for _, table := range copyTables {
				testkeyspace.Execute(t, c, "TRUNCATE %s."+string(table))
			}
			entries := undo(t, c)
			must(t, recovered(t.Context(), store))
			must(t, store.Settle(t.Context()))
			if u := store.Upkeep(); entries == 0 || u.Recovered != int64(entries) || u.Undone != 0 {
				t.Errorf("of %d entries recovery reports %+v", entries, u)
			}
			kept.Serves(t, store)
		})
	}
}

// keepData writes a keyspace as CQL, and beside it what is in it.
func keepData(t *testing.T, name string) {
	t.Helper()
	c := testkeyspace.Name(t)
	schema := plannedSchema(t, c)
	if err := migrate.Apply(t.Context(), c.Config, nil); err != nil {
		t.Fatal(err)
	}
	clock := storetest.NewClock(time.Date(2026, time.November, 1, 12, 0, 0, 0, time.UTC))
	store := testkeyspace.Open(t, c, blog.Options{Clock: clock, IDs: blog.NewIDs(clock, storetest.Random(1))})
	kept, err := storetest.FillKept(t.Context(), store, clock)
	dump := strings.Join(append(schema, dumped(t, c)...), ";\n") + ";\n"
	err = errors.Join(err, os.MkdirAll(keptFolder, 0o755), os.WriteFile(name+".cql", []byte(dump), 0o644), kept.Write(name+".json"))
	if err != nil {
		t.Fatal(err)
	}
}

var (
	comment    = regexp.MustCompile(`\s*--.*`)
	fixedTable = regexp.MustCompile(`\s+WITH id = [0-9a-f-]+`)
	created    = regexp.MustCompile(`(CREATE TABLE IF NOT EXISTS|ALTER TABLE|CREATE INDEX IF NOT EXISTS) (\w+)`)
)

// plannedSchema returns the statements that make the schema of a keyspace that does not
// exist yet, with %s for its name.
func plannedSchema(t *testing.T, c cassandra.Config) (all []string) {
	t.Helper()
	plan, err := migrate.Plan(t.Context(), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range plan {
		cql := fixedTable.ReplaceAllString(comment.ReplaceAllString(m.CQL, ""), "")
		if m.Version > 0 {
			cql = created.ReplaceAllString(cql, "$1 %s.$2")
		}
		for _, one := range strings.Split(strings.ReplaceAll(cql, c.Keyspace+".", "%s."), ";") {
			if one = strings.TrimSpace(one); one != "" && !strings.HasPrefix(one, "CREATE KEYSPACE") {
				all = append(all, one)
			}
		}
	}
	return all
}

// restored makes a keyspace of what was dumped.
func restored(t *testing.T, file string) cassandra.Config {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := testkeyspace.Name(t)
	plan, err := migrate.Plan(t.Context(), c.Config)
	if err != nil {
		t.Fatal(err)
	}
	keyspace, _, _ := strings.Cut(plan[0].CQL, ";")
	all := strings.Split(strings.TrimSuffix(string(text), ";\n"), ";\n")
	testkeyspace.Execute(t, c, append([]string{keyspace}, all...)...)
	return c
}

// dumpedColumn is a column of a table that is dumped.
type dumpedColumn struct {
	name, kind, cqlType string
	position            int
}

func (c dumpedColumn) key() bool { return c.kind == "partition_key" || c.kind == "clustering" }

// dumped returns the statements that write each cell of a keyspace at its write time.
func dumped(t *testing.T, c cassandra.Config) (all []string) {
	t.Helper()
	tables := map[string][]dumpedColumn{}
	for _, row := range testkeyspace.Rows(t, c, "SELECT table_name, column_name, kind, position, type FROM system_schema.columns WHERE keyspace_name = '%s'") {
		table := row["table_name"].(string)
		tables[table] = append(tables[table], dumpedColumn{row["column_name"].(string), row["kind"].(string), row["type"].(string), row["position"].(int)})
	}
	for table, columns := range tables {
		slices.SortFunc(columns, func(a, b dumpedColumn) int {
			return cmp.Or(-strings.Compare(a.kind, b.kind), cmp.Compare(a.position, b.position), strings.Compare(a.name, b.name))
		})
		for _, row := range testkeyspace.Rows(t, c, selectCells(table, columns)) {
			all = append(all, writes(t, table, columns, row)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all) // the static cells come with each row
}

func selectCells(table string, columns []dumpedColumn) string {
	var cells []string
	for _, c := range columns {
		cells = append(cells, fmt.Sprintf("toJson(%s) AS value_%s", c.name, c.name))
		if !c.key() {
			cells = append(cells, fmt.Sprintf("WRITETIME(%s) AS time_%s", c.name, c.name))
		}
	}
	return fmt.Sprintf("SELECT %s FROM %%s.%s", strings.Join(cells, ", "), table)
}

// writes returns the statements that write one row: one for each write time.
func writes(t *testing.T, table string, columns []dumpedColumn, row map[string]any) (all []string) {
	t.Helper()
	var partition, key, names, values []string
	rows := map[int64][]string{}
	statics := map[int64][]string{}
	standing := false // the row, not only what is above it
	for _, c := range columns {
		value := literal(t, c.cqlType, row["value_"+c.name].(string))
		at, _ := row["time_"+c.name].(int64)
		set := c.name + " = " + value
		switch {
		case value == "null":
		case c.key():
			names, values, key = append(names, c.name), append(values, value), append(key, set)
			standing = standing || c.kind == "clustering"
			if c.kind == "partition_key" {
				partition = append(partition, set)
			}
		case c.kind == "static":
			statics[at] = append(statics[at], set)
		default:
			rows[at] = append(rows[at], set)
		}
	}
	if standing && len(rows) == 0 {
		all = append(all, fmt.Sprintf("INSERT INTO %%s.%s (%s) VALUES (%s) USING TIMESTAMP 1", table, strings.Join(names, ", "), strings.Join(values, ", ")))
	}
	for at, sets := range statics {
		all = append(all, updated(table, at, sets, partition))
	}
	for at, sets := range rows {
		all = append(all, updated(table, at, sets, key))
	}
	return all
}

func updated(table string, at int64, sets, key []string) string {
	return fmt.Sprintf("UPDATE %%s.%s USING TIMESTAMP %d SET %s WHERE %s", table, at, strings.Join(sets, ", "), strings.Join(key, " AND "))
}

// literal writes a value as CQL that toJson wrote as JSON.
func literal(t *testing.T, cqlType, text string) string {
	t.Helper()
	if text == "null" || text == "" {
		return "null"
	}
	var s string
	switch cqlType {
	case "int", "bigint", "boolean":
		return text
	case "uuid", "blob", "text", "timestamp":
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
	default:
		return "fromJson('" + strings.ReplaceAll(text, "'", "''") + "')"
	}
	if cqlType == "uuid" || cqlType == "blob" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
