package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/gap"

	"github.com/gocql/gocql"
)

var (
	selectCommentsByAuthor       = cql.On(blog.CommentsByAuthor, `SELECT comment_id, username, post_id, content, updated_at, version FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`)
	selectOldestCommentsByAuthor = cql.On(blog.CommentsByAuthor, `SELECT comment_id, username, post_id, content, updated_at, version FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ? ORDER BY comment_id ASC LIMIT ?`)
	selectSomeCommentsByAuthor   = cql.On(blog.CommentsByAuthor, `SELECT comment_id, username, post_id, content, updated_at, version FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id IN ?`)
)

// CommentsByAuthor reads a page of the author's partition.
func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	list := newIDList(gap.OfAuthor(blog.CommentsByAuthor, author), selectCommentsByAuthor, selectOldestCommentsByAuthor, selectSomeCommentsByAuthor, func(row gocql.Scanner) (blog.UUID, blog.Comment, bool, error) {
		c := blog.Comment{Author: blog.Author{ID: author}}
		err := row.Scan(cql.Into(&c.ID.UUID), &c.Author.Username, cql.Into(&c.Post.UUID), &c.Content, &c.UpdatedAt, &c.Version)
		return c.ID.UUID, c, c.Content != "", err
	})
	comments, err := list.rows(ctx, s, idSpan(page, true), !page.Backward, page.Limit+1)
	if err == nil && len(comments) == 0 {
		err = s.userStands(ctx, author)
	}
	if err == nil {
		err = complete(ctx, s, comments, commentAuthor)
	}
	if err != nil {
		return blog.Page[blog.Comment]{}, err
	}
	return blog.NewPage(page, comments), nil
}
