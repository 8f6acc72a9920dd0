package cassandra

import (
	"context"

	"broadsheet/blog"
)

// PostsByAuthor reads a page of the author's partition.
func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	list := postsByAuthor.list(blog.Post{Author: blog.Author{ID: author}}, author)
	return readPage(ctx, s, list, idSpan(page, true), blog.NewestFirst, page, postAuthor, unlessFound(func() error { return s.userStands(ctx, author) }))
}
