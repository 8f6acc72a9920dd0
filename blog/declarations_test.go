package blog_test

import (
	"slices"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/productmap"
)

func TestEveryTableIsDeclaredOnce(t *testing.T) {
	tables, prefixes := map[blog.Table]bool{}, map[byte]blog.Table{}
	for _, d := range blog.Declarations {
		if tables[d.Table] {
			t.Errorf("%s is declared twice", d.Table)
		}
		tables[d.Table] = true
		if len(d.Partition) == 0 {
			if d.Method != "" || len(d.Table.Families()) > 0 {
				t.Errorf("%s has no key", d.Table)
			}
			continue
		}
		if d.Replaces != "" && d.Embedded.Prefix == 0 {
			continue // the embedded store keeps the old key
		}
		if of := prefixes[d.Embedded.Prefix]; d.Embedded.Prefix == 0 || of != "" {
			t.Errorf("the keys of %s begin with %#x in the embedded store, and so do those of %q", d.Table, d.Embedded.Prefix, of)
		}
		prefixes[d.Embedded.Prefix] = d.Table
	}
}

func TestCellsOfTheEmbeddedStoreAreTheirFamilies(t *testing.T) {
	for _, d := range blog.Declarations {
		for _, families := range [][]*blog.Family{slices.Concat(d.Truth, d.Rows), d.Above} {
			taken := map[byte]bool{}
			for _, g := range families {
				if g.Cell == 0 || g.Cell >= 0xfe || taken[g.Cell] {
					t.Errorf("%s: cell %d is none, or another's", d.Table, g.Cell)
				}
				taken[g.Cell] = true
				if g.Row && g.Cell != 1 {
					t.Errorf("%s: the family that makes the row is cell %d, and readers want it in the first", d.Table, g.Cell)
				}
				if g.Added() >= len(g.Columns) {
					t.Errorf("%s: all of %v were added to their family", d.Table, g.Columns.Names())
				}
			}
		}
	}
}

// A row says in its key what it is about, so that its truth is found.
func TestRowsNameTheirSubject(t *testing.T) {
	for _, d := range blog.Declarations {
		if len(d.Table.Families()) == 0 {
			continue
		}
		names := slices.Concat(d.Partition, d.Clustering)
		for _, g := range d.Rows {
			names = append(names, g.Columns...)
		}
		has := func(t blog.ColumnType, within blog.Columns) bool {
			return slices.ContainsFunc(within, func(c blog.Column) bool { return c.Type == t })
		}
		key := slices.Concat(d.Partition, d.Clustering)
		found := map[*blog.Subject]bool{
			blog.AboutUser:    has(blog.TypeUser, key),
			blog.AboutPost:    has(blog.TypePost, key),
			blog.AboutComment: (has(blog.TypeComment, key) || has(blog.TypePath, key)) && has(blog.TypePost, names),
			blog.AboutGroup:   has(blog.TypeGroup, key),
			blog.AboutHomed:   has(blog.TypeUser, key) && has(blog.TypePost, key),
		}
		parent := has(blog.TypePost, key) || has(blog.TypeFollowed, key) || has(blog.TypeGroup, key)
		if !found[d.About] && (d.About.Reaction == nil || !parent || !has(blog.TypeUser, key)) {
			t.Errorf("the key %s of %s does not name what its rows are about", productmap.PrimaryKey(d), d.Table)
		}
	}
}

// Of a row whose key moves, a late write at another truth's stamp would stand alone where the
// row was.
func TestARowThatMovesFollowsFromOneTruth(t *testing.T) {
	for _, d := range blog.Declarations {
		for _, g := range d.Table.Families() {
			if d.KeyMoves && (g.Truth != d.Rows[0].Truth || g.LeavesDead) {
				t.Errorf("the key of %s moves, and %v follows from the %s truth, or leaves dead rows", d.Table, g.Columns.Names(), g.Truth)
			}
		}
	}
}

// What says that a row is dead is a text that is empty and a number that is 0.
func TestADeadRowCanBeTold(t *testing.T) {
	for _, g := range blog.Families() {
		edited := g.Columns.Edited()
		has := func(is func(blog.Column) bool) bool { return slices.ContainsFunc(edited, is) }
		if g.LeavesDead && (!g.Row || !has(blog.Column.Text) || !has(func(c blog.Column) bool { return c.Type == blog.TypeInt })) {
			t.Errorf("%s: %v leaves dead rows, and makes none, or has no text or number that says so", g.Table, g.Columns.Names())
		}
	}
}

// The first byte of a cursor is all that tells its list from others.
func TestNoTwoListsShareTheirCursors(t *testing.T) {
	seen := map[rune]blog.Table{}
	for _, d := range productmap.Lists {
		for _, kind := range d.List.Cursors {
			if seen[kind] != "" {
				t.Errorf("the cursors of %s and of %s begin with %q", d.Table, seen[kind], kind)
			}
			seen[kind] = d.Table
		}
		if len(d.List.Cursors) > 2 {
			t.Errorf("%s has cursors of more than two orders", d.Table)
		}
	}
}

// Cursors hold an id, or a time and an id, and readers go down from the newest; what a session counts of a row's
// key has three places. A list that runs the other way needs those first.
func TestListsAreOnesThatReadersHave(t *testing.T) {
	isID := func(c blog.Column) bool { return c.Type.IsID() && c.Descending }
	isTime := func(c blog.Column) bool { return c.Type == blog.TypeTime && c.Descending }
	for _, d := range blog.Declarations {
		if n := len(d.Key().Names()); n > 3 {
			t.Errorf("the key %s of %s has %d columns: widen cql.Row.Key first", productmap.PrimaryKey(d), d.Table, n)
		}
		if d.List.Cursors == "" || d.Table == blog.CommentsByThread { // whose pages are of paths, by a reader of their own
			continue
		}
		switch at := d.Position(); {
		case len(at) == 1 && isID(at[0]):
		case len(at) == 2 && isTime(at[0]) && isID(at[1]):
		default:
			t.Errorf("the rows of %s are in the order of %v: declare them by an id, or by a time and an id, newest first, "+
				"or teach package relay such a cursor and both stores such a page", d.Table, at.Names())
		}
	}
}
