package resolvers

import (
	"context"
	"errors"

	"broadsheet/blog"
	"broadsheet/graph"
)

// UpdatePost edits a post of the viewer's.
func (m mutation) UpdatePost(ctx context.Context, input graph.UpdatePostInput) (payload graph.UpdatePostPayload, err error) {
	updated, err := write(ctx, m, &payload.UserErrors, func(actor blog.UserID) (blog.Post, error) {
		id, noID := inputID[blog.PostID]("id", input.ID)
		version, noVersion := expected(input.ExpectedVersion)
		if err := errors.Join(noID, noVersion); err != nil {
			return blog.Post{}, err
		}
		return m.store.UpdatePost(ctx, blog.UpdatePost{
			Actor:           actor,
			Post:            id,
			Title:           edit(input.Title),
			Content:         edit(input.Content),
			ExpectedVersion: version,
		})
	})
	if updated != nil {
		wroteAs(ctx, updated.Author)
		payload.Known = *updated
	}
	return payload, err
}
