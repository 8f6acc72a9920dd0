package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// Threads reads a page of a post's conversations.
func (q query) Threads(ctx context.Context, postID string, first *int, after *string, last *int, before *string) (*graph.ThreadConnection, error) {
	key, err := queryID[blog.PostID]("postId", postID)
	if err != nil {
		return nil, err
	}
	page := paging{first: first, after: after, last: last, before: before}
	return blog.Found(q.commentsByThread(ctx, relay.Threads(key), blog.ThreadQuery{Post: key}, page))
}

// Thread reads a page of a comment and what stands below it.
func (q query) Thread(ctx context.Context, commentID string, first *int, after *string, last *int, before *string) (*graph.ThreadConnection, error) {
	key, err := queryID[blog.CommentKey]("commentId", commentID)
	if err != nil {
		return nil, err
	}
	list, page := relay.Thread(key), paging{first: first, after: after, last: last, before: before}
	if _, err := pageOf(list, page); err != nil {
		return nil, err
	}
	top, err := blog.Found(scopeOf(ctx).comments.load(ctx, key))
	if top == nil {
		return nil, err
	}
	return blog.Found(q.commentsByThread(ctx, list, blog.ThreadQuery{Post: key.Post, Under: top.Place()}, page))
}

func (r *Resolver) commentsByThread(ctx context.Context, list relay.List[blog.Path], asked blog.ThreadQuery, a paging) (none graph.ThreadConnection, err error) {
	if asked.Page, err = pageOf(list, a); err != nil {
		return none, err
	}
	var entries blog.Page[blog.ThreadEntry]
	comments, err := readComments(ctx, asked.Page.Limit, func(ctx context.Context) (comments blog.Page[blog.Comment], err error) {
		entries, err = r.store.CommentsByThread(ctx, asked)
		for _, entry := range entries.Items {
			if entry.Comment != nil {
				comments.Items = append(comments.Items, *entry.Comment)
			}
		}
		return comments, err
	})
	if err != nil {
		return none, err
	}
	aheadOfComments(ctx, fields(ctx, "edges", "node", "comment"), comments.Items)
	edges, info := connected(ctx, list, entries, func(e blog.ThreadEntry) blog.Path { return e.Path }, func(cursor string, e blog.ThreadEntry) graph.ThreadEdge {
		return graph.ThreadEdge{Cursor: cursor, Node: e}
	})
	return graph.ThreadConnection{Edges: edges, PageInfo: info}, nil
}
