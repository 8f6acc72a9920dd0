package embedded

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/internal/audit"
	"broadsheet/internal/storetest"
)

// keyTypes are the types of columns that rows are ordered by, and behind them text.
var keyTypes = []blog.ColumnType{blog.TypeUser, blog.TypePost, blog.TypeComment, blog.TypeInt, blog.TypeTime, blog.TypeText}

// keyValue returns a value of few, so that many are equal or begin each other.
func keyValue(r *rand.Rand, t blog.ColumnType) any {
	id := blog.UUID{15: byte(r.IntN(3))}
	if r.IntN(2) == 0 {
		id[0] = 0xff
	}
	switch t {
	case blog.TypeUser:
		return blog.UserID{UUID: id}
	case blog.TypePost:
		return blog.PostID{UUID: id}
	case blog.TypeComment:
		return blog.CommentID{UUID: id}
	case blog.TypeText:
		return keyText(r)
	case blog.TypeInt:
		return r.IntN(7) - 3
	default:
		return time.UnixMilli(r.Int64N(7) - 3).UTC()
	}
}

func keyText(r *rand.Rand) string {
	text := make([]byte, r.IntN(5))
	for i := range text {
		text[i] = []byte{0x00, 0x01, 'a', 0xfe, 0xff}[r.IntN(5)]
	}
	return string(text)
}

func compareValues(a, b any) int {
	switch a := a.(type) {
	case blog.UserID:
		return a.UUID.Compare(b.(blog.UserID).UUID)
	case blog.PostID:
		return a.UUID.Compare(b.(blog.PostID).UUID)
	case blog.CommentID:
		return a.UUID.Compare(b.(blog.CommentID).UUID)
	case string:
		return strings.Compare(a, b.(string))
	case int:
		return cmp.Compare(a, b.(int))
	default:
		return a.(time.Time).Compare(b.(time.Time))
	}
}

// randomTable has a partition key of up to two columns, and up to three that rows are
// ordered by.
func randomTable(r *rand.Rand) *table {
	t := &table{name: "any", prefix: 0x7e, cells: 9}
	for range 1 + r.IntN(2) {
		t.partition = append(t.partition, keyTypes[r.IntN(len(keyTypes))])
	}
	for range r.IntN(4) {
		c := column{ColumnType: keyTypes[r.IntN(len(keyTypes)-1)]}
		if r.IntN(2) == 0 {
			c.inverted = 0xff
		}
		t.clustering = append(t.clustering, c)
	}
	return t
}

func (t *table) randomKey(r *rand.Rand) (values []any) {
	for _, c := range t.partition {
		values = append(values, keyValue(r, c))
	}
	for _, c := range t.clustering {
		values = append(values, keyValue(r, c.ColumnType))
	}
	return values
}

// compareRows compares two rows of one partition as a reader expects them.
func (t *table) compareRows(a, b []any) int {
	for i, c := range t.clustering {
		order := compareValues(a[len(t.partition)+i], b[len(t.partition)+i])
		if c.inverted != 0 {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func TestKeysHaveTheOrderOfTheirValues(t *testing.T) {
	r := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	for range 20_000 {
		table := randomTable(r)
		a, b := table.randomKey(r), table.randomKey(r)
		n := len(table.partition)
		ours := bytes.Equal(table.partitionKey(a[:n]...), table.partitionKey(b[:n]...))
		if ours != (fmt.Sprint(a[:n]) == fmt.Sprint(b[:n])) {
			t.Fatalf("partitions %q and %q: the same: %v", a[:n], b[:n], ours)
		}
		if !ours && bytes.HasPrefix(table.partitionKey(a[:n]...), table.partitionKey(b[:n]...)) {
			t.Fatalf("the key of the partition %q begins that of %q", b[:n], a[:n])
		}
		copy(b, a[:n])
		one, other := table.cellKey(1, a...), table.cellKey(1, b...)
		if got, want := bytes.Compare(one, other), table.compareRows(a, b); got != want {
			t.Fatalf("%v: %q is %d to %q by its key, %d by its values:\n%x\n%x", table.clustering, a, got, b, want, one, other)
		}
		if !bytes.Equal(table.cellKey(pastCells, a...)[:len(one)-1], one[:len(one)-1]) {
			t.Fatal("the cells of a row are not neighbours")
		}
	}
}

// Rows with some values in their first columns are exactly those of a range of keys.
func TestRowsUnderAPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(storetest.Seed(t), 2))
	for range 20_000 {
		table := randomTable(r)
		row, like := table.randomKey(r), table.randomKey(r)
		n := len(table.partition)
		copy(like, row[:n])
		snap := &snapshot{table: table, prefix: table.partitionKey(row[:n]...)}
		under := r.IntN(len(table.clustering) + 1)
		key := table.cellKey(byte(1+r.IntN(9)), row...)
		inside, wanted := within(snap.under(like[n:n+under]...), key), true
		for i := range under {
			wanted = wanted && compareValues(row[n+i], like[n+i]) == 0
		}
		if inside != wanted {
			t.Fatalf("%v: the row %q under %q: %v", table.clustering, row[n:], like[n:n+under], inside)
		}
	}
}

func within(s span, key []byte) bool {
	return bytes.Compare(s.lower, key) <= 0 && bytes.Compare(key, s.upper) < 0
}

func TestKeysAreReadAsTheyWereWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(storetest.Seed(t), 3))
	for range 20_000 {
		table := randomTable(r)
		values := table.randomKey(r)
		got, ok := table.parse(table.cellKey(7, values...))
		if !ok || got.static || got.cell != 7 || !reflect.DeepEqual(got.values, values) {
			t.Fatalf("%q is read as %+v, %v", values, got, ok)
		}
		n := len(table.partition)
		got, ok = table.parse(table.cellKey(3, values[:n]...))
		if len(table.clustering) > 0 && (!ok || !got.static || got.cell != 3 || !reflect.DeepEqual(got.values, values[:n])) {
			t.Fatalf("above the rows %q is read as %+v, %v", values[:n], got, ok)
		}
		if key := table.cellKey(7, values...); table.partitionLength(key) != len(table.partitionKey(values[:n]...)) {
			t.Fatalf("the partition of %x ends at %d", key, table.partitionLength(key))
		}
	}
}

