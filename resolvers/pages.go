package resolvers

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

// paging are the arguments of a connection: the four that Relay defines, the order and the times.
type paging struct {
	first                  *int
	after                  *string
	last                   *int
	before                 *string
	order                  blog.Order
	createdFrom, createdTo *time.Time
}

// pageOf reads the arguments of a list in their order.
func pageOf[P relay.Position](list relay.List[P], a paging) (blog.PageRequest[P], error) {
	request, bound := blog.PageRequest[P]{Limit: blog.DefaultPage, Order: a.order}, "first"
	switch {
	case a.first != nil && a.last != nil:
		return request, blog.Errorf(blog.Invalid, "give first or last, not both")
	case a.first != nil:
		request.Limit = *a.first
	case a.last != nil:
		request.Limit, request.Backward, bound = *a.last, true, "last"
	}
	if request.Limit < 1 || request.Limit > blog.MaxPage {
		return request, blog.FieldErrorf(blog.Invalid, bound, "must be 1 to %d, is %d", blog.MaxPage, request.Limit)
	}
	var err error
	if request.After, err = position(list, "after", a.after); err != nil {
		return request, err
	}
	if request.Before, err = position(list, "before", a.before); err != nil {
		return request, err
	}
	if a.createdFrom != nil && a.createdTo != nil && a.createdFrom.After(*a.createdTo) {
		return request, blog.FieldErrorf(blog.Invalid, "createdFrom", "must not be after createdTo")
	}
	request.From, request.To = since1970(a.createdFrom), since1970(a.createdTo)
	return request, nil
}

func position[P relay.Position](list relay.List[P], argument string, cursor *string) (*P, error) {
	if cursor == nil {
		return nil, nil
	}
	at, err := list.Position(*cursor)
	return &at, blame(argument, err)
}

// connect reads the page of a list that its arguments ask for.
func connect[P relay.Position, T, C any](ctx context.Context, list relay.List[P], a paging,
	read func(blog.PageRequest[P]) (T, error), connection func(context.Context, relay.List[P], T) C,
) (C, error) {
	var none C
	request, err := pageOf(list, a)
	if err != nil {
		return none, err
	}
	page, err := read(request)
	if err != nil {
		return none, err
	}
	return connection(ctx, list, page), nil
}

// connectPosts is connect for posts, with the cursor for live updates.
func (r *Resolver) connectPosts(ctx context.Context, list relay.List[blog.PostID], a paging,
	read func(blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error),
) (graph.PostConnection, error) {
	at, err := r.position(ctx)
	if err != nil {
		return graph.PostConnection{}, err
	}
	posts, err := connect(ctx, list, a, read, postConnection)
	if at != nil {
		posts.LiveCursor = at.OfPosts()
	}
	return posts, err
}

// connectPostsOf connects the posts that rows name, as [connectEnds] does.
func connectPostsOf[P relay.Position, T any](ctx context.Context, r *Resolver, list relay.List[P], a paging, at func(T) P, post func(T) blog.PostID,
	read func(blog.PageRequest[P]) (blog.Page[T], error),
) (posts graph.PostConnection, err error) {
	now, err := r.position(ctx)
	if err != nil {
		return posts, err
	}
	posts.Edges, posts.PageInfo, err = connectEnds(ctx, list, a, at, func(page blog.PageRequest[P]) (blog.Page[T], error) {
		rows, err := read(page)
		scopeOf(ctx).posts.start(ctx, keysOf(rows.Items, post)...)
		return rows, err
	}, func(row T) (*blog.Post, error) { return r.parent(ctx, post(row)) }, postEdge)
	aheadOfPosts(ctx, fields(ctx, "edges", "node"), keysOf(posts.Edges, func(e graph.PostEdge) blog.Post { return e.Node }))
	if now != nil {
		posts.LiveCursor = now.OfPosts()
	}
	return posts, err
}

func postConnection(ctx context.Context, list relay.List[blog.PostID], page blog.Page[blog.Post]) graph.PostConnection {
	aheadOfPosts(ctx, fields(ctx, "edges", "node"), page.Items)
	edges, info := connected(ctx, list, page, postID, postEdge)
	return graph.PostConnection{Edges: edges, PageInfo: info}
}

func postEdge(cursor string, p blog.Post) graph.PostEdge {
	return graph.PostEdge{Cursor: cursor, Node: p}
}

func commentConnection(ctx context.Context, list relay.List[blog.CommentID], page blog.Page[blog.Comment]) graph.CommentConnection {
	aheadOfComments(ctx, fields(ctx, "edges", "node"), page.Items)
	edges, info := connected(ctx, list, page, commentID, commentEdge)
	return graph.CommentConnection{Edges: edges, PageInfo: info}
}

func commentEdge(cursor string, c blog.Comment) graph.CommentEdge {
	return graph.CommentEdge{Cursor: cursor, Node: c}
}

func commentID(c blog.Comment) blog.CommentID { return c.ID }

// connected makes the edges of a page. Where their cursors are not asked for only the ends' are made.
func connected[P relay.Position, T, E any](ctx context.Context, list relay.List[P], page blog.Page[T], position func(T) P, edge func(cursor string, row T) E) ([]E, graph.PageInfo) {
	info, at := graph.PageInfo{HasNextPage: page.HasNext, HasPreviousPage: page.HasPrevious}, keysOf(page.Items, position)
	if len(at) == 0 && page.Ends != (blog.UUID{}) {
		at = make([]P, 1)
		*blog.IDAt(&at[0]) = page.Ends
	}
	if n := len(at); n > 2 && !asks(ctx, "cursor", "edges") {
		at = []P{at[0], at[n-1]}
	}
	edges, cursors, last := make([]E, len(page.Items)), list.Cursors(at...), len(at)-1
	for i, row := range page.Items {
		edges[i] = edge(cursors[min(i, last)], row)
	}
	if last >= 0 {
		info.StartCursor, info.EndCursor = &cursors[0], &cursors[last]
	}
	return edges, info
}

// connectEnds reads a page of rows, and makes edges of what stands at the other end of each: what is gone meanwhile, for
// which end returns nil, has none.
func connectEnds[P relay.Position, T, N, E any](ctx context.Context, list relay.List[P], a paging, at func(T) P,
	read func(blog.PageRequest[P]) (blog.Page[T], error), end func(T) (*N, error), edge func(cursor string, end N) E,
) (edges []E, info graph.PageInfo, err error) {
	request, err := pageOf(list, a)
	if err != nil {
		return nil, info, err
	}
	page, err := read(request)
	if err != nil {
		return nil, info, err
	}
	edges = make([]E, 0, len(page.Items))
	_, info = connected(ctx, list, page, at, func(cursor string, row T) (none struct{}) {
		if n, failed := end(row); failed != nil {
			err = failed
		} else if n != nil {
			edges = append(edges, edge(cursor, *n))
		}
		return none
	})
	return edges, info, err
}
