package blogtest

import "broadsheet/blog"

var commentsByAuthor = []leaf{
	{"pages of a user's comments on all posts, newest first", func(f *fixture) {
		author, commenter := f.user(), f.user()
		one, two := f.post(author), f.post(commenter)
		comments := f.comments(commenter, one, 10)
		comments = append(comments, f.comments(commenter, two, 4)...)
		f.comment(author, two)
		comments = append(comments, f.comments(commenter, one, 10)...)
		f.deleteComment(comments[5])
		f.deleteComment(comments[23])
		standing := append(keysOf(comments[:5], commentID), keysOf(comments[6:23], commentID)...)
		checkPages(f, f.commenterList(commenter.ID), standing, []blog.CommentID{comments[5].ID, comments[23].ID})
	}},
	{"a row shows what the comment shows", func(f *fixture) {
		author, commenter := f.user(), f.user()
		c := f.comment(commenter, f.post(author))
		equal(f, "row", f.commentsBy(commenter), []blog.Comment{c})
		edited := f.updateComment(blog.UpdateComment{Actor: commenter.ID, Key: c.Key(), Content: "Edited."})
		equal(f, "row after an edit", f.commentsBy(commenter), []blog.Comment{edited})
	}},
	{"a user without comments has an empty page", func(f *fixture) {
		author, commenter := f.user(), f.user()
		p := f.post(author)
		f.deleteComment(f.comment(commenter, p))
		f.comment(author, p)
		page, err := f.store.CommentsByAuthor(f.ctx, commenter.ID, blog.FirstPage[blog.CommentID](20))
		f.ok(err, "comments by author")
		equal(f, "comments and more", []any{len(page.Items), page.HasNext, page.HasPrevious}, []any{0, false, false})
	}},
	{"the comments of a user that does not exist are not found", func(f *fixture) {
		cursor := blog.CommentID{UUID: blog.FirstUUIDAt(f.start)}
		for _, page := range []blog.PageRequest[blog.CommentID]{
			{Limit: 20}, {Limit: 20, Backward: true}, {Limit: 1, After: &cursor}, {Limit: 1, Before: &cursor},
		} {
			_, err := f.store.CommentsByAuthor(f.ctx, f.nobody().ID, page)
			f.notFound(err, "nobody's comments")
		}
	}},
	{"comments on a post that is deleted are gone", func(f *fixture) {
		author, commenter := f.user(), f.user()
		doomed, other := f.post(author), f.post(author)
		f.comment(commenter, doomed)
		stays := f.comment(commenter, other)
		f.comment(commenter, doomed)
		f.deletePost(doomed)
		f.settle()
		equal(f, "comments", f.commentsBy(commenter), []blog.Comment{stays})
	}},
	{"a rename shows here", func(f *fixture) {
		author := f.user()
		f.comments(author, f.post(author), 3)
		renamed := f.rename(author, f.name())
		f.settle()
		for _, c := range f.commentsBy(author) {
			equal(f, "author", c.Author, renamed.Name().Author())
		}
	}},
}
