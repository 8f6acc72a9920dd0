package storetest

import "broadsheet/blog"

var commentsByPost = []leaf{
	{"comments of one millisecond keep their order", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		var want []blog.CommentID
		for range 8 {
			c, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x"})
			f.ok(err, "create comment")
			want = append(want, c.ID)
		}
		equal(f, "comments", keysOf(f.commentsOf(p), commentID), newestFirst(want))
	}},
	{"a page tells the count of all comments, whatever its bounds", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		comments := f.comments(author, p, 5)
		past := blog.CommentID{UUID: blog.FirstUUIDAt(f.start)}
		for name, page := range map[string]blog.PageRequest[blog.CommentID]{
			"a short page":           {Limit: 2},
			"an empty page":          {Limit: 2, After: &past},
			"an empty page backward": {Limit: 2, Backward: true, After: &past},
			"an empty time":          {Limit: 2, From: f.start, To: f.start},
			"a bounded time":         {Limit: 2, From: comments[4].CreatedAt()},
		} {
			equal(f, name, f.commentPage(blog.CommentsQuery{Post: p.ID, Page: page}).Count.N, 5)
		}
	}},
	{"a page that is asked tells how many comments were made", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		past := blog.CommentID{UUID: blog.FirstUUIDAt(f.start)}
		tells := func(made int) {
			f.Helper()
			for name, page := range map[string]blog.PageRequest[blog.CommentID]{
				"a page": blog.FirstPage[blog.CommentID](2), "an empty page": {Limit: 2, After: &past},
			} {
				equal(f, name, f.commentPage(blog.CommentsQuery{Post: p.ID, Page: page, Made: true}).Made, made)
				equal(f, name+" that is not asked", f.commentPage(blog.CommentsQuery{Post: p.ID, Page: page}).Made, 0)
			}
		}
		tells(0)
		comments := f.comments(author, p, 3)
		tells(3)
		for i, c := range comments {
			f.deleteComment(c)
			tells(3)
			if i == 1 {
				f.updateComment(blog.UpdateComment{Actor: author.ID, Key: comments[2].Key(), Content: "Edited."})
			}
		}
		f.comment(author, p)
		tells(4)
	}},
	{"a post without comments has an empty page and no count", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		equal(f, "comments and count", f.countOfPage(p), [2]int{0, 0})
		f.deleteComment(f.comment(author, p))
		equal(f, "comments and count after the last is deleted", f.countOfPage(p), [2]int{0, 0})
	}},
	{"a page's count is as new as the command that it follows", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		c, count := f.createComment(blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x"})
		query := blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](1)}
		equal(f, "count", f.commentPage(query).Count, count)
		count = f.deleteComment(c)
		equal(f, "count", f.commentPage(query).Count, count)
	}},
	{"one comment by its key", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		c := f.comment(author, p)
		equal(f, "comment", f.commentByKey(c.Key()), c)
		equal(f, "row", f.commentsOf(p)[0], c)
		other := f.post(author)
		f.comment(author, other)
		for name, key := range map[string]blog.CommentKey{
			"of another post": {Post: other.ID, Comment: c.ID},
			"of no post":      {Post: f.noPost().ID, Comment: c.ID},
			"never written":   {Post: p.ID, Comment: blog.CommentID{UUID: p.ID.UUID}},
		} {
			_, err := f.store.CommentByKey(f.ctx, key)
			f.notFound(err, name)
		}
	}},
}

func (f *fixture) comments(author blog.User, p blog.Post, n int) []blog.Comment {
	f.Helper()
	comments := make([]blog.Comment, n)
	for i := range comments {
		comments[i] = f.comment(author, p)
	}
	return comments
}

func (f *fixture) commentPage(query blog.CommentsQuery) blog.CommentPage {
	f.Helper()
	page, err := f.store.CommentsByPost(f.ctx, query)
	f.ok(err, "comments by post")
	return page
}

// countOfPage returns how many comments a page of many holds, and the count that
// it tells.
func (f *fixture) countOfPage(p blog.Post) [2]int {
	f.Helper()
	page := f.commentPage(blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](blog.MaxPage)})
	return [2]int{len(page.Items), page.Count.N}
}
