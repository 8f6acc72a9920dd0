package resolvers

import (
	"context"

	"broadsheet/blog"
)

// viewerCan asks a command's own rule whether the viewer may give it: nil without an account, and false while that is
// suspended. The account is read once for an operation.
func (r *Resolver) viewerCan(ctx context.Context, allowed func(actor blog.UserID, role blog.Role) (bool, error)) (*bool, error) {
	viewer, err := r.viewer(ctx)
	if viewer == nil {
		return nil, err
	}
	can := false
	if !viewer.Suspended {
		can, err = allowed(viewer.ID, AskerOf(ctx).Role.Of(viewer.Moderator))
	}
	return &can, err
}

// ViewerCanModerate follows from the id.
func (u user) ViewerCanModerate(ctx context.Context, obj *blog.User) (*bool, error) {
	return u.viewerCan(ctx, func(actor blog.UserID, role blog.Role) (bool, error) {
		return blog.SuspendUser{Actor: actor, Role: role, User: obj.ID}.Allowed() == nil, nil
	})
}

// ViewerCanEdit is the author's.
func (p post) ViewerCanEdit(ctx context.Context, obj *blog.Post) (*bool, error) {
	return p.viewerCan(ctx, func(actor blog.UserID, _ blog.Role) (bool, error) { return actor == obj.Author.ID, nil })
}

// ViewerCanDelete is the rule of deletePost.
func (p post) ViewerCanDelete(ctx context.Context, obj *blog.Post) (*bool, error) {
	return p.viewerCan(ctx, func(actor blog.UserID, role blog.Role) (bool, error) {
		return blog.DeletePost{Actor: actor, Role: role}.Allowed(blog.PostRef{Author: obj.Author.ID}) == nil, nil
	})
}

// ViewerCanEdit is the author's.
func (c comment) ViewerCanEdit(ctx context.Context, obj *blog.Comment) (*bool, error) {
	return c.viewerCan(ctx, func(actor blog.UserID, _ blog.Role) (bool, error) { return actor == obj.Author.ID, nil })
}

// ViewerCanDelete is the rule of deleteComment, which needs to know the post's author only where
// the rest does not allow it.
func (c comment) ViewerCanDelete(ctx context.Context, obj *blog.Comment) (*bool, error) {
	return c.viewerCan(ctx, func(actor blog.UserID, role blog.Role) (bool, error) {
		deletion := blog.DeleteComment{Actor: actor, Role: role}
		if deletion.Allowed(*obj, blog.PostRef{}) == nil {
			return true, nil
		}
		post, err := c.parent(ctx, obj.Post)
		return post != nil && deletion.Allowed(*obj, blog.PostRef{Author: post.Author.ID}) == nil, err
	})
}
