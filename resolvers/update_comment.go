package resolvers

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/graph"
)

// UpdateComment edits a comment of the viewer's.
func (m mutation) UpdateComment(ctx context.Context, input graph.UpdateCommentInput) (payload graph.UpdateCommentPayload, err error) {
	err = m.write(ctx, &payload.UserErrors, func(actor blog.UserID) error {
		key, noID := inputID[blog.CommentKey]("id", input.ID)
		version, noVersion := expected(input.ExpectedVersion)
		if err := errors.Join(noID, noVersion); err != nil {
			return err
		}
		updated, err := m.store.UpdateComment(ctx, blog.UpdateComment{
			Actor:           actor,
			Key:             key,
			Content:         input.Content,
			ExpectedVersion: version,
		})
		if err != nil {
			return err
		}
		wroteAs(ctx, updated.Author)
		payload.Comment = &updated
		return nil
	})
	return payload, err
}
