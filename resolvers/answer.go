package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/blog"
	"broadsheet/internal/client"
	"broadsheet/internal/refusal"
)

// A page of comments may have 4 MB of text, and a short document ask for it a hundred times. What an answer holds is
// counted while it is made, for nearly all texts are far shorter than they may be.

// Executed is the extension of an error that refuses the answer to a mutation, which was executed.
const Executed = "executed"

// RefusedAnswer is what becomes of a response for whose data there is no memory, or no budget of work.
func RefusedAnswer(operation ast.Operation, response *graphql.Response, err *refusal.Error) *graphql.Response {
	refused := err.GraphQL()
	switch {
	case operation == ast.Mutation:
		refused.Message = "the mutation was executed, but not answered: " + refused.Message
		refused.Extensions[Executed] = true
		return &graphql.Response{Errors: append(gqlerror.List{refused}, response.Errors...), Data: []byte("null")}
	case operation == ast.Subscription && err == client.ErrUnpaid:
		refused.Message, refused.Extensions["code"] = "events were more work than the client's budget had left: subscribe again, after the last cursor", refusal.CodeSlowConsumer
	}
	return &graphql.Response{Errors: gqlerror.List{refused}}
}

// readComments reads a page of comments, once few enough others are read: a client's that waits for its own reads
// takes no room from those of others.
func readComments(ctx context.Context, rows int, read func(context.Context) (blog.Page[blog.Comment], error)) (none blog.Page[blog.Comment], err error) {
	reservation := scopeOf(ctx).reservation
	if !scopeOf(ctx).by.config.InProcess {
		var end func()
		ctx, end = beginRead(ctx)
		defer end()
	}
	if err := reservation.BeginRows(ctx, rows); err != nil {
		return none, &blog.Error{Kind: blog.Timeout, Err: err}
	}
	defer reservation.EndRows(rows)
	if err := reservation.Err(); err != nil {
		return none, err.GraphQL()
	}
	page, err := read(ctx)
	if err != nil {
		return none, err
	}
	held := 0
	for _, comment := range page.Items {
		held += len(comment.Content)
	}
	if !reservation.Hold(held) {
		return none, reservation.Err().GraphQL()
	}
	return page, nil
}

// readPost reads a post, whose text may be long.
func (r *Resolver) readPost(ctx context.Context, id blog.PostID) (blog.Post, error) {
	post, err := r.store.PostByID(ctx, id)
	if reservation := scopeOf(ctx).reservation; err == nil && !reservation.Hold(len(post.Content)) {
		return blog.Post{}, reservation.Err().GraphQL()
	}
	return post, err
}
