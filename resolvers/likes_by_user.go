package resolvers

import (
	"context"

	"broadsheet/blog"
)

// ViewerHasLiked is answered for a whole page by one read.
func (p post) ViewerHasLiked(ctx context.Context, obj *blog.Post) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).liked.load(ctx, obj.ID)
}

// viewerLikes tells of each post whether the viewer likes it; of none without an
// account.
func (r *Resolver) viewerLikes(ctx context.Context, posts []blog.PostID) (map[blog.PostID]*bool, error) {
	viewer, ok, err := r.viewerID(ctx)
	if !ok {
		return nil, err
	}
	likes, err := r.store.LikedPosts(ctx, viewer, posts)
	if err != nil {
		return nil, err
	}
	liked := make(map[blog.PostID]*bool, len(posts))
	for _, id := range posts {
		_, likes := likes[id]
		liked[id] = &likes
	}
	return liked, nil
}

// likeByKey reads one like.
func (r *Resolver) likeByKey(ctx context.Context, key blog.LikeKey) (blog.Like, error) {
	likes, err := r.store.LikedPosts(ctx, key.User, []blog.PostID{key.Post})
	if err != nil {
		return blog.Like{}, err
	}
	found, ok := likes[key.Post]
	if !ok {
		return found, blog.Errorf(blog.NotFound, "there is no such like")
	}
	return found, nil
}
