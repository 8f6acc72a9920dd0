package storetest

import (
	"context"
	"time"

	"broadsheet/blog"
)

// The lists of posts that belong to users.
var postLists = []tested{postsByAuthorList}

var postsByAuthorList = listCase[blog.PostID, blog.Post]{blog.PostsByAuthor, postRows, func(ctx context.Context, q blog.Queries, a asked[blog.PostID]) (blog.Page[blog.Post], int, error) {
	page, err := q.PostsByAuthor(ctx, a.user, a.page)
	return page, 0, err
}}

var postRows = &rowCase[blog.PostID, blog.Post]{
	key: postID, newest: newestPost, answer: postAnswer,
	author: func(p blog.Post) blog.Author { return p.Author },
	parent: func(p blog.Post) blog.UUID { return p.ID.UUID },
	make: func(f *fixture, users []blog.User, _ []blog.Post, n int) (rows []blog.Post) {
		for i := range 2 * n {
			rows = append(rows, f.post(users[i%2]))
		}
		return rows
	},
	truth: func(f *fixture, p blog.Post) blog.Post { return f.postByID(p.ID) },
	shown: listed,
	edit: func(f *fixture, p blog.Post) {
		f.updatePost(blog.UpdatePost{Actor: p.Author.ID, Post: p.ID, Title: blog.SetTo("New"), Content: blog.SetTo(longText)})
		f.comment(f.user(), p)
		f.react(f.user(), p)
	},
	remove: func(f *fixture, p blog.Post) { f.deletePost(p) },
	number: func(s *side, _ numberedQuery, i int) blog.PostID { return s.post(i) },
}

var postsByAuthor = []leaf{
	{"posts of one millisecond keep their order", func(f *fixture) {
		author := f.user()
		posts := f.postsAtOnce(author, 8)
		equal(f, "posts", keysOf(f.postsBy(author), postID), newestFirst(keysOf(posts, postID)))
	}},
	{"a post made after the clock went back a little is still the newest", func(f *fixture) {
		author := f.user()
		first := f.post(author)
		f.clock.Advance(-blog.ClockSkew)
		second := f.post(author)
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{second.ID, first.ID})
	}},
	{"a post made after a clock far ahead was set right has the right date", func(f *fixture) {
		author := f.user()
		f.clock.Advance(farAhead)
		first := f.post(author)
		f.clock.Advance(-farAhead)
		second := f.post(author)
		equal(f, "its date", second.CreatedAt().Sub(f.clock.Now()).Abs() < time.Minute, true)
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{first.ID, second.ID})
	}},
	{"a row shows what the post shows, but for its content", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.createPost(blog.CreatePost{Author: author.ID, Title: "Long", Content: longText})
		f.comment(reader, p)
		f.react(reader, p)
		f.react(author, p)
		equal(f, "row", listed(f.postsBy(author)[0]), listed(f.postByID(p.ID)))
		row := f.postsBy(author)[0]
		equal(f, "content and counts", []any{row.Content, row.Excerpt, row.CommentCount(), row.LikeCount()},
			[]any{"", blog.Excerpt(longText), 1, 2})
	}},
	{"an edit shows here and does not move the post", func(f *fixture) {
		author := f.user()
		first, second := f.post(author), f.post(author)
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: first.ID, Title: blog.SetTo("New"), Content: blog.SetTo(longText)})
		rows := f.postsBy(author)
		equal(f, "order", keysOf(rows, postID), []blog.PostID{second.ID, first.ID})
		equal(f, "row", listed(rows[1]), listed(f.postByID(first.ID)))
		equal(f, "texts", []string{rows[1].Title, rows[1].Excerpt}, []string{"New", blog.Excerpt(longText)})
	}},
}

// listed is what a list shows of a post.
func listed(p blog.Post) blog.Post {
	p.Content, p.Stamp, p.Feed = "", 0, blog.FeedPlace{}
	withoutStamps(&p)
	return p
}

func (f *fixture) posts(author blog.User, n int) []blog.Post {
	f.Helper()
	posts := make([]blog.Post, n)
	for i := range posts {
		posts[i] = f.post(author)
	}
	return posts
}

// postsAtOnce makes posts while the clock stands still.
func (f *fixture) postsAtOnce(author blog.User, n int) []blog.Post {
	f.Helper()
	posts := make([]blog.Post, n)
	for i := range posts {
		p, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content."})
		f.ok(err, "create post")
		posts[i] = p
	}
	return posts
}
