package storetest

import (
	"time"

	"broadsheet/blog"
)

// betweenLeaves are what holds for every list that is read between two times.
func betweenLeaves(l listCase[blog.CommentID, blog.Comment]) []leaf {
	return []leaf{
		{"from is inclusive, to is exclusive, in both orders", func(f *fixture) {
			p, comments := f.minutelyComments(6)
			at := func(i int) time.Time { return comments[i].CreatedAt() }
			const ms = time.Millisecond
			for _, c := range []struct {
				name        string
				from, to    time.Time
				first, last int // of the comments that lie between, oldest first
			}{
				{"no bound", time.Time{}, time.Time{}, 0, 5},
				{"from a comment's time", at(2), time.Time{}, 2, 5},
				{"from a millisecond later", at(2).Add(ms), time.Time{}, 3, 5},
				{"from a microsecond later", at(2).Add(time.Microsecond), time.Time{}, 3, 5},
				{"from a microsecond earlier", at(2).Add(-time.Microsecond), time.Time{}, 2, 5},
				{"to a comment's time", time.Time{}, at(4), 0, 3},
				{"to a millisecond later", time.Time{}, at(4).Add(ms), 0, 4},
				{"between two comments' times", at(1), at(3), 1, 2},
				{"one millisecond that holds one", at(3), at(3).Add(ms), 3, 3},
				{"equal bounds", at(3), at(3), 0, -1},
				{"all of time", f.start.AddDate(-60, 0, 0), f.start.AddDate(5_000, 0, 0), 0, 5},
				{"before all", time.Time{}, at(0), 0, -1},
				{"after all", at(5).Add(ms), time.Time{}, 0, -1},
				{"in another time zone", at(1).In(time.FixedZone("", 3600)), at(2).In(time.FixedZone("", -3600)), 1, 1},
			} {
				want := keysOf(comments[c.first:c.last+1], commentID)
				query := asked[blog.CommentID]{owner: owner{comments[0].Author.ID, p.ID}, from: c.from, to: c.to, order: blog.OldestFirst}
				equal(f, c.name+", oldest first", keysOf(walk(f, l.in(f, query), 2, forward), commentID), want)
				query.order = blog.NewestFirst
				equal(f, c.name+", newest first", keysOf(walk(f, l.in(f, query), 2, backward), commentID), newestFirst(want))
			}
		}},
		{"pages between two times, newest first", func(f *fixture) { checkPagesBetween(f, l, blog.NewestFirst) }},
		{"pages between two times, oldest first", func(f *fixture) { checkPagesBetween(f, l, blog.OldestFirst) }},
	}
}

// checkPagesBetween reads pages of the inner comments, also with cursors that lie
// outside of the times.
func checkPagesBetween(f *fixture, l listCase[blog.CommentID, blog.Comment], order blog.Order) {
	p, comments := f.minutelyComments(14)
	query := asked[blog.CommentID]{owner: owner{comments[0].Author.ID, p.ID}, order: order, from: comments[2].CreatedAt(), to: comments[12].CreatedAt()}
	outside := append(keysOf(comments[:2], commentID), keysOf(comments[12:], commentID)...)
	checkPages(f, l.in(f, query), keysOf(comments[2:12], commentID), outside)
}

func (f *fixture) minutelyComments(n int) (blog.Post, []blog.Comment) {
	f.Helper()
	author := f.user()
	p := f.post(author)
	comments := make([]blog.Comment, n)
	for i := range comments {
		f.clock.Advance(time.Minute)
		comments[i] = f.comment(author, p)
	}
	return p, comments
}
