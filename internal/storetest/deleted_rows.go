package storetest

import (
	"slices"
	"time"

	"broadsheet/blog"
)

// What lists cost where much was deleted: what they show, and not what is gone.
var deletedRows = []leaf{
	{"posts of an author above and below many that were deleted", func(f *fixture) {
		author := f.user()
		standing, gone := f.postsAroundDeleted(author)
		pagesAmongDeleted(f, f.authorList(author.ID), standing, gone, besideDeleted)
	}},
	{"the feed above and below many posts that were deleted", func(f *fixture) {
		standing, gone := f.postsAroundDeleted(f.user())
		pagesAmongDeleted(f, f.feedList(), standing, gone, feedBesideDeleted)
	}},
	{"comments of a post above and below many that were deleted", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		standing, gone := f.commentsAroundDeleted(author, p)
		pagesAmongDeleted(f, f.commentList(p.ID), standing, gone, besideDeleted)
		pagesAmongDeleted(f, f.commentList(p.ID).inOrder(blog.OldestFirst), standing, gone, besideDeleted)
		pagesAmongDeleted(f, f.commenterList(author.ID), standing, gone, besideDeleted)
	}},
	{"comments of an author whose posts were deleted below them", func(f *fixture) {
		author, other := f.user(), f.user()
		p, q := f.post(other), f.post(other)
		standing := keysOf(f.comments(author, p, aboutDeleted), commentID)
		gone := f.manyComments(author, q)
		f.deletePost(q)
		standing = append(standing, keysOf(f.comments(author, p, aboutDeleted), commentID)...)
		pagesAmongDeleted(f, f.commenterList(author.ID), standing, gone, besideDeleted)
	}},
	{"rows that stand among many that were deleted", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		all := f.manyComments(author, p)
		var standing, gone []blog.CommentID
		for i, c := range all {
			if i%9 == 4 {
				standing = append(standing, c)
			} else {
				gone = append(gone, c)
			}
		}
		f.deleteComments(author, p, gone)
		pagesAmongDeleted(f, f.commentList(p.ID), standing, gone, amongDeleted)
		pagesAmongDeleted(f, f.commenterList(author.ID), standing, gone, amongDeleted)
	}},
	{"a list of which all was deleted", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		gone := f.manyComments(author, p)
		f.deleteComments(author, p, gone)
		pagesAmongDeleted(f, f.commentList(p.ID), nil, gone, besideDeleted)
		pagesAmongDeleted(f, f.commenterList(author.ID), nil, gone, besideDeleted)
		equal(f, "count", f.countOf(p), 0)
		c := f.comment(author, p)
		pagesAmongDeleted(f, f.commentList(p.ID), []blog.CommentID{c.ID}, gone, besideDeleted)
	}},
	{"rows that were deleted below many that had been", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		standing := keysOf(f.comments(author, p, aboutDeleted), commentID)
		later := keysOf(f.comments(author, p, deletedLater), commentID)
		gone := f.manyComments(author, p)
		f.deleteComments(author, p, gone)
		pagesAmongDeleted(f, f.commentList(p.ID), append(slices.Clone(later), standing...), gone, besideDeleted)
		f.deleteComments(author, p, later)
		gone = append(gone, later...)
		pagesAmongDeleted(f, f.commentList(p.ID), standing, gone, besideDeleted)
		pagesAmongDeleted(f, f.commentList(p.ID).inOrder(blog.OldestFirst), standing, gone, besideDeleted)
		pagesAmongDeleted(f, f.commenterList(author.ID), standing, gone, besideDeleted)
	}},
	{"a rename beside many rows that were deleted", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		standing, gone := f.commentsAroundDeleted(author, p)
		author = f.rename(author, f.name())
		f.settle()
		for _, c := range walk(f, f.commenterList(author.ID), 50, forward) {
			equal(f, "author", c.Author, author.Name().Author())
		}
		pagesAmongDeleted(f, f.commentList(p.ID), standing, gone, besideDeleted)
	}},
}

const (
	manyDeleted  = 900 // several times what any store reads at once
	deletedLater = 40  // fewer than any store looks again for
	aboutDeleted = 25  // rows above, and rows below
	deleters     = 24  // at once

)

// pageCost is what a page may cost at most, whatever was deleted.
type pageCost struct{ statements, rows int }

var (
	besideDeleted = pageCost{4, 400}
	// The feed's index comes on top, and where the test's part of the feed lies across the
	// bounds of a bucket, the other one.
	feedBesideDeleted = pageCost{8, 800}
	amongDeleted      = pageCost{8, 2_000} // for each row that stands, those about it are read
)

