package tables

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const golden = "testdata/statements.cql"

// The statements are made of blog.Declarations as the program starts; the golden file has them to be read, and
// a change of one to be read in the diff.
func TestStatementsAreThoseOfTheGoldenFile(t *testing.T) {
	var text strings.Builder
	for _, d := range blog.Declarations {
		families := d.Table.Families()
		if len(families) == 0 {
			continue
		}
		fmt.Fprintf(&text, "-- The copies in %s.\n", d.Table)
		for _, g := range families {
			write(&text, "upsert", copies[g].upsert)
			if st := copies[g].delete; st.Text != "" {
				write(&text, "delete", st)
			}
		}
		if st, ok := Clears[d.Table]; ok {
			write(&text, "clear", st)
		}
		eachStatement(&text, ReadsOf[d.Table])
		for _, of := range blog.Subjects {
			for _, st := range BelowParent[of.Parent] {
				if st.Table == d.Table && of == d.About {
					write(&text, "below a "+of.Parent.Noun, st)
				}
			}
		}
		eachStatement(&text, Lists[d.Table])
	}
	for _, k := range blog.UniqueKeys {
		fmt.Fprintf(&text, "-- The users of a %s.\n", k.Name)
		write(&text, "card", Cards[k])
	}
	for _, d := range blog.Declarations {
		if d.Table.CountsRows() {
			fmt.Fprintf(&text, "-- The rows that %s counts.\n", d.Table)
			eachStatement(&text, Counting[d.Table])
			eachStatement(&text, Counting[d.Table].CountAudit)
		}
	}
	for _, k := range blog.ReactionKinds {
		fmt.Fprintf(&text, "-- The claims of %s.\n", k.Them)
		eachStatement(&text, Reactions[k])
	}
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		now, then := strings.Split(text.String(), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(now), len(then)) {
			if now[i] != then[i] {
				t.Errorf("%s:%d has\n%s\nand the statement is\n%s", golden, i+1, then[i], now[i])
				break
			}
		}
		t.Errorf("statements have changed: go test ./cassandra/tables -run %s -update, and read the diff", t.Name())
	}
}

// eachStatement writes the statements of a struct by the names of its fields.
func eachStatement(text *strings.Builder, of any) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if st, ok := v.Field(i).Interface().(cql.Statement); ok && st.Text != "" {
			write(text, v.Type().Field(i).Name, st)
		}
	}
}

// write writes a statement, each clause on a line.
func write(text *strings.Builder, name string, st cql.Statement) {
	clauses := strings.NewReplacer(" FROM ", "\n  FROM ", " SET ", "\n  SET ", " WHERE ", "\n  WHERE ", " IF ", "\n  IF ", " ORDER BY ", "\n  ORDER BY ")
	fmt.Fprintf(text, "-- %s\n%s;\n\n", name, clauses.Replace(st.Text))
}