// A damaged key is told, or is another's whole key: never half a one, and never a panic.
func FuzzDamagedKey(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 4))
	for seed := range uint64(64) {
		table := randomTable(rand.New(rand.NewPCG(seed, 0)))
		f.Add(seed, table.cellKey(1, table.randomKey(r)...))
	}
	f.Add(uint64(0), []byte{})
	f.Fuzz(func(t *testing.T, seed uint64, key []byte) {
		table := randomTable(rand.New(rand.NewPCG(seed, 0)))
		k, ok := table.parse(key)
		switch {
		case !ok:
		case !bytes.Equal(table.cellKey(k.cell, k.values...), key), k.static != (len(k.values) == len(table.partition) && len(table.clustering) > 0):
			t.Errorf("%x is read as %+v", key, k)
		}
		if len(key) == table.clusteringLength(key[min(1, len(key)):])+2 {
			reader := columnReader{table.clustering, key[1:]}
			for range table.clustering {
				reader.next()
			}
			if len(reader.key) != 1 {
				t.Errorf("of the row %x, %d bytes are left for the cell", key, len(reader.key))
			}
		}
	})
}

// What keys are on disk, for ever. The texts of this file are never changed, only added to.
func TestKeysOnDisk(t *testing.T) {
	golden, err := os.ReadFile("testdata/keys.golden")
	if err != nil {
		t.Fatal(err)
	}
	user, post, comment := blog.UserID{UUID: blog.UUID{1, 15: 0xfe}}, blog.PostID{UUID: blog.UUID{2, 15: 0xfd}}, blog.CommentID{UUID: blog.UUID{3, 15: 0xfc}}
	at := time.UnixMilli(-5)
	var lines []string
	add := func(table *table, values ...any) {
		lines = append(lines, fmt.Sprintf("%s: %x", table.name, table.cellKey(1, values...)))
	}
	add(usersByID, user)
	add(tables[blog.UsersByUsername], "ada\x00\xff", user)
	add(tables[blog.UsersByEmail], "ada@example.org", user)
	add(tables[blog.UsersBySubject], strings.Repeat("s", 200), user)
	add(postsByID, post)
	add(tables[blog.PostsByAuthor], user, post)
	add(tables[blog.FeedByBucket], "2026", -7, post)
	add(commentsByPost, post, comment)
	add(tables[blog.CommentsByAuthor], user, comment)
	add(tables[blog.LikesByPost], post, at, user)
	add(tables[blog.LikesByUser], user, post)
	add(tables[blog.LikeClaims], post, user)
	add(usernameClaims, "ada")
	add(emailClaims, "")
	add(subjectClaims, "s")
	add(idempotencyKeys, "owner", "mutation", "key")
	add(idempotencyExpiry, at, "owner", "mutation", "key")
	lines = append(lines, fmt.Sprintf("above the rows: %x", tables[blog.PostsByAuthor].cellKey(1, user)))
	for i, line := range strings.Split(strings.TrimSpace(string(golden)), "\n") {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("on disk stands\n%s\nbut now it would be\n%s", line, lines[min(i, len(lines)-1)])
		}
	}
}

