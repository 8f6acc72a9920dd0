package share

import (
	"context"
	"log/slog"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// reads are what callers share, one for each query.
type reads struct {
	userByID                coalesce.Next[blog.UserID, blog.User]
	userByUsername          coalesce.Next[string, blog.User]
	userBySubject           coalesce.Next[string, blog.User]
	postByID                coalesce.Next[blog.PostID, blog.Post]
	postsByAuthor           coalesce.Next[postsByAuthorKey, blog.Page[blog.Post]]
	commentsByPost          coalesce.Next[commentsOf, blog.CommentPage]
	commentsByPostAndAuthor coalesce.Next[commentsByPostAndAuthorKey, blog.Page[blog.Comment]]
	likesByPost             coalesce.Next[likesByPostKey, blog.ReactionPage]
	feed                    coalesce.Next[page[blog.PostID], blog.Page[blog.Post]]
	commentByKey            coalesce.Next[blog.CommentKey, blog.Comment]
	commentsByAuthor        coalesce.Next[commentsByAuthorKey, blog.Page[blog.Comment]]
}

func (r *reads) each(visit func(query string, log **slog.Logger, shared *func())) {
	visit("UserByID", &r.userByID.Log, &r.userByID.Shared)
	visit("UserByUsername", &r.userByUsername.Log, &r.userByUsername.Shared)
	visit("UserBySubject", &r.userBySubject.Log, &r.userBySubject.Shared)
	visit("PostByID", &r.postByID.Log, &r.postByID.Shared)
	visit("PostsByAuthor", &r.postsByAuthor.Log, &r.postsByAuthor.Shared)
	visit("CommentsByPost", &r.commentsByPost.Log, &r.commentsByPost.Shared)
	visit("CommentsByPostAndAuthor", &r.commentsByPostAndAuthor.Log, &r.commentsByPostAndAuthor.Shared)
	visit("LikesByPost", &r.likesByPost.Log, &r.likesByPost.Shared)
	visit("Feed", &r.feed.Log, &r.feed.Shared)
	visit("CommentByKey", &r.commentByKey.Log, &r.commentByKey.Shared)
	visit("CommentsByAuthor", &r.commentsByAuthor.Log, &r.commentsByAuthor.Shared)
}

type postsByAuthorKey struct {
	author blog.UserID
	page   page[blog.PostID]
}

type commentsByPostAndAuthorKey struct {
	author blog.UserID
	query  commentsOf
}

type likesByPostKey struct {
	post blog.PostID
	page page[blog.ReactionPosition]
}

type commentsByAuthorKey struct {
	author blog.UserID
	page   page[blog.CommentID]
}

// UserByID is a method of [blog.Queries].
func (s *Store) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return s.userByID.Do(ctx, id, func(ctx context.Context) (blog.User, error) {
		return s.Store.UserByID(ctx, id)
	})
}

// UserByUsername is a method of [blog.Queries].
func (s *Store) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return s.userByUsername.Do(ctx, username, func(ctx context.Context) (blog.User, error) {
		return s.Store.UserByUsername(ctx, username)
	})
}

// UserBySubject is a method of [blog.Queries].
func (s *Store) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return s.userBySubject.Do(ctx, subject, func(ctx context.Context) (blog.User, error) {
		return s.Store.UserBySubject(ctx, subject)
	})
}

// PostByID is a method of [blog.Queries].
func (s *Store) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	return s.postByID.Do(ctx, id, func(ctx context.Context) (blog.Post, error) {
		return s.Store.PostByID(ctx, id)
	})
}

// PostsByAuthor is a method of [blog.Queries].
func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.postsByAuthor.Do(ctx, postsByAuthorKey{author, pageOf(page)}, func(ctx context.Context) (blog.Page[blog.Post], error) {
		return s.Store.PostsByAuthor(ctx, author, page)
	})
}

// CommentsByPost is a method of [blog.Queries].
func (s *Store) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	return s.commentsByPost.Do(ctx, commentsOfQuery(query), func(ctx context.Context) (blog.CommentPage, error) {
		return s.Store.CommentsByPost(ctx, query)
	})
}

// CommentsByPostAndAuthor is a method of [blog.Queries].
func (s *Store) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, query blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	return s.commentsByPostAndAuthor.Do(ctx, commentsByPostAndAuthorKey{author, commentsOfQuery(query)}, func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return s.Store.CommentsByPostAndAuthor(ctx, author, query)
	})
}

// LikesByPost is a method of [blog.Queries].
func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return s.likesByPost.Do(ctx, likesByPostKey{post, pageOf(page)}, func(ctx context.Context) (blog.ReactionPage, error) {
		return s.Store.LikesByPost(ctx, post, page)
	})
}

// Feed is a method of [blog.Queries].
func (s *Store) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.feed.Do(ctx, pageOf(page), func(ctx context.Context) (blog.Page[blog.Post], error) {
		return s.Store.Feed(ctx, page)
	})
}

// CommentByKey is a method of [blog.Queries].
func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	return s.commentByKey.Do(ctx, key, func(ctx context.Context) (blog.Comment, error) {
		return s.Store.CommentByKey(ctx, key)
	})
}

// CommentsByAuthor is a method of [blog.Queries].
func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	return s.commentsByAuthor.Do(ctx, commentsByAuthorKey{author, pageOf(page)}, func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return s.Store.CommentsByAuthor(ctx, author, page)
	})
}
