package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/internal/refusal"
	"broadsheet/internal/relay"
)

// writeAs runs a command for the request's subject, and returns what that has returned; nil where it failed. What a
// person did wrong goes into the payload's userErrors; any other error is the request's.
func writeAs[T any](ctx context.Context, userErrors *[]blog.Error, command func(subject string) (T, error)) (*T, error) {
	subject := AskerOf(ctx).Subject
	if subject == "" {
		return nil, refusal.New(refusal.CodeUnauthenticated, "this needs a token: send the header Authorization: Bearer …").GraphQL()
	}
	written, err := command(subject)
	if err == nil {
		return &written, nil
	}
	all, asker := blog.Each(err), AskerOf(ctx)
	for _, e := range all {
		code := relay.UserErrorCode(e.Kind)
		if code == "" {
			return nil, e
		}
		*userErrors = append(*userErrors, *e)
		asker.UserErrors = append(asker.UserErrors, UserError{graphql.GetFieldContext(ctx).Field.Name, code})
	}
	if all != nil {
		err = nil
	}
	return nil, err
}

// write is writeAs for the commands that need an account.
func write[T any](ctx context.Context, m mutation, userErrors *[]blog.Error, command func(actor blog.UserID) (T, error)) (*T, error) {
	return writeAs(ctx, userErrors, func(subject string) (T, error) {
		_, remembered := m.accounts.Get(accountKey{subject: subject})
		written, err := asViewer(ctx, m, command)
		if remembered && blog.IsNoAccount(err) { // it was erased, and there may be another by now
			m.accounts.Remove(accountKey{subject: subject})
			return asViewer(ctx, m, command)
		}
		return written, err
	})
}

// on is write for a command on an object, whose id a field of the input has.
func on[K relay.Key, T any](ctx context.Context, m mutation, userErrors *[]blog.Error, field, id string, command func(actor blog.UserID, key K) (T, error)) (*T, error) {
	return write(ctx, m, userErrors, func(actor blog.UserID) (none T, err error) {
		key, err := inputID[K](field, id)
		if err != nil {
			return none, err
		}
		return command(actor, key)
	})
}

func asViewer[T any](ctx context.Context, m mutation, command func(actor blog.UserID) (T, error)) (none T, err error) {
	viewer, ok, err := m.viewerID(ctx)
	switch {
	case err != nil:
		return none, err
	case !ok:
		return none, blog.ErrNoAccount()
	}
	return command(viewer)
}

// payload resolves the payloads that have a post.
type payload[P interface{ KnownPost() blog.Post }] struct{ *Resolver }

// Post returns the post of a payload, its counts as of the command or later: of what the command returned of it, the
// newer wins. Where that is all that is asked for, nothing is read. Nil where the command failed, or the post was
// deleted meanwhile.
func (r payload[P]) Post(ctx context.Context, obj *P) (*blog.Post, error) {
	known := (*obj).KnownPost()
	if known.ID.IsZero() {
		return nil, nil
	}
	asked := fields(ctx)
	if holds(known, asked) {
		return &known, nil
	}
	p, err := r.parent(ctx, known.ID)
	switch {
	case err != nil && known.Version > 0:
		failCounts(ctx, asked, err)
		return nil, nil
	case p == nil:
		return nil, err
	}
	whole := *p
	if known.Version > p.Version {
		whole = known
	}
	for _, table := range blog.AboutPost.Counted() {
		*whole.CountOf(table) = p.CountOf(table).Newer(*known.CountOf(table))
	}
	return &whole, nil
}

// failCounts reports, of a post that was edited, that the counts can't be read. There is no
// post without them, but the error's path and message say that there was an edit.
func failCounts(ctx context.Context, asked []graphql.CollectedField, cause error) {
	err := &blog.Error{Kind: blog.KindOf(cause), Message: "the edit was made, but the post's counts can't be read now: fetch the post", Err: cause}
	for _, field := range asked {
		if countNamed(&blog.Post{}, field.Name) != nil {
			graphql.AddError(graphql.WithFieldContext(ctx, &graphql.FieldContext{Object: "Post", Field: field}), err)
		}
	}
}

// holds reports whether what a command returned of a post has all the fields that are asked
// for. An edit returns all but the counts.
func holds(known blog.Post, asked []graphql.CollectedField) bool {
	for _, field := range asked {
		count := countNamed(&known, field.Name)
		switch field.Name {
		case "__typename", "id", "createdAt": // follow from the id
		default:
			if count == nil && known.Version == 0 || count != nil && *count == (blog.Count{}) {
				return false
			}
		}
	}
	return true
}

// countNamed returns the count of a post that a field shows; nil where it shows none.
func countNamed(p *blog.Post, field string) *blog.Count {
	if field == "commentCount" {
		return &p.Comments
	}
	if of, ok := reactionOf(field, reaction.count); ok {
		return of.kind.Count(p)
	}
	return nil
}

// parent returns the post that something belongs to, nil where it was deleted.
func (r *Resolver) parent(ctx context.Context, id blog.PostID) (*blog.Post, error) {
	return blog.Found(scopeOf(ctx).posts.load(ctx, id))
}
