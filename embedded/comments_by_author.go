package embedded

import (
	"context"
	"time"

	"broadsheet/blog"
)

// CommentsByAuthor is a method of [blog.Queries].
func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	comments, err := s.commentsByAuthor(ctx, author, request)
	if err == nil && len(comments.Items) == 0 {
		err = s.userExists(ctx, author)
	}
	return comments, err
}

func (s *Store) commentsByAuthor(ctx context.Context, id blog.UserID, request blog.PageRequest[blog.CommentID]) (comments blog.Page[blog.Comment], err error) {
	snap, err := s.query(ctx, commentsByAuthor, id)
	if err != nil {
		return comments, err
	}
	defer snap.close(&err)
	username, err := decodeName(snap.static(1))
	if err != nil {
		return comments, err
	}
	author := blog.Author{ID: id, Username: username}
	return page(snap, list[blog.CommentID, blog.Comment]{
		at: func(id blog.CommentID) []byte { return snap.at(id) },
		item: func(r *row) (blog.Comment, error) {
			return decodeAuthorComment(blog.CommentID{UUID: r.id()}, author, r.cells[1])
		},
	}, request)
}

func decodeAuthorComment(id blog.CommentID, author blog.Author, value string) (blog.Comment, error) {
	f := decode(value)
	c := blog.Comment{
		ID: id, Author: author,
		Post:      field[blog.PostID](f),
		Content:   field[string](f),
		UpdatedAt: field[time.Time](f),
		Version:   field[int](f),
	}
	return c, f.end()
}
