package resolvers

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// Node reads any object by its id.
func (q query) Node(ctx context.Context, id string) (relay.Node, error) {
	return nodeByID(ctx, id)
}

const maxNodes = 100

// Nodes reads several objects at once. One that can't be read is null and has its
// own error.
func (q query) Nodes(ctx context.Context, ids []string) ([]relay.Node, error) {
	if len(ids) > maxNodes {
		return nil, blog.FieldErrorf(blog.Invalid, "ids", "must be at most %d, are %d", maxNodes, len(ids))
	}
	nodes := make([]relay.Node, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			var err error
			if nodes[i], err = guarded(func() (relay.Node, error) { return nodeByID(ctx, id) }); err != nil {
				graphql.AddError(graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &i}), err)
			}
		})
	}
	all.Wait()
	aheadOfNodes(ctx, nodes)
	return nodes, nil
}

// nodeByID returns nil where the id is none of ours or what it names is gone.
func nodeByID(ctx context.Context, id string) (relay.Node, error) {
	key, err := relay.DecodeAnyID(id)
	if err != nil {
		return nil, nil
	}
	load := scopeOf(ctx)
	switch k := key.(type) {
	case blog.UserID:
		u, err := load.users.load(ctx, k)
		return node(shown(ctx, u, err))
	case blog.PostID:
		return node(load.posts.load(ctx, k))
	case blog.CommentKey:
		return node(load.comments.load(ctx, k))
	case blog.GroupID:
		return node(load.groups.load(ctx, k))
	default:
		reacted := k.(blog.ReactionKey)
		r, err := load.reactions.load(ctx, reacted)
		as, _ := reactionOf(reacted.Of.Name, func(r reaction) string { return r.kind.Name })
		return node(as.wrap(r), err)
	}
}

// node makes a null of what does not exist; a nil pointer would be none.
func node[T any](value T, err error) (relay.Node, error) {
	if found, err := blog.Found(value, err); found == nil {
		return nil, err
	}
	return value, nil
}
