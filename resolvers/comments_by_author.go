package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Comments reads a page of the user's comments on all posts.
func (u user) Comments(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.CommentConnection, error) {
	at, err := u.position(ctx)
	if err != nil {
		return graph.CommentConnection{}, err
	}
	comments, err := connect(ctx, relay.CommentsByAuthor(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
		return readComments(ctx, page.Limit, func(ctx context.Context) (blog.Page[blog.Comment], error) {
			return u.store.CommentsByAuthor(ctx, obj.ID, page)
		})
	}, commentConnection)
	if at != nil {
		comments.LiveCursor = at.OfNone()
	}
	return comments, err
}
