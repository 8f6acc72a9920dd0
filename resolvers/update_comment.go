package resolvers

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/graph"
)

// UpdateComment edits a comment of the viewer's.
func (m mutation) UpdateComment(ctx context.Context, input graph.UpdateCommentInput) (payload graph.UpdateCommentPayload, err error) {
	payload.Comment, err = write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Comment, error) {
		key, noID := inputID[blog.CommentKey]("id", input.ID)
		version, noVersion := expected(input.ExpectedVersion)
		if err := errors.Join(noID, noVersion); err != nil {
			return blog.Comment{}, err
		}
		updated, err := m.store.UpdateComment(ctx, blog.UpdateComment{
			Actor:           actor,
			Key:             key,
			Content:         input.Content,
			ExpectedVersion: version,
		})
		if err == nil {
			wroteAs(ctx, updated.Author)
		}
		return updated, err
	})
	return payload, err
}
