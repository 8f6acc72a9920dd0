package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// Comment is a comment without its author's name, with the commands that edited it.
type Comment struct {
	blog.Comment
	Number int // of the comments that were ever made on the post; 0: not known
	By     History
}

// Stands reports whether there is a comment.
func (t Comment) Stands() bool { return t.Content != "" }

// Deleted reports whether there was one: its row keeps its key.
func (t Comment) Deleted() bool { return !t.Stands() && !t.Author.ID.IsZero() }

// columns returns where a statement puts a comment with the header of its partition.
func (t *Comment) columns(above *counted.Header) []any {
	return tables.Comments.Into(&t.Comment, &t.Number, &t.By.Recent,
		&above.Rows, &above.Version, &above.Stamp, &above.Closed, &above.Stored, &above.Bytes)
}

var selectComment = cql.On(blog.CommentsByPost,
	`SELECT `+tables.Comments.Columns+`, number, recent_commands, comment_count, version, stamp,`+
		` closed, comment_rows, comment_bytes`+
		` FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)

// Comments are the comments of posts, which are counted.
type Comments struct {
	*counted.Partitions[blog.PostID, Comment]
	db *cql.Session
}

// NewComments returns the comments that a table counts.
func NewComments(c Config, limit *counted.Limit, table counted.Table[blog.PostID, Comment]) *Comments {
	config := c.counted(blog.CommentsByPost, blog.ErrCommentsFull, limit)
	config.Sized = true
	return &Comments{counted.New(config, table), c.DB}
}

// Read reads a comment, with the header of its post's comments. NotFound.
func (s *Comments) Read(ctx context.Context, key blog.CommentKey) (t Comment, above counted.Header, err error) {
	t.Post, t.ID = key.Post, key.Comment
	err = s.db.One(ctx, selectComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), t.columns(&above)...)
	if err == cql.ErrAbsent || err == nil && (!t.Stands() || above.Closed) {
		err = blog.ErrNoComment()
	}
	return t, above, err
}

// ReadSerial reads what is there of a comment at the serial consistency, in one statement with the
// header of its post's comments.
func (s *Comments) ReadSerial(ctx context.Context, key blog.CommentKey) (t Comment, above counted.Header, err error) {
	t.Post, t.ID = key.Post, key.Comment
	err = s.db.OneSerial(ctx, selectComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), t.columns(&above)...)
	if err == cql.ErrAbsent {
		above, err = s.HeaderSerial(ctx, key.Post)
	}
	return t, above, err
}

// scanComment reads a row with the header above it. One of a closed partition is as good as
// gone.
func scanComment(row gocql.Scanner) (blog.UUID, Comment, counted.Header, error) {
	var t Comment
	var above counted.Header
	err := row.Scan(append([]any{cql.Into(&t.ID.UUID)}, t.columns(&above)...)...)
	if above.Closed {
		return t.ID.UUID, Comment{}, above, err
	}
	return t.ID.UUID, t, above, err
}

// CommentTable is where the comments of posts are counted.
func CommentTable(db *cql.Session) *counted.Statements[blog.PostID, Comment] {
	return &counted.Statements[blog.PostID, Comment]{
		DB: db, Key: postKey, Span: [2]gocql.UUID{cql.FirstID, cql.LastID}, Scan: scanComment, Sized: true,
		Select: cql.On(blog.CommentsByPost,
			`SELECT DISTINCT comment_count, version, stamp, closed, comment_rows, comment_bytes`+
				` FROM comments_by_post WHERE post_id = ? AND bucket = 0`),
		Update: cql.On(blog.CommentsByPost, `UPDATE comments_by_post`+
			` SET comment_count = ?, version = ?, stamp = ?, comment_rows = ?, comment_bytes = ?`+
			` WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`),
		Close: cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET closed = true, version = ?, stamp = ?`+
			` WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
		Clear: cql.On(blog.CommentsByPost,
			`UPDATE comments_by_post SET comment_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		Delete: cql.On(blog.CommentsByPost, `DELETE FROM comments_by_post`+
			` WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id <= ?`),
		Rows: cql.On(blog.CommentsByPost,
			`SELECT comment_id, `+tables.Comments.Columns+`, number, recent_commands, comment_count,`+
				` version, stamp, closed, comment_rows, comment_bytes`+
				` FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id IN ?`),
	}
}

func postKey(post blog.PostID) gocql.UUID { return cql.ID(post.UUID) }
