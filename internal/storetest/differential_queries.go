package storetest

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
	for i := range groupNumbers {
		d.compare("group", func(s *side) string { return s.groupByID(i) })
	}
	for range 30 {
		r := d.pageOf(len(model.posts))
		d.compare(fmt.Sprintf("feed %+v", r), func(s *side) string { return s.feed(r) })
	}
}

func (d *differential) compareUser(i int) {
	d.compare("user", func(s *side) string { return s.userByID(i) })
	for _, k := range blog.ReactionKinds {
		d.compare("reactions of a user", func(s *side) string { return s.reacted(k, i) })
	}
	d.compare("groups", func(s *side) string { return s.groupsByOwner(i) })
	d.compare("home", func(s *side) string { return s.home(i) })
	d.compareLists(numberedQuery{user: i, post: d.post()}, blog.TypeUser, 6)
}

func (d *differential) comparePost(i int) {
	d.compare("post", func(s *side) string { return s.postByID(i) })
	d.compareLists(numberedQuery{user: d.user(), post: i}, blog.TypePost, 4)
	d.compareLists(numberedQuery{user: d.user(), post: i}, blog.TypeGroup, 1)
}

// compareLists compares pages of the lists whose partitions are of a user, or of a post.
func (d *differential) compareLists(of numberedQuery, parent blog.ColumnType, pages int) {
	for _, l := range everyList {
		if l.declaration().Partition[0].Type != parent {
			continue
		}
		for range pages {
			q := d.query(of, l.declaration().About)
			d.compare(fmt.Sprintf("%s %+v", l.declaration().Table, q), func(s *side) string { return l.answer(s, q) })
		}
	}
}

// numberedPage is a page whose bounds are numbers.
type numberedPage struct {
	limit         int
	backward      bool
	after, before int
	order         blog.Order
	from, to      time.Time
}

// pageOf is a random page of a list of at most n rows, in any order; its bounds are mostly none.
func (d *differential) pageOf(n int) numberedPage {
	r := numberedPage{limit: pick(d, 1, 2, 3, 7, blog.DefaultPage, blog.MaxPage), backward: d.oneIn(2), after: none, before: none}
	if n > 0 && d.oneIn(3) {
		r.after = d.recent(n, 4*compared)
	}
	if n > 0 && d.oneIn(3) {
		r.before = d.recent(n, 4*compared)
	}
	if d.oneIn(2) {
		r.order = blog.OldestFirst
	}
	if d.oneIn(3) {
		r.from = d.time()
	}
	if d.oneIn(3) {
		r.to = d.time()
	}
	if !r.to.IsZero() && r.to.Before(r.from) {
		r.from, r.to = r.to, r.from
	}
	return r
}

func request[K any](r numberedPage, key func(i int) K) blog.PageRequest[K] {
	page := blog.PageRequest[K]{Limit: r.limit, Backward: r.backward, Order: r.order, From: r.from, To: r.to}
	if r.after != none {
		page.After = ptr(key(r.after))
	}
	if r.before != none {
		page.Before = ptr(key(r.before))
	}
	return page
}

// numberedQuery is a query for a page of a list whose owner and bounds are numbers.
type numberedQuery struct {
	user, post int
	page       numberedPage
	positions  [2]struct { // of reactions, which a page's bounds are numbers of
		at         time.Time
		user, post int
	}
}

// query is for a random page of rows about a subject.
func (d *differential) query(q numberedQuery, about *blog.Subject) numberedQuery {
	switch model := d.sides[0]; about {
	case blog.AboutPost:
		q.page = d.pageOf(len(model.posts))
	case blog.AboutComment:
		q.page = d.pageOf(len(model.comments))
	default:
		q.page = d.pageOf(2)
	}
	for i := range q.positions {
		q.positions[i].at, q.positions[i].user, q.positions[i].post = blog.Millisecond(d.time()), d.user(), d.post()
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
