package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/graph/plan"
	"broadsheet/internal/relay"
)

// A list knows what its nodes will ask for: their fields are in the query, and the
// keys are in the rows. It starts those reads before its nodes are resolved, so
// that a page makes one dispatch and not one for each row.

// fields returns what the field being resolved is asked for, or what is asked for
// below it, at the path of names. Fragments, aliases, @skip and @include are seen
// through.
func fields(ctx context.Context, path ...string) []graphql.CollectedField {
	found := selection(ctx, graphql.GetFieldContext(ctx).Field)
	for _, name := range path {
		found = below(ctx, found, name)
	}
	return found
}

// asks reports whether a field of a name is among them.
func asks(ctx context.Context, name string, path ...string) bool {
	return slices.ContainsFunc(fields(ctx, path...), func(f graphql.CollectedField) bool { return f.Name == name })
}

// below returns what those of some fields that have a name ask of their values.
func below(ctx context.Context, fields []graphql.CollectedField, name string) (asked []graphql.CollectedField) {
	for _, field := range fields {
		switch {
		case field.Name != name:
		case asked == nil:
			asked = slices.Clip(selection(ctx, field)) // which others have, too
		default:
			asked = append(asked, selection(ctx, field)...)
		}
	}
	return asked
}

// selection returns what a field asks of its values, which are objects of one type. It is found out once for a plan.
func selection(ctx context.Context, field graphql.CollectedField) []graphql.CollectedField {
	if len(field.Selections) == 0 {
		return nil
	}
	asked, at := scopeOf(ctx).limit.Asked(), &field.Selections[0]
	found, known := asked.Load(at)
	if !known {
		found, _ = asked.LoadOrStore(at, askedOf(graphql.GetOperationContext(ctx), field.Selections, field.Definition.Type.Name()))
	}
	return found.([]graphql.CollectedField)
}

// askedOf returns what a selection asks of objects of a type. What is started ahead, what an
// operation costs, and whether a copy answers without a read, all follow from it, as what is
// answered follows from a plan that compiles the same fields.
func askedOf(op *graphql.OperationContext, set ast.SelectionSet, object string) []graphql.CollectedField {
	return plan.Fields(op, set, schema.Types[object])
}

func aheadOfPosts(ctx context.Context, asked []graphql.CollectedField, posts []blog.Post) {
	for _, field := range asked {
		switch field.Name {
		case "author":
			aheadOfUsers(ctx, selection(ctx, field), posts, func(p blog.Post) blog.Author { return p.Author })
		case "content":
			scopeOf(ctx).posts.start(ctx, keysOf(posts, postID)...)
		case "group":
			aheadOfTheirGroups(ctx, posts)
		default:
			if of, ok := reactionOf(field.Name, viewerField); ok {
				aheadOfViewer(ctx, of.kind, keysOf(posts, postID))
			}
		}
	}
}

// aheadOfTheirGroups starts the groups that posts were published in.
func aheadOfTheirGroups(ctx context.Context, posts []blog.Post) {
	in := slices.DeleteFunc(keysOf(posts, func(p blog.Post) blog.GroupID { return p.Group }), blog.GroupID.IsZero)
	scopeOf(ctx).groups.start(ctx, in...)
}

// aheadOfGroups starts what is asked of groups.
func aheadOfGroups(ctx context.Context, asked []graphql.CollectedField, groups []blog.Group) {
	for _, field := range asked {
		switch field.Name {
		case "owner":
			aheadOfUsers(ctx, selection(ctx, field), groups, func(g blog.Group) blog.Author { return blog.Author{ID: g.Owner} })
		case "viewerIsMember":
			aheadOfViewer(ctx, blog.Members, keysOf(groups, func(g blog.Group) blog.GroupID { return g.ID }))
		}
	}
}

func aheadOfComments(ctx context.Context, asked []graphql.CollectedField, comments []blog.Comment) {
	aheadOfRows(ctx, asked, comments, func(c blog.Comment) blog.Author { return c.Author }, func(c blog.Comment) blog.PostID { return c.Post })
}

func aheadOfReactions(ctx context.Context, asked []graphql.CollectedField, rows []blog.Reaction) {
	aheadOfRows(ctx, asked, rows, func(r blog.Reaction) blog.Author { return r.User }, func(r blog.Reaction) blog.PostID { return r.Post })
}

func aheadOfRows[T any](ctx context.Context, asked []graphql.CollectedField, rows []T, user func(T) blog.Author, post func(T) blog.PostID) {
	for _, field := range asked {
		switch field.Name {
		case "author", "user":
			aheadOfUsers(ctx, selection(ctx, field), rows, user)
		case "post":
			aheadOfParents(ctx, field, keysOf(rows, post))
		}
	}
}

