package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// What a later release adds to every value of a truth or of a copy.
var laterFields = []any{"a column of a later release", 7}

// tablesOfValues holds data that has values: those of keys that expire are never written twice.
var tablesOfValues = slices.Collect(maps.Values(tables))

// writeAsNewer makes a closed directory what a program leaves that knows more fields.
func writeAsNewer(t *testing.T, dir string, fs vfs.FS) {
	t.Helper()
	s := reopen(t, dir, fs, io.Discard)
	for _, table := range tablesOfValues {
		for _, c := range s.cells(t, table) {
			if err := s.db.Set(c.key, moreOf(ofNow(t, table, c)), pebble.Sync); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := writeSynced(fs, fs.PathJoin(dir, FormatFile), fmt.Sprintf(formatText+revisionText+tablesText, format, revision+1, revision+1))
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// ofNow returns a value with all the fields that this program knows.
func ofNow(t *testing.T, table *table, c cell) []byte {
	t.Helper()
	k, _ := table.parse(c.key)
	if table == commentsByPost && k.static {
		head, err := decodeCommentsHead(string(c.value))
		if err != nil {
			t.Fatal(err)
		}
		return new(scratch).encodeHead(head)
	}
	var columns blog.Columns
	for _, g := range declaredGroups() {
		if tables[g.Table] == table && g.Cell == k.cell && g.Static() == k.static {
			columns = g.Columns
		}
	}
	f := decode(string(c.value))
	for f.err == nil && f.unread != "" {
		f.skip()
		columns = columns[min(1, len(columns)):]
	}
	value := bytes.Clone(c.value)
	for _, lacks := range columns {
		value = appendField(value, new(fields).typed(lacks.Type))
	}
	return value
}

// WriteAsNewer is writeAsNewer for tests of the public methods.
func WriteAsNewer(t *testing.T, dir string) { writeAsNewer(t, dir, vfs.Default) }

// moreOf returns a value as the later release writes it.
func moreOf(value []byte) []byte {
	for _, field := range laterFields {
		value = appendField(bytes.Clone(value), field)
	}
	return value
}

func reopen(t *testing.T, dir string, fs vfs.FS, log io.Writer) *Store {
	t.Helper()
	s, err := Open(dir, Options{FS: fs, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// The program before a release that adds columns to users, posts, comments, likes and
// claims opens what that one wrote: it serves, edits, finds nothing wrong, and keeps what
// it does not know.
func TestDirectoryOfNewerProgram(t *testing.T) {
	fs := vfs.NewMem()
	s := reopen(t, "data", fs, io.Discard)
	ann, p, c := smallBlog(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	writeAsNewer(t, "data", fs)

	var log bytes.Buffer
	s = reopen(t, "data", fs, &log)
	if !strings.Contains(log.String(), "a newer broadsheet wrote") {
		t.Errorf("the log says nothing of the newer program: %s", log.String())
	}
	soundAndQuiet(t, s, "opened")
	before := map[string]bool{}
	for _, table := range tablesOfValues {
		for _, c := range s.cells(t, table) {
			before[string(c.key)] = true
		}
	}
	editAll(t, s, ann, p, c)
	soundAndQuiet(t, s, "edited")
	kept := 0
	for _, table := range tablesOfValues {
		for _, c := range s.cells(t, table) {
			if !before[string(c.key)] {
				continue // new: the newer program has said nothing of it
			}
			if !bytes.HasSuffix(c.value, moreOf(nil)) {
				t.Errorf("%s: an edit cut a value of the newer program: %q", table.name, c.value)
			}
			kept++
		}
	}
	if kept < 25 {
		t.Errorf("only %d values were compared", kept)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := readMark("data", fs); err != nil || found.revision != revision+1 || found.tables != revision {
		t.Errorf("the mark of the newer program became %+v, %v", found, err)
	}
}

// A program that cuts what it does not know off the values that it rewrites, such as a suspension, is refused by the
// mark. Such programs compare the format with 1, and read no further.
func TestProgramsThatCutValuesAreRefused(t *testing.T) {
	const theirs = "broadsheet embedded store, format %d\n"
	fs := vfs.NewMem()
	for _, when := range []string{"made by this program", "made by theirs, and opened by this one"} {
		if err := reopen(t, "data", fs, io.Discard).Close(); err != nil {
			t.Fatal(err)
		}
		text, err := readFile(fs, fs.PathJoin("data", FormatFile))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		if n, err := fmt.Sscanf(string(text), theirs, &found); n != 1 || err != nil {
			t.Errorf("a directory that was %s looks damaged to them: %q, %v", when, text, err)
		}
		if found <= 1 {
			t.Errorf("a directory that was %s is open to them: %q", when, text)
		}
		if err := writeSynced(fs, fs.PathJoin("data", FormatFile), fmt.Sprintf(theirs, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

// smallBlog has two users, a post with both's comments and likes, and one more post.
func smallBlog(t *testing.T, s *Store) (ann blog.User, p blog.Post, c blog.Comment) {
	t.Helper()
	ctx, mail, bio, key := t.Context(), "ann@example.org", "of Oslo", "a key"
	ann, first := s.CreateUser(ctx, blog.CreateUser{Subject: "ann", Username: "ann", Email: &mail, ProvedEmail: mail, Bio: &bio, IdempotencyKey: &key})
	bob, second := s.CreateUser(ctx, blog.CreateUser{Subject: "bob", Username: "bob"})
	p, third := s.CreatePost(ctx, blog.CreatePost{Author: ann.ID, Title: "A title", Content: "…"})
	_, fourth := s.CreatePost(ctx, blog.CreatePost{Author: bob.ID, Title: "Another", Content: "…"})
	err := errors.Join(first, second, third, fourth)
	for _, user := range []blog.UserID{bob.ID, ann.ID} {
		comment, _, commented := s.CreateComment(ctx, blog.CreateComment{Author: user, Post: p.ID, Content: "A comment."})
		_, _, liked := s.LikePost(ctx, blog.LikePost{Actor: user, Post: p.ID})
		c, err = comment, errors.Join(err, commented, liked)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ann, p, c
}

// editAll rewrites values of every kind.
func editAll(t *testing.T, s *Store, ann blog.User, p blog.Post, c blog.Comment) {
	t.Helper()
	ctx := t.Context()
	_, renamed := s.UpdateUser(ctx, blog.UpdateUser{Actor: ann.ID, Username: blog.SetTo("Ann")})
	_, edited := s.UpdatePost(ctx, blog.UpdatePost{Actor: ann.ID, Post: p.ID, Title: blog.SetTo("New"), Content: blog.SetTo("New content.")})
	_, changed := s.UpdateComment(ctx, blog.UpdateComment{Actor: ann.ID, Key: c.Key(), Content: "Changed."})
	_, _, commented := s.CreateComment(ctx, blog.CreateComment{Author: ann.ID, Post: p.ID, Content: "One more."})
	_, _, again := s.CreateComment(ctx, blog.CreateComment{Author: ann.ID, Post: p.ID, Content: "And one."})
	_, unliked := s.UnlikePost(ctx, blog.UnlikePost{Actor: ann.ID, Post: p.ID})
	if err := errors.Join(renamed, edited, changed, commented, again, unliked); err != nil {
		t.Fatal(err)
	}
}

func soundAndQuiet(t *testing.T, s *Store, when string) {
	t.Helper()
	found, err := audit.Verifying{}.Run(t.Context(), s)
	if err != nil || found.Drifted() > 0 {
		t.Errorf("%s: %d drifted: %+v, %v", when, found.Drifted(), found.Tables, err)
	}
	if _, err := s.Feed(t.Context(), blog.FirstPage[blog.PostID](20)); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// A copy that was written before its family had a column is as its truth where that has
// the zero value too, and drifted where it has another.
func TestCopiesOfBeforeAColumn(t *testing.T) {
	for name, c := range map[string]struct {
		family *blog.Family
		added  int // columns that play the added ones
		wrong  int
	}{
		"the truth has none": {blog.AuthorPost, 2, 0}, // this store's feed is one partition, named "", and the posts have no words
		"the truth has one":  {blog.UsernameCard, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := reopen(t, "data", vfs.NewMem(), io.Discard)
			smallBlog(t, s)
			at, all := tables[c.family.Table], c.family.Columns
			defer func() { c.family.Columns = all }()
			since := func(columns, revision int) {
				c.family.Columns = slices.Clone(all)
				for i := range c.family.Columns {
					c.family.Columns[i].Since = 0
					if i >= columns {
						c.family.Columns[i].Since = revision
					}
				}
			}
			first := len(all) - c.family.Added() - c.added // what is added already plays it too
			for _, cell := range s.cells(t, at) {
				if k, _ := at.parse(cell.key); k.static || k.cell != c.family.Cell {
					continue
				}
				if err := s.db.Set(cell.key, cut(t, cell.value, first), pebble.Sync); err != nil {
					t.Fatal(err)
				}
			}
			since(first, 0)
			if found, err := (audit.Verifying{}).Run(t.Context(), s); err != nil || found.Drifted() != 2 {
				t.Errorf("without a word on the column: %+v, %v", found, err)
			}
			since(first, 1)
			found, err := audit.Verifying{Repair: true}.Run(t.Context(), s)
			if err != nil || found.Drifted() != c.wrong || found.Left() > 0 {
				t.Errorf("%d drifted, want %d; %d left: %v", found.Drifted(), c.wrong, found.Left(), err)
			}
			soundAndQuiet(t, s, "mended")
		})
	}
}

// cut returns a value with so many fields.
func cut(t *testing.T, value []byte, n int) []byte {
	t.Helper()
	f := decode(string(value))
	for range n {
		f.skip()
	}
	if f.err != nil {
		t.Fatal(f.err)
	}
	return bytes.Clone(value[:len(value)-len(f.unread)])
}

// WriteTablesOf has a directory say that its tables are those of an older program, which wrote there.
func WriteTablesOf(t *testing.T, dir string, revision int) {
	t.Helper()
	found, err := readMark(dir, vfs.Default)
	if err == nil {
		found.tables = revision
		err = writeMark(dir, vfs.Default, found)
	}
	if err != nil {
		t.Fatal(err)
	}
}
