package resolvers

import (
	"slices"
	"strings"

	"broadsheet/blog"
	"broadsheet/relay"
)

// reaction is what the schema has of a kind of reactions. Its resolvers are in a file of its own.
type reaction struct {
	of     *blog.ReactionKind
	object string // its type
	viewer string // the field of a post that tells whether the viewer has reacted so
	wrap   func(blog.Reaction) relay.Node
}

// The kinds.
var likes = reaction{
	of: blog.Likes, object: "Like", viewer: "viewerHasLiked",
	wrap: func(r blog.Reaction) relay.Node { return blog.Like{Reaction: r} },
}

// reactions lists every kind.
var reactions = []reaction{likes}

// count is the field of a post that tells how many there are.
func (r reaction) count() string { return r.of.Name + "Count" }

// partitions returns how many partitions the fields of a kind read.
func (r reaction) partitions() map[string]int {
	payload := func(mutation string) string { return strings.ToUpper(mutation[:1]) + mutation[1:] + "Payload.post" }
	return map[string]int{
		"Query." + r.of.Them: 2, "Post." + r.of.Them: 2,
		"Post." + r.viewer: 2, // for a whole list; and who asks
		r.object + ".user": 1, r.object + ".post": 1,
		payload(r.of.GivenBy()): 1, payload(r.of.TakenBackBy()): 1,
	}
}

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
