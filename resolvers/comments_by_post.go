package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Comments reads a page of a post's comments.
func (q query) Comments(ctx context.Context, postID string, authorID *string, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.CommentConnection, error) {
	key, err := queryID[blog.PostID]("postId", postID)
	if err != nil {
		return nil, err
	}
	return blog.Found(q.commentsByPost(ctx, key, authorID, paging{first, after, last, before, order, createdFrom, createdTo}))
}

// Comments reads a page of the post's comments: none where the post was deleted
// since it was read.
func (p post) Comments(ctx context.Context, obj *blog.Post, authorID *string, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.CommentConnection, error) {
	connection, err := blog.Found(p.commentsByPost(ctx, obj.ID, authorID, paging{first, after, last, before, order, createdFrom, createdTo}))
	if connection == nil {
		return graph.CommentConnection{}, err
	}
	return *connection, nil
}

func (r *Resolver) commentsByPost(ctx context.Context, post blog.PostID, authorID *string, a paging) (graph.CommentConnection, error) {
	var none graph.CommentConnection
	list, author, asked, err := commentsQuery(&post, authorID, a)
	if err != nil {
		return none, err
	}
	at, err := r.position(ctx)
	if err != nil {
		return none, err
	}
	asked.Post, asked.Made = post, at != nil && author == nil
	var counted blog.CommentPage // without an author
	page, err := readComments(ctx, asked.Page.Limit, func(ctx context.Context) (_ blog.Page[blog.Comment], err error) {
		if author != nil {
			return r.store.CommentsByPostAndAuthor(ctx, *author, asked)
		}
		counted, err = r.store.CommentsByPost(ctx, asked)
		return counted.Page, err
	})
	if err != nil {
		return none, err
	}
	connection := commentConnection(ctx, list, page)
	switch {
	case asked.Made:
		connection.LiveCursor = at.OfComments(post, counted.Made)
	case at != nil:
		connection.LiveCursor = at.OfNone()
	}
	if author == nil && a.createdFrom == nil && a.createdTo == nil {
		connection.TotalCount = &counted.Count.N
	}
	return connection, nil
}

// commentsQuery reads what says which of a post's comments are asked for, and of which list. The
// post is nil where it is not known.
func commentsQuery(post *blog.PostID, authorID *string, a paging) (list relay.List[blog.CommentID], author *blog.UserID, q blog.CommentsQuery, err error) {
	list = listOf(post, func(p blog.PostID) relay.List[blog.CommentID] { return relay.CommentsByPost(p, a.order) })
	if authorID != nil {
		author = new(blog.UserID)
		if *author, err = queryID[blog.UserID]("authorId", *authorID); err != nil {
			return list, author, q, err
		}
		list = listOf(post, func(p blog.PostID) relay.List[blog.CommentID] {
			return relay.CommentsByPostAndAuthor(p, *author, a.order)
		})
	}
	q.Page, err = pageOf(list, a)
	return list, author, q, err
}

// judgeComments reads the arguments of a post's comments: see judges.
func judgeComments(post *blog.PostID, a arguments) error {
	_, _, _, err := commentsQuery(post, argument(a, "authorId", relay.UnmarshalID), a.paging())
	return err
}

// Author answers from the comment's copy where it can.
func (c comment) Author(ctx context.Context, obj *blog.Comment) (blog.User, error) {
	return c.userOf(ctx, obj.Author)
}

// Post reads the post that the comment is on.
func (c comment) Post(ctx context.Context, obj *blog.Comment) (*blog.Post, error) {
	return c.parent(ctx, obj.Post)
}
