// Package share is a store whose queries are shared by callers that ask the same at once.
package share

import (
	"log/slog"
	"time"

	"broadsheet/blog"
)

// Store is a store whose queries are shared by callers that ask the same at once. An answer
// that is shared is a value that none of them may change. Its other methods are the store's
// own.
type Store struct {
	blog.Store
	reads
}

// NewStore returns a store that shares the reads of another. shared, where it is not nil,
// is told the name of the query of each caller that shares another's read; log is told of
// panics.
func NewStore(store blog.Store, log *slog.Logger, shared func(query string)) *Store {
	s := &Store{Store: store}
	s.each(func(query string, queryLog **slog.Logger, told *func()) {
		*queryLog = log
		if shared != nil {
			*told = func() { shared(query) }
		}
	})
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

// commentsOf is a [blog.CommentsQuery] that can be compared.
type commentsOf struct {
	post     blog.PostID
	page     page[blog.CommentID]
	order    blog.Order
	from, to time.Time
	made     bool
}

func commentsOfQuery(q blog.CommentsQuery) commentsOf {
	return commentsOf{q.Post, pageOf(q.Page), q.Order, q.From, q.To, q.Made}
}
