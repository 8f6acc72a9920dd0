// Package share is a store whose queries are shared by callers that make the same at once.
package share

import (
	"context"
	"log/slog"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// Store is a store whose queries are shared by callers that make the same at once. An answer
// that is shared is a value that none of them may change. Its other methods are the store's
// own.
type Store struct {
	blog.Store

	userByID         coalesce.Next[blog.UserID, blog.User]
	userByUsername   coalesce.Next[string, blog.User]
	userBySubject    coalesce.Next[string, blog.User]
	postByID         coalesce.Next[blog.PostID, blog.Post]
	postsByAuthor    coalesce.Next[below[blog.UserID, blog.PostID], blog.Page[blog.Post]]
	commentsByPost   coalesce.Next[commentsOf, blog.CommentPage]
	likesByPost      coalesce.Next[below[blog.PostID, blog.LikePosition], blog.LikePage]
	feed             coalesce.Next[page[blog.PostID], blog.Page[blog.Post]]
	commentByKey     coalesce.Next[blog.CommentKey, blog.Comment]
	commentsByAuthor coalesce.Next[below[blog.UserID, blog.CommentID], blog.Page[blog.Comment]]
}

// NewStore returns a store that shares the reads of another. shared, where it is not nil,
// is told the name of the query of each caller that shares another's read; log is told of
// panics.
func NewStore(store blog.Store, log *slog.Logger, shared func(query string)) *Store {
	s := &Store{Store: store}
	for name, told := range map[string]struct {
		log    **slog.Logger
		shared *func()
	}{
		"UserByID":         {&s.userByID.Log, &s.userByID.Shared},
		"UserByUsername":   {&s.userByUsername.Log, &s.userByUsername.Shared},
		"UserBySubject":    {&s.userBySubject.Log, &s.userBySubject.Shared},
		"PostByID":         {&s.postByID.Log, &s.postByID.Shared},
		"PostsByAuthor":    {&s.postsByAuthor.Log, &s.postsByAuthor.Shared},
		"CommentsByPost":   {&s.commentsByPost.Log, &s.commentsByPost.Shared},
		"LikesByPost":      {&s.likesByPost.Log, &s.likesByPost.Shared},
		"Feed":             {&s.feed.Log, &s.feed.Shared},
		"CommentByKey":     {&s.commentByKey.Log, &s.commentByKey.Shared},
		"CommentsByAuthor": {&s.commentsByAuthor.Log, &s.commentsByAuthor.Shared},
	} {
		*told.log = log
		if shared != nil {
			*told.shared = func() { shared(name) }
		}
	}
	return s
}

// page is a [blog.PageRequest] that can be compared.
type page[K comparable] struct {
	limit               int
	backward            bool
	after, before       K
	hasAfter, hasBefore bool
}

func pageOf[K comparable](request blog.PageRequest[K]) page[K] {
	p := page[K]{limit: request.Limit, backward: request.Backward, hasAfter: request.After != nil, hasBefore: request.Before != nil}
	if p.hasAfter {
		p.after = *request.After
	}
	if p.hasBefore {
		p.before = *request.Before
	}
	return p
}

// below is a page of what belongs to something.
type below[P, K comparable] struct {
	parent P
	page   page[K]
}

// commentsOf is a [blog.CommentsQuery] that can be compared.
type commentsOf struct {
	below    below[blog.PostID, blog.CommentID]
	order    blog.Order
	from, to time.Time
}

func commentsOfQuery(q blog.CommentsQuery) commentsOf {
	return commentsOf{below[blog.PostID, blog.CommentID]{q.Post, pageOf(q.Page)}, q.Order, q.From, q.To}
}

// UserByID is a method of [blog.Queries], as are those that follow.
func (s *Store) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return s.userByID.Do(ctx, id, func(ctx context.Context) (blog.User, error) { return s.Store.UserByID(ctx, id) })
}

func (s *Store) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return s.userByUsername.Do(ctx, username, func(ctx context.Context) (blog.User, error) { return s.Store.UserByUsername(ctx, username) })
}

func (s *Store) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return s.userBySubject.Do(ctx, subject, func(ctx context.Context) (blog.User, error) { return s.Store.UserBySubject(ctx, subject) })
}

func (s *Store) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	return s.postByID.Do(ctx, id, func(ctx context.Context) (blog.Post, error) { return s.Store.PostByID(ctx, id) })
}

func (s *Store) PostsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.postsByAuthor.Do(ctx, below[blog.UserID, blog.PostID]{author, pageOf(request)}, func(ctx context.Context) (blog.Page[blog.Post], error) {
		return s.Store.PostsByAuthor(ctx, author, request)
	})
}

func (s *Store) CommentsByPost(ctx context.Context, q blog.CommentsQuery) (blog.CommentPage, error) {
	return s.commentsByPost.Do(ctx, commentsOfQuery(q), func(ctx context.Context) (blog.CommentPage, error) { return s.Store.CommentsByPost(ctx, q) })
}

func (s *Store) LikesByPost(ctx context.Context, post blog.PostID, request blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	return s.likesByPost.Do(ctx, below[blog.PostID, blog.LikePosition]{post, pageOf(request)}, func(ctx context.Context) (blog.LikePage, error) {
		return s.Store.LikesByPost(ctx, post, request)
	})
}

func (s *Store) Feed(ctx context.Context, request blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return s.feed.Do(ctx, pageOf(request), func(ctx context.Context) (blog.Page[blog.Post], error) { return s.Store.Feed(ctx, request) })
}

func (s *Store) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	return s.commentByKey.Do(ctx, key, func(ctx context.Context) (blog.Comment, error) { return s.Store.CommentByKey(ctx, key) })
}

func (s *Store) CommentsByAuthor(ctx context.Context, author blog.UserID, request blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	return s.commentsByAuthor.Do(ctx, below[blog.UserID, blog.CommentID]{author, pageOf(request)}, func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return s.Store.CommentsByAuthor(ctx, author, request)
	})
}
