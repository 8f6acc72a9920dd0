package storetest

import (
	"fmt"
	"slices"

	"broadsheet/blog"
)

// list is one of the store's lists: how to read a page, and its rows' keys and order.
type list[K, T any] struct {
	name   string
	read   func(blog.PageRequest[K]) (blog.Page[T], error)
	key    func(T) K
	order  func(a, b K) int
	bounds func(blog.PageRequest[K]) blog.PageRequest[K] // nil: all of it is the test's own
}

func (f *fixture) authorList(author blog.UserID) list[blog.PostID, blog.Post] {
	return postsByAuthorList.in(f, asked[blog.PostID]{owner: owner{user: author}})
}

// feedList is the part of the feed that belongs to the fixture.
func (f *fixture) feedList() list[blog.PostID, blog.Post] {
	top := blog.PostID{UUID: blog.FirstUUIDAt(f.start.Add(window))}
	bottom := blog.PostID{UUID: blog.FirstUUIDAt(f.start)}
	bounds := func(r blog.PageRequest[blog.PostID]) blog.PageRequest[blog.PostID] {
		if r.After == nil {
			r.After = &top
		}
		if r.Before == nil {
			r.Before = &bottom
		}
		return r
	}
	read := func(r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
		return f.store.Feed(f.ctx, r)
	}
	return list[blog.PostID, blog.Post]{"feed", read, postID, newestPost, bounds}
}

func (f *fixture) commentList(query blog.CommentsQuery) list[blog.CommentID, blog.Comment] {
	return commentsByPostList.in(f, asked[blog.CommentID]{owner: owner{post: query.Post}, order: query.Order, from: query.From, to: query.To})
}

func (f *fixture) commenterList(author blog.UserID) list[blog.CommentID, blog.Comment] {
	return commentsByAuthorList.in(f, asked[blog.CommentID]{owner: owner{user: author}})
}

func (f *fixture) reactionList(post blog.PostID) list[blog.ReactionPosition, blog.Reaction] {
	return listOfReactions(f.kind).in(f, asked[blog.ReactionPosition]{owner: owner{post: post}})
}

func (l list[K, T]) page(r blog.PageRequest[K]) (blog.Page[T], error) { return l.read(l.within(r)) }

// within returns the request with the list's own bounds where it has none.
func (l list[K, T]) within(r blog.PageRequest[K]) blog.PageRequest[K] {
	if l.bounds != nil {
		return l.bounds(r)
	}
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
		case more && len(page.Items) == 0:
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
	if len(page.Items) == 0 {
		return nil
	}
	return ptr(l.key(page.Items[i]))
}

func keysOf[K, T any](rows []T, key func(T) K) []K {
	keys := make([]K, len(rows))
	for i, row := range rows {
		keys[i] = key(row)
	}
	return keys
}
