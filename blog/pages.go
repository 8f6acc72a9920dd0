package blog

import (
	"context"
	"slices"
	"time"
)

// Page sizes.
const (
	DefaultPage = 20
	MaxPage     = 100
)

// PageRequest asks for a page of a list by keys, as Relay's connections do: of the rows strictly between After and
// Before in the list's order the first Limit, or the last where Backward. The page keeps the list's order either
// way. Limit is 1 to [MaxPage]; the caller checks it.
type PageRequest[K any] struct {
	Limit    int
	Backward bool
	After    *K // nil: from the list's start
	Before   *K // nil: to the list's end

	Order Order // of the list

	// From, inclusive, and To, exclusive, bound the list by time of creation where they are not zero. From is not
	// after To.
	From, To time.Time
}

// Descending reports whether the page's rows are read from the newest on.
func (r PageRequest[K]) Descending() bool { return (r.Order == NewestFirst) != r.Backward }

// Cursors returns After and Before, that of the older row first.
func (r PageRequest[K]) Cursors() (older, newer *K) {
	if r.Order == NewestFirst {
		return r.Before, r.After
	}
	return r.After, r.Before
}

// Bounds returns the keys that the request's times stand for, nil where they are absent: the keys asked for are at
// least from and below to.
func (r PageRequest[K]) Bounds() (from, to *K) { return firstAt[K](r.From), firstAt[K](r.To) }

// firstAt returns the lowest key of a time, nil where it is zero.
func firstAt[K any](t time.Time) *K {
	if t.IsZero() {
		return nil
	}
	first := new(K)
	switch at := any(first).(type) {
	case *ReactionPosition:
		*at = ReactionPosition{FirstUUIDAt(t).Time(), FirstUUIDAt(time.Time{})}
	default:
		*IDAt(at) = FirstUUIDAt(t)
	}
	return first
}

// FirstPage is the request for the list's start.
func FirstPage[K any](limit int) PageRequest[K] { return PageRequest[K]{Limit: limit} }

// Page is some consecutive rows of a list, in the list's order.
type Page[T any] struct {
	Items []T
	// HasNext and HasPrevious tell whether rows follow or precede: exactly in the direction of the request, in the
	// other whether a cursor was given there, as Relay's specification allows.
	HasNext     bool
	HasPrevious bool

	// Ends is the key that a short page ends at, of a row or not. Where it has no rows a client goes on from there.
	Ends UUID
}

// NewPage makes a page of rows that a store read in the request's own direction (from the end where it is Backward),
// one more than its Limit where there are so many. It takes ownership of rows.
func NewPage[K, T any](request PageRequest[K], rows []T) Page[T] {
	more := len(rows) > request.Limit
	if more {
		rows = rows[:request.Limit]
	}
	page := Page[T]{Items: rows}
	if request.Backward {
		slices.Reverse(page.Items)
		page.HasPrevious, page.HasNext = more, request.Before != nil
	} else {
		page.HasNext, page.HasPrevious = more, request.After != nil
	}
	return page
}

// ShortPage is NewPage of rows that a store had read when its time was over, up to a key: more may follow.
func ShortPage[K, T any](request PageRequest[K], rows []T, ends UUID) Page[T] {
	page := NewPage(request, rows)
	page.Ends = ends
	page.HasNext, page.HasPrevious = page.HasNext || !request.Backward, page.HasPrevious || request.Backward
	return page
}

// ReadingTime returns the context of a page that takes several reads, one after the other: it ends a tenth of the
// time before ctx does, so that what was read by then can still be answered.
func ReadingTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/10))
}

// Order is the direction of a list.
type Order int

const (
	NewestFirst Order = iota
	OldestFirst
)

// CommentPage is a page of a post's comments.
type CommentPage struct {
	Page[Comment]
	Count Count // of all the post's comments, whatever the page's bounds

	// Made is how many comments were made on the post, deleted ones too, as of the page: see [Change.Comments]. It
	// is told where [CommentsQuery.Made] asks for it.
	Made int
}

// mergePages makes a page of a list of pages of its parts, each as long as may be. newest is the order of its rows, the
// newest first.
func mergePages[K, T any](request PageRequest[K], parts []Page[T], newest func(a, b T) int) Page[T] {
	var page Page[T]
	more := false
	for _, p := range parts {
		page.Items = append(page.Items, p.Items...)
		more = more || request.Backward && p.HasPrevious || !request.Backward && p.HasNext
	}
	slices.SortFunc(page.Items, func(a, b T) int {
		if request.Order == OldestFirst {
			a, b = b, a
		}
		return newest(a, b)
	})
	if over := len(page.Items) - request.Limit; over > 0 {
		more = true
		if request.Backward {
			page.Items = page.Items[over:]
		} else {
			page.Items = page.Items[:request.Limit]
		}
	}
	if request.Backward {
		page.HasPrevious, page.HasNext = more, request.Before != nil
	} else {
		page.HasNext, page.HasPrevious = more, request.After != nil
	}
	return page
}
