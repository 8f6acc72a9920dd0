package storetest

import "broadsheet/blog"

var deleteComment = []leaf{
	{"a deleted comment is gone everywhere and counts no more", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		c, stays := f.comment(reader, p), f.comment(reader, p)
		equal(f, "count", f.deleteComment(c).N, 1)
		equal(f, "by post", f.commentsOf(p), []blog.Comment{stays})
		equal(f, "by author", f.commentsBy(reader), []blog.Comment{stays})
		equal(f, "counts", f.commentCounts(p), []int{1, 1, 1, 1})
		_, err := f.store.CommentByKey(f.ctx, c.Key())
		f.notFound(err, "the deleted comment")
	}},
	{"a comment is deleted once", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		c := f.comment(author, p)
		f.comment(author, p)
		f.deleteComment(c)
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: c.Key()})
		f.refused(err, blog.NotFound, "id")
		equal(f, "counts", f.commentCounts(p), []int{1, 1, 1, 1})
	}},
	{"an edited comment is deleted with the clock gone back", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		f.clock.Advance(20 * tick)
		c := f.comment(author, p)
		f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: "Edited."})
		f.clock.Advance(-20 * tick)
		f.deleteComment(c)
		equal(f, "comments and counts", append(f.commentCounts(p), len(f.commentsOf(p)), len(f.commentsBy(author))), []int{0, 0, 0, 0, 0, 0})
	}},
	{"a post's author deletes what others wrote below it", func(f *fixture) {
		l := f.follow()
		author, commenter := f.user(), f.user()
		p, elsewhere := f.post(author), f.post(commenter)
		gone, stays := f.comment(commenter, p), f.comment(commenter, elsewhere)
		f.settle()
		l.told = nil
		count, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: author.ID, Key: gone.Key()})
		f.ok(err, "delete comment")
		equal(f, "count", count.N, 0)
		equal(f, "by post", len(f.commentsOf(p)), 0)
		equal(f, "by author", f.commentsBy(commenter), []blog.Comment{stays})
		equal(f, "counts", f.commentCounts(p), []int{0, 0, 0, 0})
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.CommentDeleted, Actor: author.ID, Post: p.ID, Comment: gone.ID}})
	}},
	{"a moderator deletes any comment, and is told of", func(f *fixture) {
		author, moderator := f.user(), f.user()
		p := f.post(author)
		c := f.comment(author, p)
		l := f.follow()
		f.settle()
		l.told = nil
		_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: f.nobody().ID, Role: blog.Moderator, Key: c.Key()})
		f.refused(err, blog.Forbidden, "")
		_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: moderator.ID, Role: blog.Moderator, Key: c.Key()})
		f.ok(err, "delete comment")
		equal(f, "counts", f.commentCounts(p), []int{0, 0, 0, 0})
		equal(f, "by author", len(f.commentsBy(author)), 0)
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.CommentDeleted, Actor: moderator.ID, Post: p.ID, Comment: c.ID}})
	}},
	{"who may delete", func(f *fixture) {
		author, commenter, stranger := f.user(), f.user(), f.user()
		p, other := f.post(author), f.post(author)
		c := f.comment(commenter, p)
		for _, refusal := range []struct {
			name  string
			actor blog.User
			key   blog.CommentKey
			kind  blog.Kind
			field string
		}{
			{"not a stranger", stranger, c.Key(), blog.Forbidden, ""},
			{"not a stranger who comments there too", f.commenter(p), c.Key(), blog.Forbidden, ""},
			{"not without an account", f.nobody(), c.Key(), blog.Forbidden, ""},
			{"nobody what is another post's", commenter, blog.CommentKey{Post: other.ID, Comment: c.ID}, blog.NotFound, "id"},
			{"nobody what never existed", commenter, blog.CommentKey{Post: f.noPost().ID, Comment: c.ID}, blog.NotFound, "id"},
		} {
			_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: refusal.actor.ID, Key: refusal.key})
			f.refused(err, refusal.kind, refusal.field)
		}
		equal(f, "counts", f.commentCounts(p), []int{2, 2, 2, 2})
	}},
}

// commenter makes a user who comments on a post.
func (f *fixture) commenter(p blog.Post) blog.User {
	f.Helper()
	u := f.user()
	f.comment(u, p)
	return u
}
