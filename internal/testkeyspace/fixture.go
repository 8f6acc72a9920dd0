package testkeyspace

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/audit"
)

// InTurn makes a keyspace for tests that damage rows, or look at the whole feed or journal, and returns what
// runs them, one after the other.
func InTurn(t *testing.T) (run func(name string, test func(t *testing.T, config cassandra.Config))) {
	config := New(t)
	return func(name string, test func(*testing.T, cassandra.Config)) {
		t.Run(name, func(t *testing.T) { test(t, config) })
	}
}

// NewUser makes an account with a verified e-mail address.
func NewUser(t testing.TB, store *cassandra.Store) blog.User {
	t.Helper()
	name := "u_" + strings.ToLower(rand.Text()[:20])
	email := name + "@example.org"
	u, err := store.CreateUser(t.Context(), blog.CreateUser{Subject: name, Username: name, Email: &email, ProvedEmail: email})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// NewPost makes a post.
func NewPost(t testing.TB, store *cassandra.Store, author blog.User) blog.Post {
	t.Helper()
	p, err := store.CreatePost(t.Context(), blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content."})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Emptied opens a store on tables that were emptied.
func Emptied(t *testing.T, config cassandra.Config) *cassandra.Store {
	t.Helper()
	var cql []string
	for _, table := range blog.Tables() {
		if table == blog.IdempotencyKeys || table == blog.Leases {
			continue
		}
		cql = append(cql, "TRUNCATE %s."+string(table))
	}
	Execute(t, config, cql...)
	store := Open(t, config, blog.Options{})
	empty, err := store.Empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !empty {
		t.Fatal("the store holds something")
	}
	return store
}

// Drifted returns the tables that verify finds fault with.
func Drifted(t *testing.T, store *cassandra.Store) []blog.Table {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	var tables []blog.Table
	for _, report := range found.Tables {
		if report.Drifted+report.InFlight > 0 {
			tables = append(tables, report.Table)
		}
	}
	return tables
}

// WantClean checks that nothing is left of what was interrupted.
func WantClean(t *testing.T, config cassandra.Config, store *cassandra.Store) {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range found.Tables {
		if table.Drifted+table.InFlight > 0 {
			t.Errorf("%s: %d rows have drifted, %d are in flight: %v", table.Table, table.Drifted, table.InFlight, table.Examples)
		}
	}
	if open := undone(t, config); len(open) > 0 {
		t.Errorf("%d entries are not done: %v", len(open), open)
	}
	if left := JobsLeft(t, config); len(left) > 0 {
		t.Errorf("checkpoints of %v are left", left)
	}
	for _, row := range Rows(t, config, "SELECT name, ttl(owner) AS ends FROM %s.leases") {
		if row["ends"] == 0 {
			t.Errorf("the lease of %v does not end", row["name"])
		}
	}
}

// Undone counts the entries of the journal that are not marked done.
func Undone(t *testing.T, config cassandra.Config) int { return len(undone(t, config)) }

// undone returns the intents that are not done.
func undone(t *testing.T, config cassandra.Config) (intents []string) {
	t.Helper()
	for _, row := range Rows(t, config, "SELECT kind, intent, done FROM %s.journal") {
		if row["done"] != true {
			intents = append(intents, fmt.Sprint(row["kind"], row["intent"]))
		}
	}
	return intents
}

// JobsLeft returns the checkpoints of jobs that have not ended.
func JobsLeft(t *testing.T, config cassandra.Config) (names []string) {
	t.Helper()
	for _, row := range Rows(t, config, "SELECT name FROM %s.checkpoints") {
		if name := row["name"].(string); !strings.HasPrefix(name, "recovery/") && !strings.HasPrefix(name, "move/") {
			names = append(names, name)
		}
	}
	return names
}

// JSON reads a table as JSON, a row each.
func JSON(t *testing.T, config cassandra.Config, table blog.Table) (rows []string) {
	t.Helper()
	for _, row := range Rows(t, config, "SELECT JSON * FROM %s."+string(table)) {
		rows = append(rows, row["[json]"].(string))
	}
	return rows
}

// InsertJSON returns the statement that writes a row, but for what it lacks.
func InsertJSON(t *testing.T, table blog.Table, row string) string {
	t.Helper()
	var cells map[string]json.RawMessage
	if err := json.Unmarshal([]byte(row), &cells); err != nil {
		t.Fatal(err)
	}
	var columns, values []string
	for column, value := range cells {
		if string(value) != "null" {
			columns = append(columns, column)
			values = append(values, "fromJson('"+strings.ReplaceAll(string(value), "'", "''")+"')")
		}
	}
	return fmt.Sprintf("INSERT INTO %%s.%s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(values, ", "))
}
