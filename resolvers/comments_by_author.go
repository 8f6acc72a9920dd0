package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/relay"
)

// Comments reads a page of the user's comments on all posts.
func (u user) Comments(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string) (graph.CommentConnection, error) {
	list := relay.CommentsByAuthor(obj.ID)
	request, err := pageOf(list, first, after, last, before)
	if err != nil {
		return graph.CommentConnection{}, err
	}
	page, err := readComments(ctx, request.Limit,
		func() (blog.Page[blog.Comment], error) { return u.store.CommentsByAuthor(ctx, obj.ID, request) },
		func(p blog.Page[blog.Comment]) []blog.Comment { return p.Items })
	if err != nil {
		return graph.CommentConnection{}, err
	}
	return commentConnection(ctx, list, page), nil
}
