package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// give makes the viewer react to a post.
func give(ctx context.Context, m mutation, userErrors *[]blog.Error, postID string, command func(blog.UserID, blog.PostID) (blog.Reaction, blog.Count, error), as reaction) (given *blog.Reaction, known blog.Post, err error) {
	err = on(ctx, m, userErrors, "postId", postID, func(actor blog.UserID, id blog.PostID) error {
		made, count, err := command(actor, id)
		if err != nil {
			return err
		}
		wroteAs(ctx, made.User)
		given, known.ID, *as.kind.Count(&known) = &made, id, count
		return nil
	})
	return given, known, err
}

// takeBack takes a reaction of the viewer's back. Its id is the same whether or not there was one.
func takeBack(ctx context.Context, m mutation, userErrors *[]blog.Error, postID string, command func(blog.UserID, blog.PostID) (blog.Count, error), as reaction) (deleted *string, known blog.Post, err error) {
	err = on(ctx, m, userErrors, "postId", postID, func(actor blog.UserID, id blog.PostID) error {
		count, err := command(actor, id)
		if err != nil {
			return err
		}
		key := relay.EncodeID(blog.ReactionKey{Of: as.kind, Post: id, User: actor})
		deleted, known.ID, *as.kind.Count(&known) = &key, id, count
		return nil
	})
	return deleted, known, err
}

// viewerReacted says whether the viewer has reacted to a post; null without a viewer.
func viewerReacted(ctx context.Context, as reaction, id blog.PostID) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).reacted.load(ctx, blog.ReactionKey{Of: as.kind, Post: id})
}
