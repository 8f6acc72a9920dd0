package through

import (
	"context"

	"broadsheet/blog"
)

// UserByID is a method of [blog.Queries].
func (w *wrapped) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return made(ctx, w, "UserByID", func(ctx context.Context) (blog.User, error) { return w.Store.UserByID(ctx, id) })
}

// UserByUsername is a method of [blog.Queries].
func (w *wrapped) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return made(ctx, w, "UserByUsername", func(ctx context.Context) (blog.User, error) { return w.Store.UserByUsername(ctx, username) })
}

// UserByEmail is a method of [blog.Queries].
func (w *wrapped) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	return made(ctx, w, "UserByEmail", func(ctx context.Context) (blog.User, error) { return w.Store.UserByEmail(ctx, email) })
}

// UserBySubject is a method of [blog.Queries].
func (w *wrapped) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return made(ctx, w, "UserBySubject", func(ctx context.Context) (blog.User, error) { return w.Store.UserBySubject(ctx, subject) })
}

// PostByID is a method of [blog.Queries].
func (w *wrapped) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	return made(ctx, w, "PostByID", func(ctx context.Context) (blog.Post, error) { return w.Store.PostByID(ctx, id) })
}

// PostsByAuthor is a method of [blog.Queries].
func (w *wrapped) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return made(ctx, w, "PostsByAuthor", func(ctx context.Context) (blog.Page[blog.Post], error) {
		return w.Store.PostsByAuthor(ctx, author, page)
	})
}

// CommentsByPost is a method of [blog.Queries].
func (w *wrapped) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	return made(ctx, w, "CommentsByPost", func(ctx context.Context) (blog.CommentPage, error) { return w.Store.CommentsByPost(ctx, query) })
}

// CommentsByPostAndAuthor is a method of [blog.Queries].
func (w *wrapped) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, query blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	return made(ctx, w, "CommentsByPostAndAuthor", func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return w.Store.CommentsByPostAndAuthor(ctx, author, query)
	})
}

// LikesByPost is a method of [blog.Queries].
func (w *wrapped) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return made(ctx, w, "LikesByPost", func(ctx context.Context) (blog.ReactionPage, error) { return w.Store.LikesByPost(ctx, post, page) })
}

// Feed is a method of [blog.Queries].
func (w *wrapped) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return made(ctx, w, "Feed", func(ctx context.Context) (blog.Page[blog.Post], error) { return w.Store.Feed(ctx, page) })
}

// CommentByKey is a method of [blog.Queries].
func (w *wrapped) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	return made(ctx, w, "CommentByKey", func(ctx context.Context) (blog.Comment, error) { return w.Store.CommentByKey(ctx, key) })
}

// CommentsByAuthor is a method of [blog.Queries].
func (w *wrapped) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	return made(ctx, w, "CommentsByAuthor", func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return w.Store.CommentsByAuthor(ctx, author, page)
	})
}

// LikedPosts is a method of [blog.Queries].
func (w *wrapped) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Reaction, error) {
	return made(ctx, w, "LikedPosts", func(ctx context.Context) (map[blog.PostID]blog.Reaction, error) {
		return w.Store.LikedPosts(ctx, user, posts)
	})
}