// countOf reads a post's number of comments from their list.
func (f *fixture) countOf(p blog.Post) int {
	f.Helper()
	page, err := f.store.CommentsByPost(f.ctx, blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](5)})
	f.ok(err, "comments")
	return page.Count.N
}

func (f *fixture) postsAroundDeleted(author blog.User) (standing, gone []blog.PostID) {
	f.Helper()
	standing = keysOf(f.posts(author, aboutDeleted), postID)
	gone = make([]blog.PostID, manyDeleted)
	f.many(manyDeleted, func(i int) error {
		p, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: author.ID, Title: "Gone", Content: "Gone."})
		gone[i] = p.ID
		return err
	})
	f.many(manyDeleted, func(i int) error {
		return f.store.DeletePost(f.ctx, blog.DeletePost{Actor: author.ID, Post: gone[i]})
	})
	return append(standing, keysOf(f.posts(author, aboutDeleted), postID)...), gone
}

func (f *fixture) commentsAroundDeleted(author blog.User, p blog.Post) (standing, gone []blog.CommentID) {
	f.Helper()
	standing = keysOf(f.comments(author, p, aboutDeleted), commentID)
	gone = f.manyComments(author, p)
	f.deleteComments(author, p, gone)
	return append(standing, keysOf(f.comments(author, p, aboutDeleted), commentID)...), gone
}

func (f *fixture) manyComments(author blog.User, p blog.Post) []blog.CommentID {
	f.Helper()
	made := make([]blog.CommentID, manyDeleted)
	f.many(manyDeleted, func(i int) error {
		c, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "Gone."})
		made[i] = c.ID
		return err
	})
	slices.SortFunc(made, ordered(newestComment, blog.OldestFirst))
	return made
}

func (f *fixture) deleteComments(author blog.User, p blog.Post, comments []blog.CommentID) {
	f.Helper()
	f.many(len(comments), func(i int) error {
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: blog.CommentKey{Post: p.ID, Comment: comments[i]}})
		return err
	})
}

// many does something n times, some at once.
func (f *fixture) many(n int, do func(i int) error) {
	f.Helper()
	f.atOnce(deleters, func(worker int) error {
		for i := worker; i < n; i += deleters {
			f.clock.Advance(time.Millisecond)
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// pagesAmongDeleted checks pages of a list from each end and from cursors that were deleted,
// and then what they cost. The first reader may find what was deleted, and pay; who comes
// after does not.
func pagesAmongDeleted[K, T any](f *fixture, l list[K, T], standing, gone []K, cost pageCost) {
	f.Helper()
	slices.SortFunc(gone, l.order)
	f.clock.Advance(time.Minute)
	middle, edge := gone[len(gone)/2], gone[len(gone)-1]
	requests := []blog.PageRequest[K]{
		{Limit: 20}, {Limit: 20, Backward: true}, {Limit: 100}, {Limit: 100, Backward: true},
		{Limit: 20, After: &middle}, {Limit: 20, Backward: true, Before: &middle},
		{Limit: 20, Before: &middle}, {Limit: 20, Backward: true, After: &middle},
		{Limit: 20, After: &gone[0]}, {Limit: 20, Backward: true, Before: &edge},
		{Limit: 20, After: &middle, Before: &edge},
	}
	for round := range 3 {
		for _, r := range requests {
			f.settle()
			f.statements.take()
			page, err := l.page(r)
			f.ok(err, l.name)
			statements, rows := 0, 0
			for _, s := range f.statements.takeAsked() {
				statements++
				rows += s.Rows
			}
			r = l.within(r)
			equal(f, l.name, keysOf(page.Items, l.key), pageOfKeys(standing, l.newest, r))
			if statements == 0 {
				f.Errorf("%s: a page is told by no statement", l.name)
			}
			if round == 2 && (statements > cost.statements || rows > cost.rows) {
				f.Errorf("%s: a page of %d takes %d statements and %d rows, want %d and %d at most (after %v, before %v, backward %v)",
					l.name, r.Limit, statements, rows, cost.statements, cost.rows, r.After, r.Before, r.Backward)
			}
		}
	}
}

// pageOfKeys is [pageOf] of keys.
func pageOfKeys[K any](keys []K, newest func(a, b K) int, r blog.PageRequest[K]) []K {
	return slices.Clip(append([]K{}, pageOf(slices.Clone(keys), func(k K) K { return k }, newest, r).Items...))
}
