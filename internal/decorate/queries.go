package decorate

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// reads are what callers share, under the names of the queries.
type reads struct {
	UserByID                coalesce.Next[blog.UserID, blog.User]
	UserByUsername          coalesce.Next[string, blog.User]
	UserBySubject           coalesce.Next[string, blog.User]
	PostByID                coalesce.Next[blog.PostID, blog.Post]
	PostsByAuthor           coalesce.Next[pageOf[blog.UserID, blog.PostID], blog.Page[blog.Post]]
	CommentsByPost          coalesce.Next[pageOf[comments, blog.CommentID], blog.CommentPage]
	CommentsByPostAndAuthor coalesce.Next[pageOf[comments, blog.CommentID], blog.Page[blog.Comment]]
	LikesByPost             coalesce.Next[pageOf[blog.PostID, blog.ReactionPosition], blog.ReactionPage]
	LikesByUser             coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.Page[blog.Reaction]]
	Feed                    coalesce.Next[pageOf[struct{}, blog.PostID], blog.Page[blog.Post]]
	CommentByKey            coalesce.Next[blog.CommentKey, blog.Comment]
	CommentsByAuthor        coalesce.Next[pageOf[blog.UserID, blog.CommentID], blog.Page[blog.Comment]]
}

// UserByID is a method of [blog.Queries].
func (w *wrapped) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return shared(ctx, w, "UserByID", &w.reads.UserByID, id, func(ctx context.Context) (blog.User, error) {
		return w.Store.UserByID(ctx, id)
	})
}

// UserByUsername is a method of [blog.Queries].
func (w *wrapped) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return shared(ctx, w, "UserByUsername", &w.reads.UserByUsername, username, func(ctx context.Context) (blog.User, error) {
		return w.Store.UserByUsername(ctx, username)
	})
}

// UserByEmail is a method of [blog.Queries].
func (w *wrapped) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	return made(ctx, w, "UserByEmail", func(ctx context.Context) (blog.User, error) {
		return w.Store.UserByEmail(ctx, email)
	})
}

// UserBySubject is a method of [blog.Queries].
func (w *wrapped) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return shared(ctx, w, "UserBySubject", &w.reads.UserBySubject, subject, func(ctx context.Context) (blog.User, error) {
		return w.Store.UserBySubject(ctx, subject)
	})
}

// PostByID is a method of [blog.Queries].
func (w *wrapped) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	return shared(ctx, w, "PostByID", &w.reads.PostByID, id, func(ctx context.Context) (blog.Post, error) {
		return w.Store.PostByID(ctx, id)
	})
}

// PostsByAuthor is a method of [blog.Queries].
func (w *wrapped) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return shared(ctx, w, "PostsByAuthor", &w.reads.PostsByAuthor, key(author, page), func(ctx context.Context) (blog.Page[blog.Post], error) {
		return w.Store.PostsByAuthor(ctx, author, page)
	})
}

// CommentsByPost is a method of [blog.Queries].
func (w *wrapped) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	return shared(ctx, w, "CommentsByPost", &w.reads.CommentsByPost, commentsKey(blog.UserID{}, query), func(ctx context.Context) (blog.CommentPage, error) {
		return w.Store.CommentsByPost(ctx, query)
	})
}

// CommentsByPostAndAuthor is a method of [blog.Queries].
func (w *wrapped) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, query blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	return shared(ctx, w, "CommentsByPostAndAuthor", &w.reads.CommentsByPostAndAuthor, commentsKey(author, query), func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return w.Store.CommentsByPostAndAuthor(ctx, author, query)
	})
}

// LikesByPost is a method of [blog.Queries].
func (w *wrapped) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return shared(ctx, w, "LikesByPost", &w.reads.LikesByPost, key(post, page), func(ctx context.Context) (blog.ReactionPage, error) {
		return w.Store.LikesByPost(ctx, post, page)
	})
}

// Feed is a method of [blog.Queries].
func (w *wrapped) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return shared(ctx, w, "Feed", &w.reads.Feed, key(struct{}{}, page), func(ctx context.Context) (blog.Page[blog.Post], error) {
		return w.Store.Feed(ctx, page)
	})
}

// CommentByKey is a method of [blog.Queries].
func (w *wrapped) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	return shared(ctx, w, "CommentByKey", &w.reads.CommentByKey, key, func(ctx context.Context) (blog.Comment, error) {
		return w.Store.CommentByKey(ctx, key)
	})
}

// CommentsByAuthor is a method of [blog.Queries].
func (w *wrapped) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	return shared(ctx, w, "CommentsByAuthor", &w.reads.CommentsByAuthor, key(author, page), func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return w.Store.CommentsByAuthor(ctx, author, page)
	})
}

// LikedPosts is a method of [blog.Queries].
func (w *wrapped) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Reaction, error) {
	return made(ctx, w, "LikedPosts", func(ctx context.Context) (map[blog.PostID]blog.Reaction, error) {
		return w.Store.LikedPosts(ctx, user, posts)
	})
}

// LikesByUser is a method of [blog.Queries].
func (w *wrapped) LikesByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
	return shared(ctx, w, "LikesByUser", &w.reads.LikesByUser, key(user, page), func(ctx context.Context) (blog.Page[blog.Reaction], error) {
		return w.Store.LikesByUser(ctx, user, page)
	})
}
