package cassandra_test

import (
	"fmt"
	"testing"

	"broadsheet/blog"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	config := shared.Config(t)
	storetest.Bounds(t, func(t *testing.T, options blog.Options) blog.Store { return open(t, options) },
		func(t *testing.T, _ blog.Store, post blog.PostRef, held storetest.Held) {
			t.Helper()
			const set = "UPDATE %%s.%s SET %s, version = 1, stamp = %d WHERE %s = %v AND bucket = 0 IF version = null"
			statements := []string{fmt.Sprintf(set, blog.CommentsByPost, fmt.Sprintf("comment_count = %d, comment_bytes = %d", held.Comments, held.CommentBytes), post.ID.Stamp(), "post_id", post.ID)}
			if k := held.Of; k != nil {
				count := fmt.Sprintf("%s = %d", k.Name+"_count", held.Reactions)
				statements = append(statements, fmt.Sprintf(set, k.Table, count, post.ID.Stamp(), k.Table.Declaration().Partition[0].Name, held.To))
			}
			testkeyspace.Execute(t, config, statements...)
		})
}
