package embedded

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"broadsheet/blog"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const columnsFile = "testdata/columns.golden"

// The order of a value's fields is what directories hold: blog.Group.Columns for copies,
// the encode functions for truths. Fields may be added at the end only.
func TestColumnsAreOnlyAdded(t *testing.T) {
	now, golden := columnLists(t), readColumnLists(t)
	if slices.Equal(now.lines(), golden.lines()) {
		return
	}
	for name, was := range golden.of {
		if is, stands := now.of[name]; stands && !grown(was, is) {
			t.Errorf("%s\n has %s\nhad %s\n"+
				"Directories hold values of before: put what is new at the end, name its zero value in places (keys.go) or read it by added (values.go).", name, is, was)
		}
	}
	if now.revision <= golden.revision {
		t.Errorf("what values hold has changed: raise revision in format.go above %d", golden.revision)
	}
	switch {
	case t.Failed():
	case !*update:
		t.Errorf("keep the new lists: go test ./embedded -run %s -update", t.Name())
	default:
		if err := os.WriteFile(columnsFile, []byte(strings.Join(now.lines(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// grown reports whether a list is another one, or that one with more fields that values
// may lack.
func grown(was, is string) bool {
	if was == is {
		return true
	}
	next := " | "
	if strings.Contains(was, next) {
		next = ", "
	}
	return strings.HasPrefix(is, was+next)
}

// lists are the fields of each kind of value, by its table and cell. Those that a value
// may lack stand after a bar.
type lists struct {
	revision int
	of       map[string]string
}

func (l lists) lines() []string {
	all := []string{fmt.Sprint("revision ", l.revision)}
	for name, list := range l.of {
		all = append(all, name+": "+list)
	}
	slices.Sort(all[1:])
	return all
}

func columnLists(t *testing.T) lists {
	l := lists{revision, map[string]string{}}
	for _, g := range blog.Groups() {
		at := places[g]
		first := len(g.Columns) - len(at.added)
		l.add(t, at.table, at.cell, static(g), g.Columns[:first], g.Columns[first:])
	}
	for _, truth := range truthValues() {
		names := fieldNames(t, truth.value)
		first := len(names)
		for first > 0 && truth.read(string(cut(t, truth.value, first-1))) == nil {
			first--
		}
		l.add(t, truth.table, truth.cell, truth.static, names[:first], names[first:])
	}
	return l
}

func (l lists) add(t *testing.T, at *table, cell byte, static bool, first, added []string) {
	name := fmt.Sprintf("%s %d", at.name, cell)
	if static {
		name += " above the rows"
	}
	if l.of[name] != "" {
		t.Fatalf("two values stand at %s", name)
	}
	l.of[name] = strings.Join(first, ", ")
	if len(added) > 0 {
		l.of[name] += " | " + strings.Join(added, ", ")
	}
}

// truthValues are what is no copy, as it is written and as it is read.
func truthValues() []struct {
	table  *table
	cell   byte
	static bool
	value  []byte
	read   func(string) error
} {
	post, content := encodePost(blog.Post{})
	count := func(value string) error { _, err := decodeCount(value); return err }
	return []struct {
		table  *table
		cell   byte
		static bool
		value  []byte
		read   func(string) error
	}{
		{usersByID, truthCell, false, encodeUser(blog.User{}), func(v string) error { _, err := decodeUser(blog.UserID{}, v); return err }},
		{postsByID, truthCell, false, post, func(v string) error { _, err := decodePost(blog.PostID{}, v, ""); return err }},
		{postsByID, contentCell, false, content, func(v string) error { _, err := decodePost(blog.PostID{}, string(post), v); return err }},
		{commentsByPost, truthCell, false, encodeComment(blog.Comment{}, 1), func(v string) error { _, err := decodeComment(blog.CommentKey{}, v); return err }},
		{commentsByPost, countCell, true, encode(1, 0), count},
		{likeClaims, truthCell, false, encodeLikeClaim(likeClaim{}, 1), func(v string) error { _, err := decodeLikeClaim(v); return err }},
		{likeClaims, countCell, true, encode(1, 0), count},
	}
}

// fieldNames are what the types of a value's fields are called.
func fieldNames(t *testing.T, value []byte) (names []string) {
	t.Helper()
	f := decode(string(value))
	for f.err == nil && f.rest != "" {
		name := fmt.Sprintf("%T", f.next())
		names = append(names, strings.TrimPrefix(name, "blog."))
	}
	if f.err != nil {
		t.Fatal(f.err)
	}
	return names
}

func readColumnLists(t *testing.T) lists {
	l := lists{of: map[string]string{}}
	text, err := os.ReadFile(columnsFile)
	if os.IsNotExist(err) {
		return l
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if _, err := fmt.Sscanf(lines[0], "revision %d", &l.revision); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, list, _ := strings.Cut(line, ": ")
		l.of[name] = list
	}
	return l
}
