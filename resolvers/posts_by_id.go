package resolvers

import (
	"context"

	"broadsheet/blog"
)

// Post reads one post.
func (q query) Post(ctx context.Context, id string) (*blog.Post, error) {
	key, err := queryID[blog.PostID]("id", id)
	if err != nil {
		return nil, err
	}
	return blog.Found(q.readPost(ctx, key))
}

// Author answers from the post's copy where it can.
func (p post) Author(ctx context.Context, obj *blog.Post) (blog.User, error) {
	return p.userOf(ctx, obj.Author)
}

// Content reads the post where its row came from a list, which holds the excerpt.
func (p post) Content(ctx context.Context, obj *blog.Post) (string, error) {
	if obj.Content != "" {
		return obj.Content, nil
	}
	whole, err := scopeOf(ctx).posts.load(ctx, obj.ID)
	return whole.Content, err
}
