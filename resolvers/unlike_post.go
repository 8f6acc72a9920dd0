package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/relay"
)

// UnlikePost makes the viewer not like a post. The id of the like is the same
// whether or not there was one.
func (m mutation) UnlikePost(ctx context.Context, input graph.UnlikePostInput) (payload graph.UnlikePostPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.PostID]("postId", input.PostID)
		if err != nil {
			return err
		}
		count, err := m.store.UnlikePost(ctx, blog.UnlikePost{Actor: actor, Post: id})
		if err != nil {
			return err
		}
		deleted := relay.EncodeID(blog.LikeKey{Post: id, User: actor})
		payload.DeletedID = &deleted
		payload.Known = blog.Post{ID: id, Likes: count}
		return nil
	})
	return payload, err
}

// Post is the post that was liked.
func (p unlikePostPayload) Post(ctx context.Context, obj *graph.UnlikePostPayload) (*blog.Post, error) {
	return p.postOf(ctx, obj.Known)
}
