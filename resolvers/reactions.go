package resolvers

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// give makes the viewer react to a post.
func give(ctx context.Context, m mutation, userErrors *[]blog.Error, postID string, command func(blog.UserID, blog.PostID) (blog.Reaction, blog.Count, error), as reaction) (given *blog.Reaction, known blog.Post, err error) {
	err = m.write(ctx, userErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.PostID]("postId", postID)
		if err != nil {
			return err
		}
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
	err = m.write(ctx, userErrors, func(actor blog.UserID) error {
		id, err := inputID[blog.PostID]("postId", postID)
		if err != nil {
			return err
		}
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

// reactionEdges makes the edges of a page.
func reactionEdges[E any](ctx context.Context, list relay.List[blog.ReactionPosition], page blog.ReactionPage, edge func(cursor string, r blog.Reaction) E) []E {
	aheadOfReactions(ctx, fields(ctx, "edges", "node"), page.Items)
	edges, cursors := make([]E, len(page.Items)), list.Cursors(keysOf(page.Items, blog.Reaction.Position)...)
	for i, r := range page.Items {
		edges[i] = edge(cursors[i], r)
	}
	return edges
}

// viewerReacted says whether the viewer has reacted to a post; null without a viewer.
func viewerReacted(ctx context.Context, as reaction, id blog.PostID) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).reacted.load(ctx, blog.ReactionKey{Of: as.kind, Post: id})
}
