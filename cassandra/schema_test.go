package cassandra

import (
	"slices"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"two", "A b;\nC d;", []string{"A b", "C d"}},
		{"no last semicolon", "A b; C d\n", []string{"A b", "C d"}},
		{"comments", "-- one; two\nA -- three;\n b; // four;\n/* five; -- */ C/* */d;", []string{"A \n b", "C d"}},
		{"quotes", `A 'one; -- it''s' "two;";`, []string{`A 'one; -- it''s' "two;"`}},
		{"nothing", " ; -- only a comment", nil},
		{"an open quote", "A 'b", []string{"A 'b"}},
	} {
		if got := statements(c.script); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEveryStatementOfTheSchemaMayBeRunAgain(t *testing.T) {
	for _, m := range migrations() {
		for _, cql := range statements(m.CQL) {
			if !strings.Contains(cql, "IF NOT EXISTS") {
				t.Errorf("migration %d (%s) can't be resumed: %s", m.Version, m.Name, cql)
			}
		}
	}
}

func TestChecksumIsOfWhatAMigrationDoes(t *testing.T) {
	m := Migration{CQL: "CREATE TABLE t (a int, b int); CREATE TABLE u (a int);"}
	for _, c := range []struct {
		name, cql string
		same      bool
	}{
		{"comments and line breaks", "-- a comment\nCREATE TABLE t (a int, -- why\n  b int);\n\nCREATE TABLE u (a int)", true},
		{"another type", "CREATE TABLE t (a int, b text); CREATE TABLE u (a int);", false},
		{"other statements of the same words", "CREATE TABLE t (a int, b int) CREATE TABLE u (a int);", false},
	} {
		if same := m.checksum() == (Migration{CQL: c.cql}).checksum(); same != c.same {
			t.Errorf("%s: same checksum %v, want %v", c.name, same, c.same)
		}
	}
}
