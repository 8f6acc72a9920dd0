package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// The partitions that count their rows: the comments of a post, and the claims of its likes.

func postKey(post blog.PostID) gocql.UUID { return cql.ID(post.UUID) }

// commentStatements are the statements on the comments of posts.
func commentStatements(db *cql.Session) *counted.Statements[blog.PostID, commentTruth] {
	return &counted.Statements[blog.PostID, commentTruth]{
		DB: db, Key: postKey, Span: [2]gocql.UUID{cql.FirstID, cql.LastID}, Scan: scanCommentTruth, Sized: true,
		Select: cql.On(blog.CommentsByPost, `SELECT DISTINCT comment_count, version, stamp, closed, comment_rows, comment_bytes FROM comments_by_post WHERE post_id = ? AND bucket = 0`),
		Update: cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ?, comment_rows = ?, comment_bytes = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`),
		Close:  cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
		Clear:  cql.On(blog.CommentsByPost, `UPDATE comments_by_post SET comment_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		Delete: cql.On(blog.CommentsByPost, `DELETE FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id <= ?`),
		Rows:   cql.On(blog.CommentsByPost, `SELECT comment_id, author_id, content, updated_at, edits, recent_commands, comment_count, version, stamp, closed, comment_rows, comment_bytes FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id IN ?`),
	}
}

// likeStatements are the statements on the likes of posts.
func likeStatements(db *cql.Session) *counted.Statements[blog.PostID, likeClaim] {
	return &counted.Statements[blog.PostID, likeClaim]{
		DB: db, Key: postKey, Span: [2]gocql.UUID{cql.FirstID, cql.LastID}, Scan: scanClaim,
		Select: cql.On(blog.LikeClaims, `SELECT DISTINCT like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0`),
		Update: cql.On(blog.LikeClaims, `UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND like_count = ? AND closed = null`),
		Close:  cql.On(blog.LikeClaims, `UPDATE like_claims SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0 IF version = ? AND closed = null`),
		Clear:  cql.On(blog.LikeClaims, `UPDATE like_claims SET like_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		Delete: cql.On(blog.LikeClaims, `DELETE FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id >= ? AND user_id <= ?`),
		Rows:   cql.On(blog.LikeClaims, `SELECT user_id, liked, liked_at, like_count, version, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id IN ?`),
	}
}

// countComments makes a store's comments those of a table.
func (s *Store) countComments(table counted.Table[blog.PostID, commentTruth], limit *counted.Limit) {
	config := s.countedConfig(blog.CommentsByPost, blog.ErrCommentsFull, limit)
	config.Sized = true
	s.comments = counted.New(config, table)
}

// countLikes makes a store's likes those of a table.
func (s *Store) countLikes(table counted.Table[blog.PostID, likeClaim], limit *counted.Limit) {
	s.likes = counted.New(s.countedConfig(blog.LikeClaims, blog.ErrLikesFull, limit), table)
}

func (s *Store) countedConfig(table blog.Table, full func(field string, rows, bytes int) error, limit *counted.Limit) counted.Config {
	return counted.Config{
		Table: table, Full: full, Gone: func() error { return blog.ErrNoPost("postId") },
		Clock: s.clock, Deadline: s.deadline, Log: s.log, Limit: limit,
	}
}

// countedRows is either of them.
type countedRows interface {
	Header(ctx context.Context, post blog.PostID) (counted.Header, error)
	HeaderSerial(ctx context.Context, post blog.PostID) (counted.Header, error)
}

func (s *Store) countedIn(table blog.Table) countedRows {
	if table == blog.CommentsByPost {
		return s.comments
	}
	return s.likes
}

// closeCounted closes both partitions of a post.
func (s *Store) closeCounted(ctx context.Context, post blog.PostID) error {
	return cql.Concurrently(
		func() error { return s.comments.Close(ctx, post) },
		func() error { return s.likes.Close(ctx, post) },
	)
}