// A table that is read by a part of its key, and of which a row has many cells.
func TestSlicesOfAPartition(t *testing.T) {
	steps := &table{name: "steps", prefix: 0x7e, partition: []blog.ColumnType{blog.TypeText}, cells: 9,
		clustering: []column{{ColumnType: blog.TypeUser}, {ColumnType: blog.TypeTime}, {blog.TypeInt, 0xff}}}
	s := reopen(t, "data", vfs.NewMem(), os.Stderr)
	ada, bob := blog.UserID{UUID: blog.UUID{1}}, blog.UserID{UUID: blog.UUID{2}}
	at := func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
	for _, user := range []blog.UserID{ada, bob} {
		for _, ms := range []int64{-1, 0, 1, 0xff, 0x100, 1 << 40, 1<<40 + 1} {
			for n := range 3 {
				for cell := byte(1); cell <= 9; cell++ {
					value := encode(1, fmt.Sprintf("%d %d, cell %d", ms, n, cell))
					if err := s.db.Set(steps.cellKey(cell, "p", user, at(ms), n), value, pebble.NoSync); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	read := func(backward bool, of func(*snapshot) span) (found []string) {
		t.Helper()
		snap, err := s.query(t.Context(), steps, "p")
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer snap.close(&err)
			for r := range snap.rows(of(snap), backward) {
				key := r.columns()
				user, ms, n := key.take(), key.next().(time.Time).UnixMilli(), key.next().(int)
				for cell := byte(1); cell <= 9; cell++ {
					if got, _ := sole[string](r.cells[cell]); got != fmt.Sprintf("%d %d, cell %d", ms, n, cell) {
						t.Errorf("cell %d of %d %d is %q", cell, ms, n, got)
					}
				}
				found = append(found, fmt.Sprintf("%x %d %d", user[0], ms, n))
			}
		}()
		if err != nil {
			t.Fatal(err)
		}
		if backward {
			slices.Reverse(found)
		}
		return found
	}
	for name, c := range map[string]struct {
		of   func(*snapshot) span
		want []string
	}{
		"a user and a time":     {func(snap *snapshot) span { return snap.under(ada, at(0xff)) }, []string{"1 255 2", "1 255 1", "1 255 0"}},
		"a time before the era": {func(snap *snapshot) span { return snap.under(ada, at(-1)) }, []string{"1 -1 2", "1 -1 1", "1 -1 0"}},
		"one row":               {func(snap *snapshot) span { return snap.under(bob, at(1<<40), 1) }, []string{"2 1099511627776 1"}},
		"nothing":               {func(snap *snapshot) span { return snap.under(ada, at(2)) }, nil},
	} {
		for _, backward := range []bool{false, true} {
			if got := read(backward, c.of); !slices.Equal(got, c.want) {
				t.Errorf("%s, backward %v:\n%s\nwant\n%s", name, backward, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		}
	}
	if n := len(read(false, func(snap *snapshot) span { return snap.under(ada) })); n != 21 {
		t.Errorf("a user has %d rows, want 21", n)
	}
}

// A cell that the table does not have is damage, unless a newer program wrote to the
// directory: then it is not known here.
func TestACellTooMany(t *testing.T) {
	s, p := storeWithPost(t)
	for _, cell := range []byte{0, tables[blog.PostsByAuthor].cells + 1, 0x80} {
		key := tables[blog.PostsByAuthor].cellKey(cell, p.Author.ID, p.ID)
		if err := s.db.Set(key, encode(1, "more"), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		for _, newer := range []bool{false, true} {
			s.newer = newer
			posts, err := s.PostsByAuthor(t.Context(), p.Author.ID, blog.FirstPage[blog.PostID](1))
			if newer && (err != nil || len(posts.Items) != 1) || !newer && !errors.Is(err, errCell) {
				t.Errorf("cell %d of a newer program: %v: a page of %d, %v", cell, newer, len(posts.Items), err)
			}
			if _, err := (audit.Verifying{}).Run(t.Context(), s); newer && err != nil || !newer && !(errors.Is(err, errCell) && strings.Contains(err.Error(), hex.EncodeToString(key))) {
				t.Errorf("cell %d of a newer program: %v: verify says %v", cell, newer, err)
			}
		}
		if err := s.db.Delete(key, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
}
