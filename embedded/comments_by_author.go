package embedded

import (
	"context"

	"broadsheet/blog"
)

// CommentsByAuthor is a method of [blog.Queries].
func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	given := blog.Comment{Author: blog.Author{ID: author}}
	return readPage(ctx, s, tables[blog.CommentsByAuthor], []any{author}, page, list[blog.CommentID, blog.Comment]{
		above: func(snap *snapshot) (err error) {
			given.Author.Username, err = sole[string](snap.static(blog.AuthorCommentsName.Cell))
			return err
		},
		given: &given,
		item:  authorCommentRow.read,
	})
}
