package cassandra_test

import (
	"fmt"
	"testing"

	"broadsheet/blog"
	"broadsheet/blog/blogtest"
	"broadsheet/cassandra/testkeyspace"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	config := shared.Config(t)
	blogtest.Bounds(t, func(t *testing.T, options blog.Options) blog.Store { return open(t, options) },
		func(t *testing.T, _ blog.Store, post blog.PostRef, comments, likes int) {
			t.Helper()
			const set = "UPDATE %%s.%s SET %s = %d, version = 1, stamp = %d WHERE post_id = %v AND bucket = 0 IF version = null"
			testkeyspace.Execute(t, config,
				fmt.Sprintf(set, blog.CommentsByPost, "comment_count", comments, post.ID.Stamp(), post.ID),
				fmt.Sprintf(set, blog.LikeClaims, "like_count", likes, post.ID.Stamp(), post.ID))
		})
}
