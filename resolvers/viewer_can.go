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
		return p.allows(ctx, blog.DeletePost{Actor: actor, Role: role}.Allowed(obj.Ref()), actor, obj)
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
		if post == nil {
			return false, err
		}
		return c.allows(ctx, deletion.Allowed(*obj, post.Ref()), actor, post)
	})
}

// allows reports whether a command may be given that its rule refuses or not: the post's group may have it moderated.
func (r *Resolver) allows(ctx context.Context, refused error, actor blog.UserID, post *blog.Post) (bool, error) {
	err := blog.UnlessModerated(refused, actor, post.Ref(), func(id blog.GroupID) (blog.Group, error) { return scopeOf(ctx).groups.load(ctx, id) })
	if blog.KindOf(err) == blog.Forbidden {
		return false, nil
	}
	return err == nil, err
}
