package embedded

import (
	"context"

	"broadsheet/blog"
)

// CommentsByPostAndAuthor is a method of [blog.Queries].
func (s *Store) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, q blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	return readPage(ctx, s, tables[blog.CommentsByPostAndAuthor], []any{q.Post}, q.Page, list[blog.CommentID, blog.Comment]{
		under: []any{author},
		query: q,
		given: &blog.Comment{Post: q.Post, Author: blog.Author{ID: author}},
		item:  postAuthorCommentRow.read,
	})
}
