package resolvers

import (
	"context"
	"slices"
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
	at, err := u.position(ctx)
	if err != nil {
		return nil, err
	}
	var posts []blog.Post
	kept, err := connect(ctx, relay.BookmarksByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.ReactionPosition]) (rows blog.Page[blog.Reaction], err error) {
		if rows, err = u.store.BookmarksByUser(ctx, obj.ID, page); err == nil {
			posts, err = u.postsOf(ctx, rows.Items)
		}
		return rows, err
	}, func(ctx context.Context, list relay.List[blog.ReactionPosition], page blog.Page[blog.Reaction]) graph.PostConnection {
		i := -1
		edges, info := connected(ctx, list, page, blog.Reaction.OwnPosition, func(cursor string, _ blog.Reaction) graph.PostEdge {
			i++
			return postEdge(cursor, posts[i])
		})
		edges = slices.DeleteFunc(edges, func(e graph.PostEdge) bool { return e.Node.ID.IsZero() })
		aheadOfPosts(ctx, fields(ctx, "edges", "node"), keysOf(edges, func(e graph.PostEdge) blog.Post { return e.Node }))
		return graph.PostConnection{Edges: edges, PageInfo: info}
	})
	if err != nil {
		return nil, err
	}
	if at != nil {
		kept.LiveCursor = at.OfPosts()
	}
	return &kept, nil
}

// postsOf reads the posts that rows are about, together; zero where there is none.
func (r *Resolver) postsOf(ctx context.Context, rows []blog.Reaction) (posts []blog.Post, err error) {
	scopeOf(ctx).posts.start(ctx, keysOf(rows, func(r blog.Reaction) blog.PostID { return r.Post })...)
	for _, row := range rows {
		p, err := r.parent(ctx, row.Post)
		if err != nil {
			return nil, err
		}
		if p == nil {
			p = &blog.Post{}
		}
		posts = append(posts, *p)
	}
	return posts, nil
}

// ViewerHasBookmarked is answered for a whole page by one read; null without a viewer.
func (p post) ViewerHasBookmarked(ctx context.Context, obj *blog.Post) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).reacted.load(ctx, blog.ReactionKey{Of: blog.Bookmarks, To: obj.ID.UUID})
}
