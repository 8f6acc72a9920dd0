package embedded

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// storeWithEverything holds something in every table.
func storeWithEverything(t *testing.T) (*Store, blog.Post) {
	t.Helper()
	s, p := storeWithPost(t)
	email := "bob@example.org"
	bob, err := s.CreateUser(t.Context(), blog.CreateUser{Subject: "bob", Username: "bob", Email: &email, ProvedEmail: email})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []blog.UserID{bob.ID, p.Author.ID} {
		_, _, commented := s.CreateComment(t.Context(), blog.CreateComment{Author: user, Post: p.ID, Content: "c"})
		if err := errors.Join(commented, storetest.ReactEach(t.Context(), s, user, p.ID)); err != nil {
			t.Fatal(err)
		}
	}
	return s, p
}

// cell is a key and its value.
type cell struct{ key, value []byte }

// cells reads a table as it is on disk.
func (s *Store) cells(t *testing.T, table *table) (cells []cell) {
	t.Helper()
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{table.prefix}, UpperBound: []byte{table.prefix + 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		cells = append(cells, cell{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
	}
	return cells
}

// Every cell that is a copy is lost, damaged, changed and put in another row, in turn:
// verify names it, the repair brings the table back, byte for byte but for stamps.
func TestRepair(t *testing.T) {
	s, _ := storeWithEverything(t)
	copies := map[*table][]cell{}
	for _, g := range blog.Families() {
		if table := tables[g.Table]; table != nil {
			copies[table] = s.cells(t, table)
		}
	}
	delete(copies, tables[blog.HomeByUser]) // TestHomesAreMended
	for table, before := range copies {
		for _, c := range before {
			k, _ := table.parse(c.key)
			if !slices.ContainsFunc(table.name.Families(), func(g *blog.Family) bool { return g.Cell == k.cell && g.Static() == k.static }) {
				continue // a truth
			}
			for _, damage := range []struct {
				name  string
				kinds []audit.DriftKind
				do    func() error
			}{
				{"lost", []audit.DriftKind{audit.MissingRow, audit.MissingCells}, func() error { return s.db.Delete(c.key, pebble.Sync) }},
				{"damaged", []audit.DriftKind{audit.Damaged}, func() error { return s.db.Set(c.key, []byte("garbage"), pebble.Sync) }},
				{"changed", []audit.DriftKind{audit.StaleValue, audit.WrongCount}, func() error { return s.db.Set(c.key, changed(t, c.value), pebble.Sync) }},
				{"in another row", []audit.DriftKind{audit.LostTruth, audit.RowTooMany, audit.Ghost}, func() error { return s.db.Set(elsewhere(table, c.key, k), c.value, pebble.Sync) }},
			} {
				if err := damage.do(); err != nil {
					t.Fatal(err)
				}
				what := string(table.name) + ", a cell " + damage.name
				wantKind(t, what, s, table.name, damage.kinds)
				mended, err := audit.Verifying{Repair: true, Force: true}.Run(t.Context(), s)
				if err != nil || mended.Left() > 0 {
					t.Errorf("%s: %d left after the repair: %v", what, mended.Left(), err)
				}
				if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 {
					t.Errorf("%s: %d drifted after the repair: %v", what, found.Drifted(), err)
				}
				if len(s.cells(t, table)) != len(before) {
					t.Errorf("%s: the repair leaves %d cells of %d", what, len(s.cells(t, table)), len(before))
				}
			}
		}
	}
}

// wantKind checks that there is one drift, in a table, of one of some kinds.
func wantKind(t *testing.T, what string, s *Store, table blog.Table, kinds []audit.DriftKind) {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, report := range found.Tables {
		if report.Table == table {
			for _, kind := range kinds {
				n += report.Kinds[kind]
			}
		}
	}
	if n != 1 || found.Drifted() != 1 {
		t.Errorf("%s: found %+v", what, found)
	}
}

// changed returns a value with its last field changed that is not absent.
func changed(t *testing.T, value []byte) []byte {
	t.Helper()
	f := decode(string(value))
	var fields []any
	for len(f.unread) > 0 && f.err == nil {
		fields = append(fields, nextField(f))
	}
	changes := len(fields) - 1
	for fields[changes] == any((*string)(nil)) {
		changes--
	}
	switch last := &fields[changes]; x := (*last).(type) {
	case string:
		*last = x + "x"
	case *string:
		*last = new(*x + "x")
	case int:
		*last = x + 1
	case bool:
		*last = !x
	case blog.UUID:
		*last = blog.UserID{UUID: blog.UUID{15: x[15] + 1}}
	default:
		*last = blog.PostID{}.Time()
	}
	return encode(f.stamp, fields...)
}

// elsewhere returns the key of the same cell of another row, or partition.
func elsewhere(t *table, key []byte, k parsedKey) []byte {
	key = bytes.Clone(key)
	if k.static || len(t.clustering) == 0 || t.name == blog.CommentsByThread { // whose path has an end
		key[len(key)-3] ^= 0x55 // before the mark and the cell
	} else {
		key[len(key)-2] ^= 0x55 // before the cell
	}
	return key
}

// Counts are truths: they are mended, too.
func TestRepairOfTruths(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(s *Store, p blog.Post) error
		table  blog.Table
		kind   audit.DriftKind
	}{
		"a count of comments": {func(s *Store, p blog.Post) error {
			return s.db.Set(commentsByPost.cellKey(countCell, p.ID), encode(1, 7), pebble.Sync)
		}, blog.CommentsByPost, audit.WrongCount},
		"a count of likes that lacks": {func(s *Store, p blog.Post) error {
			return s.db.Delete(tables[blog.LikeClaims].cellKey(countCell, p.ID), pebble.Sync)
		}, blog.LikeClaims, audit.WrongCount},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := storeWithEverything(t)
			if err := c.damage(s, p); err != nil {
				t.Fatal(err)
			}
			mended, err := audit.Verifying{Repair: true}.Run(t.Context(), s)
			if err != nil || mended.Left() > 0 {
				t.Errorf("%d left after the repair: %v", mended.Left(), err)
			}
			for _, report := range mended.Tables {
				if report.Table == c.table && report.Kinds[c.kind] != 1 {
					t.Errorf("found %+v", report)
				}
			}
			if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 {
				t.Errorf("%d drifted after the repair: %v", found.Drifted(), err)
			}
		})
	}
}

