package cassandra

import (
	"context"

	"broadsheet/blog"
)

// CommentsByPostAndAuthor reads a page of one author's rows in the post's partition.
func (s *Store) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, q blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	list := commentsByPostAndAuthor.list(blog.Comment{Post: q.Post, Author: blog.Author{ID: author}}, q.Post, author)
	return readPage(ctx, s, list, commentSpan(q), q.Order, q.Page, commentAuthor, unlessFound(func() error { return s.postStands(ctx, q.Post) }))
}
