package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

func (r *Resolver) BookmarkPostPayload() graph.BookmarkPostPayloadResolver {
	return payload[graph.BookmarkPostPayload]{r}
}

func (r *Resolver) UnbookmarkPostPayload() graph.UnbookmarkPostPayloadResolver {
	return payload[graph.UnbookmarkPostPayload]{r}
}

// BookmarkPost keeps a post among the viewer's bookmarks.
func (m mutation) BookmarkPost(ctx context.Context, input graph.BookmarkPostInput) (payload graph.BookmarkPostPayload, err error) {
	_, err = on(ctx, m, &payload.UserErrors, "postId", input.PostID, func(actor blog.UserID, id blog.PostID) (done bool, err error) {
		if _, _, err = m.store.BookmarkPost(ctx, blog.BookmarkPost{Actor: actor, Post: id}); err == nil {
			payload.Known = blog.Post{ID: id}
		}
		return err == nil, err
	})
	return payload, err
}

// UnbookmarkPost takes a post off the viewer's bookmarks.
func (m mutation) UnbookmarkPost(ctx context.Context, input graph.UnbookmarkPostInput) (payload graph.UnbookmarkPostPayload, err error) {
	_, err = on(ctx, m, &payload.UserErrors, "postId", input.PostID, func(actor blog.UserID, id blog.PostID) (done bool, err error) {
		if _, err = m.store.UnbookmarkPost(ctx, blog.UnbookmarkPost{Actor: actor, Post: id}); err == nil {
			payload.Known = blog.Post{ID: id}
		}
		return err == nil, err
	})
	return payload, err
}

// Bookmarks reads a page of the posts that the user keeps, for its owner alone. Those are left out that were deleted since
// the page was read.
func (u user) Bookmarks(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.PostConnection, error) {
	if !isOwn(ctx, obj) {
		return nil, nil
	}
	post := func(r blog.Reaction) blog.PostID { return r.Post }
	kept, err := connectPostsOf(ctx, u.Resolver, relay.BookmarksByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, blog.Reaction.OwnPosition, post, func(page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
		return u.store.BookmarksByUser(ctx, obj.ID, page)
	})
	if err != nil {
		return nil, err
	}
	return &kept, nil
}

// ViewerHasBookmarked answers whether the viewer keeps the post.
func (p post) ViewerHasBookmarked(ctx context.Context, obj *blog.Post) (*bool, error) {
	return viewerReacted(ctx, blog.Bookmarks, obj.ID.UUID)
}
