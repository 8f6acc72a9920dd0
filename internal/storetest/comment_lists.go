package storetest

import (
	"context"

	"broadsheet/blog"
)

// The lists of comments, and how the model answers them.

var commentLists = []tested{
	commentsByPostList,
	commentsByAuthorList,
	commentsByPostAndAuthorList,
	commentsByThreadList,
}

var (
	commentsByPostList = listCase[blog.CommentID, blog.Comment]{blog.CommentsByPost, commentRows, func(ctx context.Context, q blog.Queries, a asked[blog.CommentID]) (blog.Page[blog.Comment], int, error) {
		page, err := q.CommentsByPost(ctx, blog.CommentsQuery{Post: a.post, Page: a.page})
		return page.Page, page.Count.N, err
	}}
	commentsByAuthorList = listCase[blog.CommentID, blog.Comment]{blog.CommentsByAuthor, commentRows, func(ctx context.Context, q blog.Queries, a asked[blog.CommentID]) (blog.Page[blog.Comment], int, error) {
		page, err := q.CommentsByAuthor(ctx, a.user, a.page)
		return page, 0, err
	}}
	commentsByPostAndAuthorList = listCase[blog.CommentID, blog.Comment]{blog.CommentsByPostAndAuthor, commentRows, func(ctx context.Context, q blog.Queries, a asked[blog.CommentID]) (blog.Page[blog.Comment], int, error) {
		page, err := q.CommentsByPostAndAuthor(ctx, a.user, blog.CommentsQuery{Post: a.post, Page: a.page})
		return page, 0, err
	}}
)

var commentRows = &rowCase[blog.CommentID, blog.Comment]{
	key: commentID, newest: newestComment, answer: commentAnswer,
	author: func(c blog.Comment) blog.Author { return c.Author },
	parent: func(c blog.Comment) blog.UUID { return c.Post.UUID },
	make: func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.Comment) {
		for i := range 4 * n {
			rows = append(rows, f.comment(users[i%2], posts[i/2%2]))
		}
		return rows
	},
	truth: func(f *fixture, c blog.Comment) blog.Comment {
		as := f.userByID(c.Author.ID).Name().Author() // a copy of before copies held the display name lacks it
		c = f.commentByKey(c.Key())
		c.Author = as
		return c
	},
	shown: func(c blog.Comment) blog.Comment { return c },
	edit: func(f *fixture, c blog.Comment) {
		f.updateComment(blog.UpdateComment{Actor: c.Author.ID, Key: c.Key(), Content: "Edited."})
	},
	remove: func(f *fixture, c blog.Comment) { f.deleteComment(c) },
	number: func(s *side, _ numberedQuery, i int) blog.CommentID { return s.comment(i).Comment },
}

// CommentsByPost is a method of [blog.Queries].
func (m *Model) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	page, err := m.Comments(ctx, blog.CommentsByPost, q.Page, q.Post)
	m.mu.Lock()
	defer m.mu.Unlock()
	comments := blog.CommentPage{Page: page, Count: m.commentCount(q.Post)}
	if q.Made {
		comments.Made = m.made[q.Post]
	}
	return comments, err
}

// Comments is a method of [blog.Floor].
func (m *Model) Comments(ctx context.Context, list blog.Table, page blog.PageRequest[blog.CommentID], parent ...any) (blog.Page[blog.Comment], error) {
	defer m.query(ctx, list)()
	if err := m.absent(parent[0]); err != nil {
		return blog.Page[blog.Comment]{}, err
	}
	rows := m.listComments(func(c blog.Comment) bool { return inList(blog.CommentFields, list, c, parent) })
	return pageOf(rows, commentID, newestComment, page), nil
}
