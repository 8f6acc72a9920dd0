package storetest

import (
	"slices"
	"time"

	"broadsheet/blog"
)

var feedByBucket = []leaf{
	{"pages of everybody's posts, newest first", func(f *fixture) { checkFeed(f, blog.NewestFirst) }},
	{"pages of everybody's posts, oldest first", func(f *fixture) { checkFeed(f, blog.OldestFirst) }},
	{"from is inclusive, to is exclusive, in both orders", func(f *fixture) { checkTimes(f, f.feedList(), f.posts(f.user(), 6)) }},
	{"pages between two times, newest first", func(f *fixture) { checkPagesBetween(f, f.feedList(), f.posts(f.user(), 14)) }},
	{"pages between two times, oldest first", func(f *fixture) {
		checkPagesBetween(f, f.feedList().inOrder(blog.OldestFirst), f.posts(f.user(), 14))
	}},
	{"without bounds the newest come first, the oldest last", func(f *fixture) {
		author := f.user()
		posts := f.posts(author, 3)
		equal(f, "posts", f.mine(author, forward), newestFirst(keysOf(posts, postID)))
		equal(f, "posts, backward", f.mine(author, backward), newestFirst(keysOf(posts, postID)))
	}},
	{"a page spans posts that lie months apart", func(f *fixture) {
		long := f.start.AddDate(-10, 0, 0) // where no other test writes
		f.clock.Set(long)
		author := f.user()
		var posts []blog.Post
		for _, months := range []int{0, 1, 2, 7, 15} {
			f.clock.Set(long.AddDate(0, months, 0))
			posts = append(posts, f.post(author))
		}
		for _, direction := range []bool{forward, backward} {
			equal(f, "posts", f.mine(author, direction), newestFirst(keysOf(posts, postID)))
		}
	}},
	{"pages between two times that lie months apart", func(f *fixture) {
		long := f.start.AddDate(-20, 0, 0) // where no other test writes
		author := f.user()
		var posts []blog.Post
		for month := range 12 {
			f.clock.Set(long.AddDate(0, month, 0))
			posts = append(posts, f.post(author))
		}
		whole := f.feedList()
		whole.of = blog.PageRequest[blog.PostID]{}
		for _, order := range []blog.Order{blog.NewestFirst, blog.OldestFirst} {
			checkPagesBetween(f, whole.inOrder(order), posts)
		}
	}},
	{"pages go on through many weeks of which all was deleted, each with a bounded number of reads", func(f *fixture) {
		long := f.start.AddDate(-30, 0, 0) // where no other test writes
		author := f.user()
		var posts []blog.Post
		for week := range 120 {
			f.clock.Set(long.AddDate(0, 0, 7*week))
			posts = append(posts, f.post(author))
		}
		last := len(posts) - 1
		for _, p := range posts[1:last] {
			f.deletePost(p)
		}
		f.settle()
		feed := f.feedList()
		feed.of = blog.PageRequest[blog.PostID]{From: long, To: f.clock.Now().AddDate(0, 1, 0)}
		feed.read = func(r blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
			f.statements.take()
			page, err := f.store.Feed(f.ctx, r)
			if n := len(f.statements.takeAsked()); n > 100 {
				f.Errorf("a page takes %d statements: %+v", n, r)
			}
			return page, err
		}
		for _, direction := range []bool{forward, backward} {
			newest := []blog.PostID{posts[last].ID, posts[0].ID}
			equal(f, "posts, newest first", keysOf(walk(f, feed, 20, direction), postID), newest)
			slices.Reverse(newest)
			equal(f, "posts, oldest first", keysOf(walk(f, feed.inOrder(blog.OldestFirst), 20, direction), postID), newest)
		}
	}},
	{"posts of one millisecond keep their order", func(f *fixture) {
		posts := f.postsAtOnce(f.user(), 8)
		equal(f, "posts", keysOf(f.feed(), postID), newestFirst(keysOf(posts, postID)))
	}},
	{"a time without posts has an empty page", func(f *fixture) {
		f.deletePost(f.post(f.user()))
		equal(f, "posts", len(f.feed()), 0)
	}},
	{"a row shows what the post shows, but for its content", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.createPost(blog.CreatePost{Author: author.ID, Title: "Long", Content: longText})
		f.comment(reader, p)
		f.react(reader, p)
		f.react(author, p)
		row := f.feed()[0]
		equal(f, "row", listed(row), listed(f.postByID(p.ID)))
		equal(f, "content and counts", []any{row.Content, row.Excerpt, row.CommentCount(), row.LikeCount()},
			[]any{"", blog.Excerpt(longText), 1, 2})
	}},
	{"an edit shows here and does not move the post", func(f *fixture) {
		author := f.user()
		first, second := f.post(author), f.post(author)
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: first.ID, Title: blog.SetTo("New"), Content: blog.SetTo(longText)})
		rows := f.feed()
		equal(f, "order", keysOf(rows, postID), []blog.PostID{second.ID, first.ID})
		equal(f, "row", listed(rows[1]), listed(f.postByID(first.ID)))
	}},
	{"a rename shows here", func(f *fixture) {
		author := f.user()
		f.posts(author, 3)
		renamed := f.rename(author, f.name())
		f.settle()
		for _, row := range f.feed() {
			equal(f, "author", row.Author, renamed.Name().Author())
		}
	}},
}

func checkFeed(f *fixture, order blog.Order) {
	users := f.users(3)
	var posts []blog.Post
	for i := range 25 {
		f.clock.Advance(time.Minute)
		posts = append(posts, f.post(users[i%3]))
	}
	f.deletePost(posts[24])
	f.deletePost(posts[11])
	standing := append(keysOf(posts[:11], postID), keysOf(posts[12:24], postID)...)
	checkPages(f, f.feedList().inOrder(order), standing, []blog.PostID{posts[11].ID, posts[24].ID})
}

// mine walks through the whole feed and returns the author's posts in it.
func (f *fixture) mine(author blog.User, direction bool) []blog.PostID {
	f.Helper()
	list := f.feedList()
	list.of = blog.PageRequest[blog.PostID]{}
	var mine []blog.PostID
	for _, p := range walk(f, list, blog.MaxPage, direction) {
		if p.Author.ID == author.ID {
			mine = append(mine, p.ID)
		}
	}
	return mine
}
