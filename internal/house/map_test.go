package house

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

// beside are the queries that productmap.Queries has no row for, with the table whose file
// they are in.
var beside = map[string]blog.Table{
	"CommentByKey": blog.CommentsByPost, // one row of the partition that is Q4's
	"FollowCount":  blog.FollowsByUser,  // what stands in the partition of whom one follows
}

var stores = []string{"cassandra", "embedded"}

func TestEveryTableOfTheMapHasItsFiles(t *testing.T) {
	for _, row := range productmap.Queries {
		if file := fmt.Sprintf("internal/storetest/%s.go", row.Table); !exists(file) && row.List.Cursors == "" && row.Table.Reaction() == nil { // TestEveryListIsTested holds lists to the suite
			t.Errorf("%s is missing: productmap.Queries says that %s answers %s", file, row.Table, row.Method)
		}
		wantQuery(t, row.Table, row.Method)
	}
}

// wantQuery wants a query where a newcomer looks for it: by the name of its table, or with what both stores share.
func wantQuery(t *testing.T, table blog.Table, method string) {
	t.Helper()
	if _, declared := reflect.TypeFor[blog.Declared]().MethodByName(method); declared {
		wantMethod(t, "blog/declared_queries.go", "Declared", method)
		return
	}
	for _, store := range stores {
		wantMethod(t, fmt.Sprintf("%s/%s.go", store, table), "Store", method)
	}
}

func TestEveryTableOfTheMapHasItsStatement(t *testing.T) {
	for _, row := range productmap.Queries {
		card := slices.ContainsFunc(blog.UniqueKeys[:], func(k *blog.UniqueKey) bool { return k.Card.Table == row.Table })
		if card || row.List.Cursors != "" || row.Table.Reaction() != nil { // tables.Cards, Lists, Reactions
			continue
		}
		file := fmt.Sprintf("cassandra/%s.go", row.Table)
		name := "select" + pascal(string(row.Table))
		cql, found := valueOf(t, file, name)
		if !found {
			t.Errorf("%s declares no %s: a statement is named by its verb and table", file, name)
		} else if !regexp.MustCompile(` FROM ` + string(row.Table) + `\b`).MatchString(cql) {
			t.Errorf("%s: %s does not read %s", file, name, row.Table)
		}
	}
}

func TestTheMapIsWhole(t *testing.T) {
	inMap := map[string]bool{}
	for _, row := range productmap.Queries {
		inMap[row.Method] = true
		if _, ok := reflect.TypeFor[blog.Queries]().MethodByName(row.Method); !ok {
			t.Errorf("productmap.Queries names %s, which is no method of blog.Queries", row.Method)
		}
	}
	for method := range reflect.TypeFor[blog.Queries]().Methods() {
		table, known := beside[method.Name]
		switch {
		case inMap[method.Name]:
		case !known:
			t.Errorf("blog.Queries has %s, which productmap.Queries lacks: give it a row", method.Name)
		default:
			wantQuery(t, table, method.Name)
		}
	}
}

func TestTheMapShowsTheKeysOfTheSchema(t *testing.T) {
	tables := schema(t)
	for _, row := range productmap.Queries {
		if key := tables[row.Table]; key != productmap.PrimaryKey(row) {
			t.Errorf("productmap.Queries says that the key of %s is %s; its schema says %s", row.Table, productmap.PrimaryKey(row), key)
		}
	}
}

// The record of migrations is made by the code that reads it; it is no table of the
// domain.
func TestTheTablesAreThoseOfTheSchema(t *testing.T) {
	tables := schema(t)
	for _, table := range blog.Tables() {
		if _, ok := tables[table]; !ok {
			t.Errorf("blog.Tables names %s, which no file in cassandra/schema makes", table)
		}
	}
	for table := range tables {
		if !slices.Contains(blog.Tables(), table) {
			t.Errorf("cassandra/schema makes %s: name and declare it in blog/declarations.go", table)
		}
	}
}

var (
	createTable  = regexp.MustCompile(`(?s)CREATE TABLE IF NOT EXISTS (\w+) \((.*?)\n\)([^;]*);`)
	primaryKey   = regexp.MustCompile(`PRIMARY KEY (\(.*\))`)
	descending   = regexp.MustCompile(`(\w+) DESC`)
	numberedName = regexp.MustCompile(`^\d{4}_(\w+)\.cql$`)
)

// schema returns the tables of cassandra/schema, each with its primary key as
// productmap.Queries writes it.
func schema(t *testing.T) map[blog.Table]string {
	t.Helper()
	files, err := glob("cassandra/schema/*.cql")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in cassandra/schema", err)
	}
	tables := map[blog.Table]string{}
	for _, file := range files {
		name := numberedName.FindStringSubmatch(filepath.Base(file))
		if name == nil {
			t.Fatalf("%s: name it by its number and table, 0001_users_by_id.cql", file)
		}
		for _, made := range createTable.FindAllStringSubmatch(text(t, file), -1) {
			if tables[blog.Table(made[1])] = keyOf(made[2], made[3]); made[1] != name[1] {
				t.Errorf("%s makes %s: a table's file has its name", file, made[1])
			}
		}
	}
	return tables
}

// keyOf puts the arrows of CLUSTERING ORDER into the PRIMARY KEY.
func keyOf(columns, options string) string {
	key := primaryKey.FindStringSubmatch(columns)
	if key == nil {
		return "none"
	}
	for _, column := range descending.FindAllStringSubmatch(options, -1) {
		key[1] = regexp.MustCompile(`\b`+column[1]+`\b`).ReplaceAllString(key[1], "$0 ↓")
	}
	return key[1]
}

// pascal returns the Go name of a table: UsersByID of users_by_id.
func pascal(snake string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(snake, "_") {
		if word == "id" {
			word = "ID"
		}
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}
