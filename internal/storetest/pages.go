package storetest

import (
	"fmt"
	"slices"
	"time"

	"broadsheet/blog"
)

// list is one of the store's lists: how to read a page, and its rows' keys and order.
type list[K, T any] struct {
	name   string
	read   func(blog.PageRequest[K]) (blog.Page[T], error)
	key    func(T) K
	newest func(a, b K) int
	of     blog.PageRequest[K] // its order and times
}

// order is that of the list.
func (l list[K, T]) order(a, b K) int { return ordered(l.newest, l.of.Order)(a, b) }

func (l list[K, T]) inOrder(order blog.Order) list[K, T] {
	l.of.Order = order
	return l
}

// between returns the part of the list between two times.
func (l list[K, T]) between(from, to time.Time) list[K, T] {
	if from.After(l.of.From) {
		l.of.From = from
	}
	if l.of.To.IsZero() || !to.IsZero() && to.Before(l.of.To) {
		l.of.To = to
	}
	return l
}

func (f *fixture) authorList(author blog.UserID) list[blog.PostID, blog.Post] {
	return postsByAuthorList.in(f, owner{user: author})
}

// feedList is the part of the feed that belongs to the fixture.
func (f *fixture) feedList() list[blog.PostID, blog.Post] {
	read := func(r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return f.store.Feed(f.ctx, r)
	}
	feed := list[blog.PostID, blog.Post]{name: "feed", read: read, key: postID, newest: newestPost}
	return feed.between(f.start, f.start.Add(window))
}

func (f *fixture) commentList(post blog.PostID) list[blog.CommentID, blog.Comment] {
	return commentsByPostList.in(f, owner{post: post})
}

func (f *fixture) commenterList(author blog.UserID) list[blog.CommentID, blog.Comment] {
	return commentsByAuthorList.in(f, owner{user: author})
}

func (f *fixture) reactionList(post blog.PostID) list[blog.ReactionPosition, blog.Reaction] {
	return listOfReactions(f.kind).in(f, owner{post: post})
}

func (l list[K, T]) page(r blog.PageRequest[K]) (blog.Page[T], error) { return l.read(l.within(r)) }

// within returns the request with the list's order and times.
func (l list[K, T]) within(r blog.PageRequest[K]) blog.PageRequest[K] {
	r.Order, r.From, r.To = l.of.Order, l.of.From, l.of.To
	return r
}

const (
	forward  = false
	backward = true
)

// walk reads a list page by page and returns its rows in the list's order.
func walk[K, T any](f *fixture, l list[K, T], size int, direction bool) []T {
	f.Helper()
	rows, err := walkThrough(l, size, direction)
	f.ok(err, l.name)
	return rows
}

func walkThrough[K, T any](l list[K, T], size int, direction bool) ([]T, error) {
	var rows []T
	request := blog.PageRequest[K]{Limit: size, Backward: direction}
	for {
		page, err := l.page(request)
		more := page.HasNext
		if direction == backward {
			more = page.HasPrevious
		}
		switch {
		case err != nil:
			return nil, err
		case more && len(page.Items) == 0 && page.Ends == (blog.UUID{}):
			return nil, fmt.Errorf("an empty page says that there is more")
		case direction == backward:
			rows = append(slices.Clone(page.Items), rows...)
			request.Before = edgeKey(l, page, 0)
		default:
			rows = append(rows, page.Items...)
			request.After = edgeKey(l, page, len(page.Items)-1)
		}
		if !more {
			return rows, nil
		}
	}
}

func edgeKey[K, T any](l list[K, T], page blog.Page[T], i int) *K {
	switch {
	case len(page.Items) > 0:
		return ptr(l.key(page.Items[i]))
	case page.Ends == (blog.UUID{}):
		return nil
	}
	at := new(K)
	*blog.IDAt(at) = page.Ends
	return at
}

func keysOf[K, T any](rows []T, key func(T) K) []K {
	keys := make([]K, len(rows))
	for i, row := range rows {
		keys[i] = key(row)
	}
	return keys
}
