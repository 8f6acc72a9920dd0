package resolvers

import (
	"context"
	"slices"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// reaction is what the schema has of a kind of reactions; the resolvers of each are in a file of its name.
type reaction struct {
	kind   *blog.ReactionKind
	object string // its type; a private kind has none, and no list of a post's
	viewer string // the field of a post that says whether the viewer has reacted so
	wrap   func(blog.Reaction) relay.Node
}

// count is the field of a post that says how many there are.
func (r reaction) count() string { return r.kind.Name + "Count" }

// reactionOf returns the kind of which a field, or a type, is the one that name returns; false
// where it is of none.
func reactionOf(field string, name func(reaction) string) (reaction, bool) {
	i := slices.IndexFunc(reactions, func(r reaction) bool { return name(r) == field })
	if i < 0 {
		return reaction{}, false
	}
	return reactions[i], true
}

func viewerField(r reaction) string { return r.viewer }

// reactions lists every kind.
var reactions = []reaction{likes, {kind: blog.Bookmarks, viewer: "viewerHasBookmarked"}}

var likes = reaction{
	kind: blog.Likes, object: "Like", viewer: "viewerHasLiked",
	wrap: func(r blog.Reaction) relay.Node { return blog.Like{Reaction: r} },
}

// viewerReacted is answered for a whole page by one read; nil without a viewer.
func viewerReacted(ctx context.Context, of *blog.ReactionKind, to blog.UUID) (*bool, error) {
	if AskerOf(ctx).Subject == "" {
		return nil, nil
	}
	return scopeOf(ctx).reacted.load(ctx, blog.ReactionKey{Of: of, To: to})
}
