package blogtest

import (
	"time"

	"broadsheet/blog"
)

var postsByAuthor = []leaf{
	{"pages of an author's posts, newest first", func(f *fixture) {
		author, other := f.user(), f.user()
		posts := f.posts(author, 25)
		f.post(other)
		f.deletePost(posts[3])
		f.deletePost(posts[24])
		standing := append(append([]blog.Post{}, posts[:3]...), posts[4:24]...)
		checkPages(f, f.authorList(author.ID), keysOf(standing, postID), []blog.PostID{posts[3].ID, posts[24].ID})
	}},
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
		f.clock.Advance(100 * 24 * time.Hour)
		first := f.post(author)
		f.clock.Advance(-100 * 24 * time.Hour)
		second := f.post(author)
		equal(f, "its date", second.CreatedAt().Sub(f.clock.Now()).Abs() < time.Minute, true)
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{first.ID, second.ID})
	}},
	{"a user without posts has an empty page", func(f *fixture) {
		author := f.user()
		f.post(f.user())
		page, err := f.store.PostsByAuthor(f.ctx, author.ID, blog.FirstPage[blog.PostID](20))
		f.ok(err, "posts by author")
		equal(f, "posts", []int{len(page.Items)}, []int{0})
		equal(f, "more", []bool{page.HasNext, page.HasPrevious}, []bool{false, false})
	}},
	{"a user whose posts are all deleted has an empty page", func(f *fixture) {
		author := f.user()
		f.deletePost(f.post(author))
		equal(f, "posts", len(f.postsBy(author)), 0)
	}},
	{"the posts of a user that does not exist are not found", func(f *fixture) {
		cursor := blog.PostID{UUID: blog.FirstUUIDAt(f.start)}
		for _, page := range []blog.PageRequest[blog.PostID]{
			{Limit: 20}, {Limit: 20, Backward: true}, {Limit: 1, After: &cursor}, {Limit: 1, Before: &cursor},
		} {
			_, err := f.store.PostsByAuthor(f.ctx, f.nobody().ID, page)
			f.notFound(err, "nobody's posts")
		}
	}},
	{"a row shows what the post shows, but for its content", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.createPost(blog.CreatePost{Author: author.ID, Title: "Long", Content: longText})
		f.comment(reader, p)
		f.like(reader, p)
		f.like(author, p)
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
	{"a rename shows here", func(f *fixture) {
		author := f.user()
		f.posts(author, 3)
		renamed := f.rename(author, f.name())
		f.settle()
		for _, row := range f.postsBy(author) {
			equal(f, "author", row.Author, renamed.Name().Author())
		}
	}},
}

// listed is what a list shows of a post.
func listed(p blog.Post) blog.Post {
	p.Content, p.Stamp, p.Feed = "", 0, blog.FeedPlace{}
	p.Comments.Stamp, p.Likes.Stamp = 0, 0
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