// Each table of copies is emptied and built anew while comments are written.
func TestRebuild(t *testing.T) {
	s, p := storeWithEverything(t)
	ctx, cancel := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	writers.Go(func() {
		for ctx.Err() == nil {
			if _, _, err := s.CreateComment(context.WithoutCancel(ctx), blog.CreateComment{Author: p.Author.ID, Post: p.ID, Content: "c"}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for _, name := range blog.Rebuildable() {
		if name == blog.FeedBuckets {
			continue
		}
		table := tables[name]
		if err := s.db.DeleteRange([]byte{table.prefix}, []byte{table.prefix + 1}, pebble.Sync); err != nil {
			t.Fatal(err)
		}
		built, err := audit.Rebuilding{}.Run(t.Context(), s, name)
		if err != nil || built.Rows == 0 || built.Verified.Left() > 0 {
			t.Errorf("%s: %+v, %v", name, built, err)
		}
	}
	cancel()
	writers.Wait()
	if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() > 0 {
		t.Errorf("%d drifted after the rebuilding: %v", found.Drifted(), err)
	}
	for _, name := range []blog.Table{blog.PostsByID, blog.FeedBuckets} {
		if _, err := (audit.Rebuilding{}).Run(t.Context(), s, name); blog.KindOf(err) != blog.Invalid {
			t.Errorf("rebuilding %s: %v", name, err)
		}
	}
}
