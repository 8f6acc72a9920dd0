package cassandra_test

import (
	"fmt"
	"strings"
	"testing"

	"broadsheet/blog"
	"broadsheet/cassandra/migrate"
	"broadsheet/internal/audit"
	"broadsheet/internal/testkeyspace"
)

// A server that does not know a table writes no rows there. Servers that know it refuse its query from then on, until
// it is built: all of it, also what a rebuild had finished before.
func TestTableThatAnOlderServerDoesNotWrite(t *testing.T) {
	t.Parallel()
	const table = blog.CommentsByPostAndAuthor
	c := testkeyspace.Own(t)
	newer := testkeyspace.Open(t, c, blog.Options{})
	u := testkeyspace.NewUser(t, newer)
	p := testkeyspace.NewPost(t, newer, u)
	_, _, err := newer.CreateComment(t.Context(), blog.CreateComment{Author: u.ID, Post: p.ID, Content: "A comment."})
	must(t, err)
	ofOne := func() (int, error) {
		must(t, newer.Ready(t.Context()))
		page, err := newer.CommentsByPostAndAuthor(t.Context(), u.ID, blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](5)})
		return len(page.Items), err
	}
	if n, err := ofOne(); n != 1 || err != nil {
		t.Fatalf("%d comments, %v", n, err)
	}
	begun, _, err := newer.BeginRebuild(t.Context(), table)
	must(t, err)
	for part := range 128 {
		must(t, begun.Finish(t.Context(), part))
	}

	known, err := migrate.Status(t.Context(), c.Config)
	must(t, err)
	testkeyspace.Execute(t, c, fmt.Sprintf("INSERT INTO %%s.schema_migrations (history, version, name, checksum, applied_at, serves)"+
		" VALUES (0, %d, '%s', 'x', toTimestamp(now()), 1)", len(known), table))
	older := testkeyspace.Open(t, c, blog.Options{}) // for which the table is of a later program
	must(t, older.KeepCheckpoints(t.Context()))
	testkeyspace.Execute(t, c, "TRUNCATE %s."+string(table)) // as if the comment were the older server's

	if n, err := ofOne(); blog.KindOf(err) != blog.Unavailable || !strings.Contains(err.Error(), "run `broadsheet rebuild comments_by_post_and_author`") {
		t.Errorf("beside an older server: %d comments, %v", n, err)
	}
	_, err = audit.Rebuilding{Await: audit.AtRest}.Run(t.Context(), newer, table)
	must(t, err)
	if n, err := ofOne(); n != 1 || err != nil {
		t.Errorf("once it is built: %d comments, %v", n, err)
	}
}
