package storetest

import (
	"slices"
	"time"

	"broadsheet/blog"
)

// What every list is ordered by, and in which order.

func postID(p blog.Post) blog.PostID          { return p.ID }
func commentID(c blog.Comment) blog.CommentID { return c.ID }

func newestPost(a, b blog.PostID) int               { return b.Compare(a.UUID) }
func newestComment(a, b blog.CommentID) int         { return b.Compare(a.UUID) }
func newestReaction(a, b blog.ReactionPosition) int { return b.Compare(a) }

// ordered is the order of a list whose newest rows may come first.
func ordered[K any](newest func(a, b K) int, by blog.Order) func(a, b K) int {
	if by == blog.OldestFirst {
		return func(a, b K) int { return newest(b, a) }
	}
	return newest
}

// madeAt returns the time of a row's key.
func madeAt(key any) time.Time {
	if p, ofReaction := key.(blog.ReactionPosition); ofReaction {
		return p.At
	}
	return key.(interface{ Time() time.Time }).Time()
}

// pageOf cuts the page that is asked for out of all the rows of a list, which it
// sorts. It is the definition of a page; no store reads that way.
func pageOf[K, T any](rows []T, key func(T) K, newest func(a, b K) int, request blog.PageRequest[K]) blog.Page[T] {
	order := ordered(newest, request.Order)
	slices.SortFunc(rows, func(a, b T) int { return order(key(a), key(b)) })
	var between []T
	for _, row := range rows {
		after := request.After == nil || order(key(row), *request.After) > 0
		before := request.Before == nil || order(key(row), *request.Before) < 0
		from := request.From.IsZero() || !madeAt(key(row)).Before(request.From)
		to := request.To.IsZero() || madeAt(key(row)).Before(request.To)
		if after && before && from && to {
			between = append(between, row)
		}
	}
	n := min(request.Limit, len(between))
	more := n < len(between)
	if request.Backward {
		return blog.Page[T]{Items: between[len(between)-n:], HasPrevious: more, HasNext: request.Before != nil}
	}
	return blog.Page[T]{Items: between[:n], HasNext: more, HasPrevious: request.After != nil}
}
