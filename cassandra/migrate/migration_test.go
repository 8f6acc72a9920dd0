package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
)

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"two", "A b;\nC d;", []string{"A b", "C d"}},
		{"no last semicolon", "A b; C d\n", []string{"A b", "C d"}},
		{"comments", "-- one; two\nA -- three;\n b; C d;", []string{"A \n b", "C d"}},
		{"nothing", " ; -- only a comment", nil},
	} {
		if got := statements(c.script); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEveryStatementOfTheSchemaMayBeRunAgain(t *testing.T) {
	for _, m := range migrations() {
		for _, cql := range statements(m.CQL) {
			if settings := strings.HasPrefix(cql, "ALTER TABLE ") && strings.Contains(cql, " WITH "); !settings && !strings.Contains(cql, "IF NOT EXISTS") {
				t.Errorf("migration %d (%s) can't be resumed: %s", m.Version, m.Name, cql)
			}
			if strings.Count(cql, "'")%2 != 0 || strings.ContainsAny(cql, `"/`) {
				t.Errorf("migration %d (%s): no semicolon or comment in quotes, and no comment but --: %s", m.Version, m.Name, cql)
			}
		}
	}
}

// An older program knows no more of a migration than its name: by that it says which table it does not write.
func TestAMigrationThatMakesATableHasItsName(t *testing.T) {
	made := regexp.MustCompile(`CREATE TABLE IF NOT EXISTS (\w+)`)
	for _, m := range migrations() {
		for _, table := range made.FindAllStringSubmatch(m.CQL, -1) {
			if table[1] != m.Name {
				t.Errorf("migration %d (%s) makes %s: have one of that name make it", m.Version, m.Name, table[1])
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

// From this one on a migration says in its file which programs run on it.
const firstThatSays = 22

func TestEveryMigrationSaysWhichProgramsItServes(t *testing.T) {
	for _, m := range migrations() {
		if said := servesLine.MatchString(m.CQL); !said && m.Version >= firstThatSays {
			t.Errorf("migration %d (%s) lacks a line `-- serves: N`: the last migration of the oldest program that runs on the schema with it, "+
				"%d where it only adds, and the programs before need not know of it", m.Version, m.Name, firstThatSays-1)
		}
	}
}

func TestDeclared(t *testing.T) {
	for text, want := range map[string]int{
		"-- A column.\n-- serves: 21\nALTER TABLE t ADD a int;":  21,
		"-- serves: 25\nDROP TABLE t;":                           25,
		"DROP TABLE t; -- serves: 3":                             25, // not a line of its own
		"-- Whatever it serves: nothing is said.\nDROP TABLE t;": 25,
	} {
		if got := declared(25, text); got != want {
			t.Errorf("%q serves %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"-- serves: 26", "-- serves: 0"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("migration 25 may say %q", text)
				}
			}()
			declared(25, text)
		}()
	}
}

// A program of so many migrations meets a record with more.
func TestReconcile(t *testing.T) {
	all := migrations()
	known := len(all)
	record := func(more ...*int) map[int]appliedMigration {
		rows := map[int]appliedMigration{}
		for _, m := range all {
			rows[m.Version] = appliedMigration{m.Name, m.checksum(), time.Now(), &m.Serves}
		}
		for i, serves := range more {
			rows[known+1+i] = appliedMigration{"later", "x", time.Now(), serves}
		}
		return rows
	}
	before, now, next := known-1, known, known+1
	for _, c := range []struct {
		name    string
		more    []*int
		refused string // by a sentence on this migration
	}{
		{"nothing more", nil, ""},
		{"one that serves it", []*int{&now}, ""},
		{"one that serves older ones, too", []*int{&before}, ""},
		{"two that serve it", []*int{&now, &before}, ""},
		{"one that does not", []*int{&next}, fmt.Sprintf("migration %d (later)", next)},
		{"one that says nothing", []*int{nil}, fmt.Sprintf("migration %d (later)", next)},
		{"one that serves it after one that does not", []*int{&next, &now}, fmt.Sprintf("migration %d (later)", next)},
		{"one that does not after one that serves it", []*int{&now, &next}, fmt.Sprintf("migration %d (later)", next+1)},
	} {
		found, err := reconcile(all, record(c.more...))
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || len(newer(found)) != len(c.more) || len(pending(found)) > 0 {
			t.Errorf("%s: %+v, %v", c.name, newer(found), err)
		}
		if _, newest, some := Serves(append([]Migration{{Applied: true}}, found...)); !some || newest != known+len(c.more) {
			t.Errorf("%s: the newest program that is served is %d", c.name, newest)
		}
	}
}

func TestServes(t *testing.T) {
	step := func(version, serves int, applied bool) Migration {
		return Migration{Version: version, Serves: serves, Applied: applied}
	}
	first := step(0, 0, true)
	for _, c := range []struct {
		name           string
		all            []Migration
		oldest, newest int
		some           bool
	}{
		{"an empty keyspace", []Migration{step(0, 0, false), step(1, 1, false)}, 0, 0, false},
		{"all applied, none says more", []Migration{first, step(1, 1, true), step(2, 2, true)}, 2, 2, true},
		{"the last only adds", []Migration{first, step(1, 1, true), step(2, 1, true)}, 1, 2, true},
		{"one takes away what the last two do without", []Migration{first, step(1, 1, true), step(2, 1, true), step(3, 1, true), step(4, 2, true)}, 2, 4, true},
		{"one lacks", []Migration{first, step(1, 1, true), step(2, 1, false)}, 1, 1, true},
		{"one lacks before one that was applied", []Migration{first, step(1, 1, true), step(2, 1, false), step(3, 1, true)}, 1, 1, true},
		{"one lacks that the next needs", []Migration{first, step(1, 1, true), step(2, 1, false), step(3, 2, true)}, 2, 1, false},
	} {
		oldest, newest, some := Serves(c.all)
		if some != c.some || some && (oldest != c.oldest || newest != c.newest) {
			t.Errorf("%s: %d to %d, %v", c.name, oldest, newest, some)
		}
	}
}

// A table that is made anew has the columns that it was given since.
func TestTheHistoryOfATable(t *testing.T) {
	history := tableHistory(blog.FeedBuckets)
	if len(history) != 2 || !strings.HasPrefix(history[0], "CREATE TABLE IF NOT EXISTS feed_buckets") || !strings.HasPrefix(history[1], "ALTER TABLE feed_buckets ADD") {
		t.Errorf("%q", history)
	}
	for _, table := range blog.Rebuildable() {
		if history := tableHistory(table); len(history) == 0 || !strings.HasPrefix(history[0], "CREATE TABLE") {
			t.Errorf("%s is made by %q", table, history)
		}
	}
}
