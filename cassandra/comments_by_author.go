package cassandra

import (
	"context"

	"broadsheet/blog"
)

// CommentsByAuthor reads a page of the author's partition.
func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	list := commentsByAuthor.list(blog.Comment{Author: blog.Author{ID: author}}, author)
	return readPage(ctx, s, list, idSpan(page, true), blog.NewestFirst, page, commentAuthor, unlessFound(func() error { return s.userStands(ctx, author) }))
}
