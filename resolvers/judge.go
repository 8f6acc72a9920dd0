package resolvers

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/graph/plan"
	"broadsheet/internal/relay"
)

// Judge returns what is wrong with the arguments below the payloads of a mutation, before it is executed: a resolver
// there would refuse them after the mutation has written. The variables of the operation are known, and all values
// are of their types.
//
// One mistake is left for the resolvers: the cursor of a list of the same kind that has another parent, where the
// mutation's input does not name that.
func Judge(op *graphql.OperationContext) gqlerror.List {
	j := judge{op: op}
	for _, command := range plan.Fields(op, op.Operation.SelectionSet, schema.Mutation) {
		j.below(command, j.named(command), ast.Path{ast.PathName(command.Alias)})
	}
	return j.errs
}

type judge struct {
	op   *graphql.OperationContext
	errs gqlerror.List
}

// rule reads the arguments of a list as its resolver does. Post is the one that the list belongs to, nil where it is not known.
type rule func(post *blog.PostID, a arguments) error

// judges are the rules of lists, by type and name.
var judges = map[string]rule{
	"Post.comments":  judgeComments,
	"Post.likes":     judgePage(relay.LikesByPost),
	"User.posts":     judgePage(relay.PostsByAuthor),
	"User.comments":  judgePage(relay.CommentsByAuthor),
	"User.likes":     judgePage(relay.LikesByUser),
	"User.bookmarks": judgePage(relay.BookmarksByUser),
	"User.followers": judgePage(relay.FollowersByUser),
	"User.following": judgePage(relay.FollowsByUser),
	"User.groups":    judgePage(relay.GroupsByUser),

	"Group.posts":         judgePage(relay.PostsByGroup),
	"Group.members":       judgePage(relay.MembersByGroup),
	"Group.newestMembers": judgePage(relay.NewestMembers),
}

func judgePage[K any, P relay.Position](list func(K, blog.Order) relay.List[P]) rule {
	return func(post *blog.PostID, a arguments) error {
		parent, _ := any(post).(*K) // nil for a user, which is not known
		page := a.paging()
		_, err := pageOf(listOf(parent, func(k K) relay.List[P] { return list(k, page.order) }), page)
		return err
	}
}

// listOf returns the list of a parent: of any where it is not known.
func listOf[K any, P relay.Position](parent *K, list func(K) relay.List[P]) relay.List[P] {
	if parent == nil {
		var unknown K
		return list(unknown).OfAnyParent()
	}
	return list(*parent)
}

// named returns the post that a mutation's input names, by its id or by that of a comment.
func (j *judge) named(command graphql.CollectedField) *blog.PostID {
	input, _ := command.ArgumentMap(j.op.Variables)["input"].(map[string]any)
	for _, name := range []string{"postId", "id"} {
		id, _ := relay.UnmarshalID(input[name])
		switch key, _ := relay.DecodeAnyID(id); k := key.(type) {
		case blog.PostID:
			return &k
		case blog.CommentKey:
			return &k.Post
		}
	}
	return nil
}

// below judges what is selected of a field's values. Post is the only one that is met there,
// until there is a user: from comments and likes of a post there is no way to another.
func (j *judge) below(field graphql.CollectedField, post *blog.PostID, path ast.Path) {
	for _, object := range objectsOf(field) {
		of := post
		if object.Name == "User" {
			of = nil
		}
		for _, selected := range plan.Fields(j.op, field.Selections, object) {
			at := append(slices.Clip(path), ast.PathName(selected.Alias))
			if rule := judges[object.Name+"."+selected.Name]; rule != nil {
				j.note(selected, at, rule(of, selected.ArgumentMap(j.op.Variables)))
			}
			j.below(selected, of, at)
		}
	}
}

// note keeps an error as it looks where a resolver returns it.
func (j *judge) note(field graphql.CollectedField, path ast.Path, err error) {
	if err == nil {
		return
	}
	shown := present(err)
	shown.Path = path
	shown.Locations = []gqlerror.Location{{Line: field.Position.Line, Column: field.Position.Column}}
	j.errs = append(j.errs, shown)
}

// arguments are the values of a field's arguments, with defaults.
type arguments map[string]any

func (a arguments) paging() paging {
	return paging{
		argument(a, "first", relay.UnmarshalInt), argument(a, "after", relay.UnmarshalString),
		argument(a, "last", relay.UnmarshalInt), argument(a, "before", relay.UnmarshalString),
		*argument(a, "order", relay.UnmarshalSortOrder), // which has a default
		argument(a, "createdFrom", relay.UnmarshalDateTime), argument(a, "createdTo", relay.UnmarshalDateTime),
	}
}

// argument reads a value, nil where it is absent or null.
func argument[T any](a arguments, name string, read func(any) (T, error)) *T {
	if a[name] == nil {
		return nil
	}
	value, err := read(a[name])
	if err != nil {
		panic(err) // it was coerced
	}
	return &value
}
