package embedded

import (
	"context"

	"broadsheet/blog"
)

// PostsByAuthor is a method of [blog.Queries].
func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	given := blog.Post{Author: blog.Author{ID: author}}
	return readPage(ctx, s, tables[blog.PostsByAuthor], []any{author}, page, list[blog.PostID, blog.Post]{
		above: func(snap *snapshot) (err error) {
			given.Author.Username, err = sole[string](snap.static(blog.AuthorPostsName.Cell))
			return err
		},
		given: &given,
		item:  authorPostRow.read,
	})
}
