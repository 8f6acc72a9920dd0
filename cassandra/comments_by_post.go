package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

var selectCommentByKey = cql.On(blog.CommentsByPost,
	`SELECT `+tables.Comments.Columns+`, username, display_name, closed FROM comments_by_post`+
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)

// CommentsByPost reads a page of the post's partition. The count stands in the partition's static cells, which come
// with every row; a page without rows has none.
//
// How many comments were made is told by a row's own statement, for what another one tells may be of a comment that
// the page lacks. A page that took none, or several, is read again behind a read of the header, which has the nodes
// complete what is under way.
func (s *Store) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (page blog.CommentPage, err error) {
	page, told, err := s.readComments(ctx, q)
	if err != nil || !q.Made || told {
		return page, err
	}
	above, err := s.truths.Comments.HeaderSerial(ctx, q.Post.UUID)
	if err != nil {
		return blog.CommentPage{}, err
	}
	page, _, err = s.readComments(ctx, q)
	page.Made = above.Size()
	return page, err
}

// readComments reads a page, and reports whether it tells how many comments were made.
func (s *Store) readComments(ctx context.Context, q blog.CommentsQuery) (_ blog.CommentPage, told bool, err error) {
	var count blog.Count
	var closed bool
	var made, stored, statements, rows int
	read := commentLists[blog.CommentsByPost].reading([]any{q.Post}, &count.N, &count.Stamp, &closed, &stored)
	list := newIDList(blog.CommentsByPost, func(row gocql.Scanner) (blog.UUID, blog.Comment, bool, error) {
		key, c, stands, err := read(row)
		made = max(count.N, stored)
		rows++
		return key, c, stands, err
	}, q.Post)
	list.statements = &statements
	page, err := readPage(ctx, s, list, idSpan(q.Page), q.Page, commentAuthor, func(rows int) (err error) {
		switch {
		case closed:
			err = blog.ErrNoPost("id")
		case rows == 0:
			var p blog.Post
			p, err = s.postCounts(ctx, q.Post)
			count = p.Comments
		}
		return err
	})
	if err != nil {
		return blog.CommentPage{}, false, err
	}
	if told = statements == 1 && rows > 0 || count == (blog.Count{}); !q.Made {
		made = 0
	}
	return blog.CommentPage{Page: page, Count: count, Made: made}, told, nil
}

// CommentByKey reads one row of the post's partition.
func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	c := blog.Comment{Post: key.Post, ID: key.Comment}
	var closed bool
	err := s.db.One(ctx, selectCommentByKey.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)),
		tables.Comments.Into(&c, &c.Author.Username, cql.IntoText(&c.Author.DisplayName), &closed)...)
	if err == cql.ErrAbsent || err == nil && (closed || c.Content == "") {
		err = blog.ErrNoComment()
	}
	if err != nil {
		return blog.Comment{}, err
	}
	comments := []blog.Comment{c}
	err = completeNames(ctx, s, comments, commentAuthor)
	return comments[0], err
}
