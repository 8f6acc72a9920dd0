package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
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

// Comments are the comments of posts, which are counted.
type Comments struct {
	*counted.Partitions[blog.UUID, Comment]
	rows countedTable[Comment, *Comment]
}

func newComments(c Config, limit *counted.Limit) *Comments {
	partitions, rows := counting[Comment](c, blog.CommentsByPost, true, blog.ErrCommentsFull, limit)
	return &Comments{partitions, rows}
}

// Read reads a comment, with the header of its post's comments. NotFound.
func (s *Comments) Read(ctx context.Context, key blog.CommentKey) (t Comment, above counted.Header, err error) {
	t, above, err = s.rows.row(ctx, s.rows.db.One, key.Post.UUID, key.Comment.UUID)
	if err == cql.ErrAbsent || err == nil && (!t.Stands() || above.Closed) {
		err = blog.ErrNoComment()
	}
	t.Post, t.ID = key.Post, key.Comment
	return t, above, err
}

// ReadSerial reads what is there of a comment at the serial consistency, in one statement with the
// header of its post's comments.
func (s *Comments) ReadSerial(ctx context.Context, key blog.CommentKey) (t Comment, above counted.Header, err error) {
	t, above, err = s.rows.rowSerial(ctx, key.Post.UUID, key.Comment.UUID)
	t.Post, t.ID = key.Post, key.Comment
	return t, above, err
}
