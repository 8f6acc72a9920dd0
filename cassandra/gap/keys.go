package gap

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// deadLists holds the statements that read the keys of a list, each with what is 0 in a dead
// row: from the high end of a span down, and from its low end up.
var deadLists = map[blog.Table]struct{ down, up cql.Statement }{
	blog.PostsByAuthor: {
		cql.On(blog.PostsByAuthor, `SELECT post_id, version FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id >= ? AND post_id < ? ORDER BY post_id DESC LIMIT ?`),
		cql.On(blog.PostsByAuthor, `SELECT post_id, version FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id >= ? AND post_id < ? ORDER BY post_id ASC LIMIT ?`),
	},
	blog.FeedByBucket: {
		cql.On(blog.FeedByBucket, `SELECT post_id, version FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id DESC LIMIT ?`),
		cql.On(blog.FeedByBucket, `SELECT post_id, version FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ? ORDER BY post_id ASC LIMIT ?`),
	},
	blog.CommentsByPost: {
		cql.On(blog.CommentsByPost, `SELECT comment_id, edits FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`),
		cql.On(blog.CommentsByPost, `SELECT comment_id, edits FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id ASC LIMIT ?`),
	},
	blog.CommentsByAuthor: {
		cql.On(blog.CommentsByAuthor, `SELECT comment_id, version FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`),
		cql.On(blog.CommentsByAuthor, `SELECT comment_id, version FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id ASC LIMIT ?`),
	},
}

// IsDead reports whether a row with such a version is dead. One without is not certain to be.
func IsDead(version *int) bool { return version != nil && *version == 0 }

// EachKey visits the keys from one on, below another, with their rows' versions, so many at most, until visit
// reports false.
func (g *Gaps) EachKey(ctx context.Context, place Place, from, to blog.UUID, descending bool, limit int, visit func(key blog.UUID, version *int) bool) error {
	st := deadLists[place.List].up
	if descending {
		st = deadLists[place.List].down
	}
	going := true
	return g.db.Each(ctx, st.With(append(place.Partition(), cql.ID(from), cql.ID(to), limit)...), limit, func(row gocql.Scanner) error {
		if !going {
			return nil
		}
		var key blog.UUID
		var version *int
		err := row.Scan(cql.Into(&key), &version)
		going = visit(key, version)
		return err
	})
}
