package storetest

import (
	"fmt"
	"slices"
	"sync/atomic"

	"broadsheet/blog"
)

// Walks through lists while others insert and delete: what stands throughout is
// seen exactly once, and in order.
var pagingUnderChange = []leaf{
	{"posts by author", func(f *fixture) {
		author := f.user()
		posts := f.posts(author, 30)
		walkUnderChange(f, f.authorList(author.ID), f.postChurn(author, posts), evenKeys(posts, postID))
	}},
	{"the feed", func(f *fixture) {
		author := f.user()
		posts := f.posts(author, 30)
		walkUnderChange(f, f.feedList(), f.postChurn(f.user(), posts), evenKeys(posts, postID))
	}},
	{"comments by post, newest first", func(f *fixture) { commentsUnderChange(f, blog.NewestFirst) }},
	{"comments by post, oldest first", func(f *fixture) { commentsUnderChange(f, blog.OldestFirst) }},
	{"comments by author", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		comments := f.comments(author, p, 30)
		walkUnderChange(f, f.commenterList(author.ID), f.commentChurn(author, p, comments), evenKeys(comments, commentID))
	}},
	{"likes by post", func(f *fixture) {
		users := f.users(30)
		p := f.post(users[0])
		likes := f.reactions(p, users)
		churn := func(i int) error {
			u := users[i%15*2+1]
			if _, err := f.toggle(u, p, false); err != nil {
				return err
			}
			_, err := f.toggle(u, p, true)
			return err
		}
		walkUnderChange(f, f.reactionList(p.ID), churn, evenKeys(likes, blog.Reaction.Position))
	}},
}

func commentsUnderChange(f *fixture, order blog.Order) {
	author := f.user()
	p := f.post(author)
	comments := f.comments(author, p, 30)
	list := f.commentList(p.ID).inOrder(order)
	walkUnderChange(f, list, f.commentChurn(author, p, comments), evenKeys(comments, commentID))
}

// postChurn writes a post and deletes an odd one of those given.
func (f *fixture) postChurn(author blog.User, posts []blog.Post) func(i int) error {
	return func(i int) error {
		if _, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: author.ID, Title: "New", Content: "x"}); err != nil {
			return err
		}
		p := posts[i*2+1]
		return f.store.DeletePost(f.ctx, blog.DeletePost{Actor: p.Author.ID, Post: p.ID})
	}
}

func (f *fixture) commentChurn(author blog.User, p blog.Post, comments []blog.Comment) func(i int) error {
	return func(i int) error {
		if _, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "New."}); err != nil {
			return err
		}
		c := comments[i*2+1]
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: c.Key()})
		return err
	}
}

// evenKeys returns the keys of every second row, which stand throughout.
func evenKeys[K, T any](rows []T, key func(T) K) []K {
	var keys []K
	for i := 0; i < len(rows); i += 2 {
		keys = append(keys, key(rows[i]))
	}
	return keys
}

// walkUnderChange walks both ways while churn is called 15 times by three
// goroutines, at least once and until they are done.
func walkUnderChange[K comparable, T any](f *fixture, l list[K, T], churn func(i int) error, standing []K) {
	const calls, churners, walkers = 15, 3, 2
	standing = slices.SortedFunc(slices.Values(standing), l.order)
	var left atomic.Int32
	left.Store(churners)
	f.atOnce(churners+walkers, func(g int) error {
		if g < churners {
			defer left.Add(-1)
			return repeat(g, calls, churners, churn)
		}
		for {
			done := left.Load() == 0
			rows, err := walkThrough(l, 3+g, g%2 == 0)
			if err == nil {
				err = sawAll(l, rows, standing)
			}
			if err != nil || done {
				return err
			}
		}
	})
}

func repeat(first, end, step int, do func(i int) error) error {
	for i := first; i < end; i += step {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

// sawAll returns an error unless rows are in order, each once, and hold all that
// stands.
func sawAll[K comparable, T any](l list[K, T], rows []T, standing []K) error {
	var seen []K
	for i, row := range rows {
		if i > 0 && l.order(l.key(rows[i-1]), l.key(row)) >= 0 {
			return fmt.Errorf("row %d of %d is not behind the one before", i, len(rows))
		}
		if slices.Contains(standing, l.key(row)) {
			seen = append(seen, l.key(row))
		}
	}
	if !slices.Equal(seen, standing) {
		return fmt.Errorf("a walk saw %d of the %d rows that stood throughout", len(seen), len(standing))
	}
	return nil
}
