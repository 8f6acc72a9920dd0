package resolvers

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/relay"
)

type like struct{ *Resolver }

func (r *Resolver) Like() graph.LikeResolver { return like{r} }

func (r *Resolver) LikePostPayload() graph.LikePostPayloadResolver {
	return payload[graph.LikePostPayload]{r}
}

func (r *Resolver) UnlikePostPayload() graph.UnlikePostPayloadResolver {
	return payload[graph.UnlikePostPayload]{r}
}

// LikePost has the viewer react to a post.
func (m mutation) LikePost(ctx context.Context, input graph.LikePostInput) (payload graph.LikePostPayload, err error) {
	payload.Like, err = on(ctx, m, &payload.UserErrors, "postId", input.PostID, func(actor blog.UserID, id blog.PostID) (blog.Like, error) {
		given, count, err := m.store.LikePost(ctx, blog.LikePost{Actor: actor, Post: id})
		if err != nil {
			return blog.Like{}, err
		}
		wroteAs(ctx, given.User)
		edge := likeEdge(relay.LikesByPost(id, blog.NewestFirst).Cursor(given.Position()), given)
		payload.LikeEdge, payload.Known = &edge, blog.Post{ID: id, Likes: count}
		return edge.Node, nil
	})
	return payload, err
}

// UnlikePost takes the viewer's reaction back. Its id is the same whether or not there was one.
func (m mutation) UnlikePost(ctx context.Context, input graph.UnlikePostInput) (payload graph.UnlikePostPayload, err error) {
	payload.DeletedID, err = on(ctx, m, &payload.UserErrors, "postId", input.PostID, func(actor blog.UserID, id blog.PostID) (string, error) {
		count, err := m.store.UnlikePost(ctx, blog.UnlikePost{Actor: actor, Post: id})
		if err != nil {
			return "", err
		}
		payload.Known = blog.Post{ID: id, Likes: count}
		return relay.EncodeID(blog.ReactionKey{Of: blog.Likes, To: id.UUID, User: actor}), nil
	})
	return payload, err
}

// Likes reads a page of a post's likes.
func (q query) Likes(ctx context.Context, postID string, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.LikeConnection, error) {
	key, err := queryID[blog.PostID]("postId", postID)
	if err != nil {
		return nil, err
	}
	return blog.Found(q.likesByPost(ctx, key, paging{first, after, last, before, order, createdFrom, createdTo}))
}

// Likes reads a page of the post's likes: none where the post was deleted since it
// was read.
func (p post) Likes(ctx context.Context, obj *blog.Post, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (graph.LikeConnection, error) {
	connection, err := blog.Found(p.likesByPost(ctx, obj.ID, paging{first, after, last, before, order, createdFrom, createdTo}))
	if connection == nil {
		return graph.LikeConnection{}, err
	}
	return *connection, nil
}

func (r *Resolver) likesByPost(ctx context.Context, post blog.PostID, a paging) (graph.LikeConnection, error) {
	return connect(ctx, relay.LikesByPost(post, a.order), a, func(page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
		return r.store.LikesByPost(ctx, post, page)
	}, likeConnection)
}

func likeConnection(ctx context.Context, list relay.List[blog.ReactionPosition], page blog.ReactionPage) graph.LikeConnection {
	aheadOfReactions(ctx, fields(ctx, "edges", "node"), page.Items)
	edges, info := connected(ctx, list, page.Page, blog.Reaction.Position, likeEdge)
	return graph.LikeConnection{Edges: edges, PageInfo: info, TotalCount: page.Count.N}
}

func likeEdge(cursor string, r blog.Reaction) graph.LikeEdge {
	return graph.LikeEdge{Cursor: cursor, Node: blog.Like{Reaction: r}}
}

// Likes reads a page of what the user likes, for its owner alone.
func (u user) Likes(ctx context.Context, obj *blog.User, first *int, after *string, last *int, before *string, order blog.Order, createdFrom, createdTo *time.Time) (*graph.UserLikeConnection, error) {
	if !isOwn(ctx, obj) {
		return nil, nil
	}
	own, err := connect(ctx, relay.LikesByUser(obj.ID, order), paging{first, after, last, before, order, createdFrom, createdTo}, func(page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
		likes, err := u.store.LikesByUser(ctx, obj.ID, page)
		likes.Items = slices.Clone(likes.Items) // others may share them
		for i := range likes.Items {
			likes.Items[i].User = obj.Name().Author() // the row does not hold it
		}
		return likes, err
	}, userLikeConnection)
	if err != nil {
		return nil, err
	}
	return &own, nil
}

func userLikeConnection(ctx context.Context, list relay.List[blog.ReactionPosition], page blog.Page[blog.Reaction]) graph.UserLikeConnection {
	aheadOfReactions(ctx, fields(ctx, "edges", "node"), page.Items)
	edges, info := connected(ctx, list, page, blog.Reaction.OwnPosition, likeEdge)
	return graph.UserLikeConnection{Edges: edges, PageInfo: info}
}

// User answers from the reaction's copy where it can.
func (r like) User(ctx context.Context, obj *blog.Like) (blog.User, error) {
	return r.userOf(ctx, obj.User)
}

// Post reads the post that is reacted to.
func (r like) Post(ctx context.Context, obj *blog.Like) (*blog.Post, error) {
	return r.parent(ctx, obj.Reaction.Post)
}

// ViewerHasLiked answers whether the viewer likes the post.
func (p post) ViewerHasLiked(ctx context.Context, obj *blog.Post) (*bool, error) {
	return viewerReacted(ctx, blog.Likes, obj.ID.UUID)
}