// aheadOfViewer starts to read whether the viewer has reacted to parents.
func aheadOfViewer[ID ~struct{ blog.UUID }](ctx context.Context, of *blog.ReactionKind, parents []ID) {
	if AskerOf(ctx).Subject != "" {
		scopeOf(ctx).reacted.start(ctx, keysOf(parents, func(id ID) blog.ReactionKey { return blog.ReactionKey{Of: of, To: struct{ blog.UUID }(id).UUID} })...)
	}
}

// aheadOfUsers starts the users that the rows' copies don't answer for, and whether the viewer follows them.
func aheadOfUsers[T any](ctx context.Context, fields []graphql.CollectedField, rows []T, author func(T) blog.Author) {
	if slices.ContainsFunc(fields, func(f graphql.CollectedField) bool { return f.Name == "viewerFollows" }) {
		aheadOfViewer(ctx, blog.Follows, keysOf(rows, func(row T) blog.UserID { return author(row).ID }))
	}
	asked := needsOf(fields)
	if asked == (needs{}) || len(rows) == 0 {
		return
	}
	s := scopeOf(ctx)
	if s.by.askViewer(ctx) != nil {
		return // each row will say so
	}
	s.by.startUsers(ctx, lookAt(&s.names, rows, author, asked))
}

// aheadOfParents starts the posts that rows belong to, and what those are asked
// for that follows from their ids alone.
func aheadOfParents(ctx context.Context, field graphql.CollectedField, posts []blog.PostID) {
	scopeOf(ctx).posts.start(ctx, posts...)
	for _, below := range selection(ctx, field) {
		if of, ok := reactionOf(below.Name, viewerField); ok {
			aheadOfViewer(ctx, of.kind, posts)
		}
	}
}

// needs are what a user is asked for beyond what follows from the id.
type needs struct {
	username, displayName bool
	whole                 bool // what copies don't hold
}

func needsOf(asked []graphql.CollectedField) (n needs) {
	for _, field := range asked {
		switch field.Name {
		case "__typename", "id", "createdAt", "posts", "comments", "viewerCanModerate", // follow from the id
			"followers", "following", "followerCount", "followingCount", "viewerFollows", "groups", "ownGroups":
		case "username":
			n.username = true
		case "displayName":
			n.displayName = true
		default:
			n.whole = true
		}
	}
	return n
}

// beyond reports whether a copy does not tell what is asked for.
func (n needs) beyond(held blog.Author) bool {
	return n.whole || n.username && held.Username == "" || n.displayName && !held.DisplayName.Known
}

// userOf returns the user that a copy stands for: from the copy where that will do. The
// name lacks where the copy has not arrived yet.
func (r *Resolver) userOf(ctx context.Context, held blog.Author) (blog.User, error) {
	return r.userAs(ctx, held, needsOf(fields(ctx)))
}

func (r *Resolver) userAs(ctx context.Context, held blog.Author, asked needs) (blog.User, error) {
	if asked == (needs{}) {
		return held.User(false), nil
	}
	// Which read answers for the viewer may not depend on who was asked for first.
	if err := r.askViewer(ctx); err != nil {
		return blog.User{}, err
	}
	if asked.beyond(held) {
		return r.standing(ctx, held)
	}
	if as, ok := scopeOf(ctx).names.copied(held); ok {
		return as.User(asked.displayName), nil
	}
	return r.standing(ctx, held)
}

// standing reads the account of a user whom a row names. Of one that is being erased no more is known
// than what the row holds.
func (r *Resolver) standing(ctx context.Context, held blog.Author) (blog.User, error) {
	account, err := r.user(ctx, held.ID)
	if blog.IsNotFound(err) {
		return held.User(true), nil
	}
	return account, err
}

func postID(p blog.Post) blog.PostID { return p.ID }

func keysOf[T, K any](rows []T, key func(T) K) []K {
	keys := make([]K, len(rows))
	for i, row := range rows {
		keys[i] = key(row)
	}
	return keys
}

// aheadOfNodes does for nodes what a page does for its rows.
func aheadOfNodes(ctx context.Context, nodes []relay.Node) {
	var posts []blog.Post
	var comments []blog.Comment
	given := map[*blog.ReactionKind][]blog.Reaction{}
	for _, node := range nodes {
		switch n := node.(type) {
		case blog.Post:
			posts = append(posts, n)
		case blog.Comment:
			comments = append(comments, n)
		case blog.Reacted:
			given[n.Key().Of] = append(given[n.Key().Of], n.Same())
		}
	}
	op, set := graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections
	if len(posts) > 0 {
		aheadOfPosts(ctx, askedOf(op, set, "Post"), posts)
	}
	if len(comments) > 0 {
		aheadOfComments(ctx, askedOf(op, set, "Comment"), comments)
	}
	for _, as := range reactions {
		if len(given[as.kind]) > 0 {
			aheadOfReactions(ctx, askedOf(op, set, as.object), given[as.kind])
		}
	}
}
