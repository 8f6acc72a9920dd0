package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/relay"
)

// LikePost makes the viewer like a post.
func (m mutation) LikePost(ctx context.Context, input graph.LikePostInput) (payload graph.LikePostPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.PostID]("postId", input.PostID)
		if err != nil {
			return err
		}
		given, count, err := m.store.LikePost(ctx, blog.LikePost{Actor: actor, Post: id})
		if err != nil {
			return err
		}
		wroteAs(ctx, given.User)
		edge := likeEdge(relay.LikesByPost(id), given)
		payload.Like, payload.LikeEdge = &given, &edge
		payload.Known = blog.Post{ID: id, Likes: count}
		return nil
	})
	return payload, err
}

// Post is the post that is liked.
func (p likePostPayload) Post(ctx context.Context, obj *graph.LikePostPayload) (*blog.Post, error) {
	return p.postOf(ctx, obj.Known)
}
