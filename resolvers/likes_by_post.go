package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/relay"
)

// Likes reads a page of a post's likes.
func (q query) Likes(ctx context.Context, postID string, first *int, after *string, last *int, before *string) (*graph.LikeConnection, error) {
	key, err := queryID[blog.PostID]("postId", postID)
	if err != nil {
		return nil, err
	}
	return found(q.likesByPost(ctx, key, first, after, last, before))
}

// Likes reads a page of the post's likes: none where the post was deleted since it
// was read.
func (p post) Likes(ctx context.Context, obj *blog.Post, first *int, after *string, last *int, before *string) (graph.LikeConnection, error) {
	connection, err := found(p.likesByPost(ctx, obj.ID, first, after, last, before))
	if connection == nil {
		return graph.LikeConnection{}, err
	}
	return *connection, nil
}

func (r *Resolver) likesByPost(ctx context.Context, post blog.PostID, first *int, after *string, last *int, before *string) (graph.LikeConnection, error) {
	return connect(ctx, relay.LikesByPost(post), first, after, last, before, func(page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
		return r.store.LikesByPost(ctx, post, page)
	}, likeConnection)
}

// User answers from the like's copy where it can.
func (l like) User(ctx context.Context, obj *blog.Like) (blog.User, error) {
	return l.userOf(ctx, obj.User)
}

// Post reads the post that is liked.
func (l like) Post(ctx context.Context, obj *blog.Like) (*blog.Post, error) {
	return l.parent(ctx, obj.Post)
}
