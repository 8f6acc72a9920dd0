package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"

	"github.com/gocql/gocql"
)

var (
	selectCommentsByPost       = cql.On(blog.CommentsByPost, `SELECT comment_id, author_id, username, content, updated_at, edits, comment_count, stamp, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`)
	selectOldestCommentsByPost = cql.On(blog.CommentsByPost, `SELECT comment_id, author_id, username, content, updated_at, edits, comment_count, stamp, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id ASC LIMIT ?`)
	selectSomeCommentsByPost   = cql.On(blog.CommentsByPost, `SELECT comment_id, author_id, username, content, updated_at, edits, comment_count, stamp, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id IN ?`)
	selectCommentByKey         = cql.On(blog.CommentsByPost, `SELECT author_id, username, content, updated_at, edits, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)
)

// CommentsByPost reads a page of the post's partition. The count stands in the
// partition's static cells, which come with every row; a page without rows has none.
func (s *Store) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	newestFirst := query.Order == blog.NewestFirst
	var count blog.Count
	var closed bool
	list := newIDList(gap.OfComments(query.Post), selectCommentsByPost, selectOldestCommentsByPost, selectSomeCommentsByPost, func(row gocql.Scanner) (blog.UUID, blog.Comment, bool, error) {
		c := blog.Comment{Post: query.Post}
		err := row.Scan(cql.Into(&c.ID.UUID), cql.Into(&c.Author.ID.UUID), &c.Author.Username, &c.Content, &c.UpdatedAt, &c.Version,
			&count.N, &count.Stamp, &closed)
		return c.ID.UUID, c, c.Content != "", err
	})
	comments, err := list.rows(ctx, s, commentSpan(query), newestFirst != query.Page.Backward, query.Page.Limit+1)
	switch {
	case err != nil:
	case closed:
		err = blog.ErrNoPost("id")
	case len(comments) == 0:
		count, _, err = s.postCounts(ctx, query.Post)
	default:
		err = complete(ctx, s, comments, commentAuthor)
	}
	if err != nil {
		return blog.CommentPage{}, err
	}
	return blog.CommentPage{Page: blog.NewPage(query.Page, comments), Count: count}, nil
}

// commentSpan returns the ids between the page's bounds and between the two times.
func commentSpan(query blog.CommentsQuery) span[blog.UUID] {
	keys := idSpan(query.Page, query.Order == blog.NewestFirst)
	from, to := query.Bounds()
	if from != nil && from.Compare(keys.from) > 0 {
		keys.from = from.UUID
	}
	if to != nil && to.Compare(keys.to) < 0 {
		keys.to = to.UUID
	}
	return keys
}

// CommentByKey reads one row of the post's partition.
func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	c := blog.Comment{Post: key.Post, ID: key.Comment}
	var closed bool
	err := s.db.One(ctx, selectCommentByKey.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), cql.Into(&c.Author.ID.UUID), &c.Author.Username,
		&c.Content, &c.UpdatedAt, &c.Version, &closed)
	if err == cql.ErrAbsent || err == nil && (closed || c.Content == "") {
		err = blog.ErrNoComment()
	}
	if err != nil {
		return blog.Comment{}, err
	}
	comments := []blog.Comment{c}
	err = complete(ctx, s, comments, commentAuthor)
	return comments[0], err
}

func commentAuthor(c *blog.Comment) *blog.Author { return &c.Author }
