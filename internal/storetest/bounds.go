package storetest

import (
	"strconv"
	"strings"
	"testing"

	"broadsheet/blog"
)

// Bounds tests that a post holds no more comments and reactions than it may. No test writes
// so many: fill makes a store believe that it did, by setting a post's true counts.
func Bounds(t *testing.T, newStore NewStore, fill func(t *testing.T, store blog.Store, post blog.PostRef, held Held)) {
	s := Suite{NewStore: newStore}.seeded(t)
	for i, l := range append(bounds, boundsOfKinds()...) {
		t.Run(l.name, func(t *testing.T) {
			f := s.fixture(t, i)
			author := f.user()
			p := f.post(author)
			f.settle()
			if f.kind = l.held.Of; f.kind != nil {
				l.held.To = f.to(p.ID)
				f.settle()
			}
			fill(t, f.raw, p.Ref(), l.held)
			l.test(f, p)
			f.deletePost(p)
			f.settle()
		})
	}
}

// Held is what a store believes that a post holds.
type Held struct {
	Comments     int
	CommentBytes int // of their contents

	Of        *blog.ReactionKind // nil: no reactions
	To        blog.UUID          // the post, or what stands in for it
	Reactions int
}

var bounds = []bound{
	{"comments: the last one is taken, the next one refused, though one is deleted", Held{Comments: blog.MaxCommentsOfPost - 1}, func(f *fixture, p blog.Post) {
		u := f.user()
		last, count := f.createComment(blog.CreateComment{Author: u.ID, Post: p.ID, Content: "the last"})
		equal(f, "count", count.N, blog.MaxCommentsOfPost)
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "one more"})
		f.isFull(err, blog.MaxCommentsOfPost, "comments")
		equal(f, "an edit's version", f.updateComment(blog.UpdateComment{Actor: u.ID, Key: last.Key(), Content: "edited"}).Version, 2)
		equal(f, "count", f.deleteComment(last).N, blog.MaxCommentsOfPost-1)
		_, _, err = f.store.CreateComment(f.ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "instead"})
		f.isFull(err, blog.MaxCommentsOfPost, "comments")
	}},
	{"comments: the last one, with a key, is kept by its key", Held{Comments: blog.MaxCommentsOfPost - 1}, func(f *fixture, p blog.Post) {
		u := f.user()
		last, _ := f.createComment(f.keyedComment(u, p))
		for range 2 {
			again, count := f.createComment(f.keyedComment(u, p))
			equal(f, "comment", again, last)
			equal(f, "count", count.N, blog.MaxCommentsOfPost)
		}
		refused := f.keyedComment(u, p)
		refused.IdempotencyKey = ptr("another key")
		for range 2 {
			_, _, err := f.store.CreateComment(f.ctx, refused)
			f.isFull(err, blog.MaxCommentsOfPost, "comments")
		}
	}},
	{"bytes of comments: the last one is taken, the next one refused until one is deleted", Held{Comments: 1, CommentBytes: blog.MaxCommentBytesOfPost - 10}, func(f *fixture, p blog.Post) {
		u := f.user()
		last, _ := f.createComment(blog.CreateComment{Author: u.ID, Post: p.ID, Content: "0123456789"})
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: u.ID, Post: p.ID, Content: "x"})
		f.isFull(err, blog.MaxCommentBytesOfPost, "bytes of comments")
		_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: u.ID, Key: last.Key(), Content: "0123456789x"})
		f.refused(err, blog.Invalid, "content")
		equal(f, "an edit's version", f.updateComment(blog.UpdateComment{Actor: u.ID, Key: last.Key(), Content: "01234567"}).Version, 2)
		two, _ := f.createComment(blog.CreateComment{Author: u.ID, Post: p.ID, Content: "89"})
		f.deleteComment(last)
		_, count := f.createComment(blog.CreateComment{Author: u.ID, Post: p.ID, Content: "01234567"})
		equal(f, "count", count.N, 3)
		_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: u.ID, Key: two.Key(), Content: "89x"})
		f.refused(err, blog.Invalid, "content")
	}},
}

// bound is a leaf of what a store believes that a post holds.
type bound struct {
	name string
	held Held
	test func(f *fixture, p blog.Post)
}

func boundsOfKinds() (all []bound) {
	for _, k := range blog.ReactionKinds {
		all = append(all, bound{k.Them + ": the last one is taken and may be repeated, the next one refused until one is taken back", Held{Of: k, Reactions: k.Most - 1}, boundOfReactions})
	}
	return all
}

func boundOfReactions(f *fixture, p blog.Post) {
	last, next := f.user(), f.user()
	for range 2 {
		_, count := f.react(last, p)
		equal(f, "count", count.N, f.kind.Most)
	}
	_, _, err := f.give(next, p)
	f.isFull(err, f.kind.Most, f.kind.Them)
	equal(f, "count", f.takeBack(last, p).N, f.kind.Most-1)
	_, count := f.react(next, p)
	equal(f, "count", count.N, f.kind.Most)
}

// isFull checks that an error says which bound was met.
func (f *fixture) isFull(err error, limit int, what string) {
	f.Helper()
	parent := blog.AboutPost
	if f.kind != nil {
		parent = f.kind.Parent
	}
	f.refused(err, blog.Invalid, parent.Field())
	if !strings.Contains(err.Error(), strconv.Itoa(limit)+" "+what) {
		f.Errorf("the refusal does not tell the bound: %v", err)
	}
}
