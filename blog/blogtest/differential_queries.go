package blogtest

import (
	"fmt"
	"time"

	"broadsheet/blog"
)

const compared = 40 // the last posts and comments are compared, and all users

// compareAll compares every query for everything, each list whole and in pages.
func (d *differential) compareAll() {
	model := d.sides[0]
	for i := range model.users {
		d.compareUser(i)
	}
	for n := range 20 {
		d.compare("user by a name", func(s *side) string { return s.userByUsername(fmt.Sprintf("nAmE_%d", n)) })
		d.compare("user by an address", func(s *side) string { return s.userByEmail(fmt.Sprintf("mAIL%d@example.ORG", n)) })
	}
	for n := range subjects {
		d.compare("user by a subject", func(s *side) string { return s.userBySubject(fmt.Sprintf("subject %d", n)) })
	}
	for i := max(0, len(model.posts)-compared); i < len(model.posts); i++ {
		d.comparePost(i)
	}
	for i := max(0, len(model.comments)-compared); i < len(model.comments); i++ {
		d.compare("comment", func(s *side) string { return s.commentByKey(i) })
	}
	for range 30 {
		r := d.pageOf(len(model.posts))
		d.compare(fmt.Sprintf("feed %+v", r), func(s *side) string { return s.feed(r) })
	}
}

func (d *differential) compareUser(i int) {
	d.compare("user", func(s *side) string { return s.userByID(i) })
	d.compare("liked posts", func(s *side) string { return s.likedPosts(i) })
	for range 6 {
		posts, comments := d.pageOf(len(d.sides[0].posts)), d.pageOf(len(d.sides[0].comments))
		d.compare(fmt.Sprintf("posts of user %d %+v", i, posts), func(s *side) string { return s.postsByAuthor(i, posts) })
		d.compare(fmt.Sprintf("comments of user %d %+v", i, comments), func(s *side) string { return s.commentsByAuthor(i, comments) })
	}
}

func (d *differential) comparePost(i int) {
	d.compare("post", func(s *side) string { return s.postByID(i) })
	for range 4 {
		q := d.commentsOf(i)
		d.compare(fmt.Sprintf("comments %+v", q), func(s *side) string { return s.commentsByPost(q) })
		r := d.likesPage()
		d.compare(fmt.Sprintf("likes of post %d %+v", i, r), func(s *side) string { return s.likesByPost(i, r) })
	}
}

// numberedPage is a page whose bounds are numbers.
type numberedPage struct {
	limit         int
	backward      bool
	after, before int
}

// pageOf is a random page of a list of at most n rows; its bounds are mostly none.
func (d *differential) pageOf(n int) numberedPage {
	r := numberedPage{limit: pick(d, 1, 2, 3, 7, blog.DefaultPage, blog.MaxPage), backward: d.oneIn(2), after: none, before: none}
	if n > 0 && d.oneIn(3) {
		r.after = d.recent(n, 4*compared)
	}
	if n > 0 && d.oneIn(3) {
		r.before = d.recent(n, 4*compared)
	}
	return r
}

func request[K any](r numberedPage, key func(i int) K) blog.PageRequest[K] {
	page := blog.PageRequest[K]{Limit: r.limit, Backward: r.backward}
	if r.after != none {
		page.After = ptr(key(r.after))
	}
	if r.before != none {
		page.Before = ptr(key(r.before))
	}
	return page
}

// numberedComments is a query for comments whose post and bounds are numbers.
type numberedComments struct {
	post     int
	order    blog.Order
	from, to time.Time
	page     numberedPage
}

func (d *differential) commentsOf(post int) numberedComments {
	q := numberedComments{post: post, page: d.pageOf(len(d.sides[0].comments))}
	if d.oneIn(2) {
		q.order = blog.OldestFirst
	}
	if d.oneIn(3) {
		q.from = d.time()
	}
	if d.oneIn(3) {
		q.to = d.time()
	}
	if !q.to.IsZero() && q.to.Before(q.from) {
		q.from, q.to = q.to, q.from
	}
	return q
}

// time is that of a comment, or any since the last ones.
func (d *differential) time() time.Time {
	comments := d.sides[0].comments
	if len(comments) == 0 || d.oneIn(10) {
		return d.clock.Now().Add(-time.Duration(d.random.IntN(600)) * time.Second)
	}
	return comments[max(0, d.recent(len(comments), 100))].Comment.Time().Add(pick(d, 0, 0, time.Millisecond, time.Microsecond))
}

// likesPage has places as bounds: places are times and users' numbers.
type likesPage struct {
	page   numberedPage
	places [2]struct {
		at   time.Time
		user int
	}
}

func (d *differential) likesPage() likesPage {
	r := likesPage{page: d.pageOf(2)}
	for i := range r.places {
		r.places[i].at, r.places[i].user = blog.Millisecond(d.time()), d.user()
	}
	return r
}
