package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// UserPosts reads a page of a user's posts. By username it costs one statement
// more, for the list is keyed by the id, which never changes.
func (q query) UserPosts(ctx context.Context, userID, username *string, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.PostConnection, error) {
	if err := exactlyOne("userId", userID, "username", username); err != nil {
		return nil, err
	}
	page := paging{first, after, last, before, order, createdFrom, createdTo}
	if username != nil {
		author, err := blog.Found(q.store.UserByUsername(ctx, *username))
		if author == nil {
			return nil, err
		}
		return blog.Found(q.postsByAuthor(ctx, author.ID, page))
	}
	author, err := queryID[blog.UserID]("userId", *userID)
	if err != nil {
		return nil, err
	}
	return blog.Found(q.postsByAuthor(ctx, author, page))
}

// Posts reads a page of the user's posts.
func (u user) Posts(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.PostConnection, error) {
	return u.postsByAuthor(ctx, obj.ID, paging{first, after, last, before, order, createdFrom, createdTo})
}

func (r *Resolver) postsByAuthor(ctx context.Context, author blog.UserID, a paging) (graph.PostConnection, error) {
	return r.connectPosts(ctx, relay.PostsByAuthor(author, a.order), a, func(page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return r.store.PostsByAuthor(ctx, author, page)
	})
}
