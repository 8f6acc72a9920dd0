package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

var selectCommentByKey = cql.On(blog.CommentsByPost,
	`SELECT author_id, username, content, updated_at, edits, closed FROM comments_by_post`+
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)

// CommentsByPost reads a page of the post's partition. The count stands in the
// partition's static cells, which come with every row; a page without rows has none.
func (s *Store) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	var count blog.Count
	var closed bool
	list := newIDList(blog.CommentsByPost, func(row gocql.Scanner) (blog.UUID, blog.Comment, bool, error) {
		c := blog.Comment{Post: q.Post}
		stands, err := readCommentsByPost(row, &c, &count, &closed)
		return c.ID.UUID, c, stands, err
	}, q.Post)
	page, err := readPage(ctx, s, list, commentSpan(q), q.Order, q.Page, commentAuthor, func(rows int) (err error) {
		switch {
		case closed:
			err = blog.ErrNoPost("id")
		case rows == 0:
			count, _, err = s.postCounts(ctx, q.Post)
		}
		return err
	})
	if err != nil {
		return blog.CommentPage{}, err
	}
	return blog.CommentPage{Page: page, Count: count}, nil
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
