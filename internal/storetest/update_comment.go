package storetest

import (
	"strings"
	"time"

	"broadsheet/blog"
)

var updateComment = []leaf{
	{"an edit raises version and time, and neither place nor count", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		comments := f.comments(author, p, 3)
		edited := f.updateComment(blog.UpdateComment{Actor: author.ID, Key: comments[0].Key(), Content: "Edited."})
		want := comments[0]
		want.Content, want.Version, want.UpdatedAt = "Edited.", 2, f.clock.Now()
		equal(f, "comment", edited, want)
		equal(f, "by post", f.commentsOf(p), []blog.Comment{comments[2], comments[1], want})
		equal(f, "by author", f.commentsBy(author), []blog.Comment{comments[2], comments[1], want})
		equal(f, "count", f.countOfPage(p), [2]int{3, 3})
	}},
	{"an edit that changes nothing changes nothing", func(f *fixture) {
		author := f.user()
		c := f.comment(author, f.post(author))
		equal(f, "comment", f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: c.Content}), c)
		equal(f, "comment", f.commentByKey(c.Key()), c)
	}},
	{"an edit with the clock gone back does not go back", func(f *fixture) {
		author := f.user()
		c := f.comment(author, f.post(author))
		f.clock.Advance(-time.Minute)
		edited := f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: "Edited."})
		equal(f, "updated at", edited.UpdatedAt, c.UpdatedAt)
		equal(f, "by author", f.commentsBy(author), []blog.Comment{edited})
	}},
	{"many edits while the clock stands: the last one stands", func(f *fixture) {
		author := f.user()
		c := f.comment(author, f.post(author))
		for _, text := range []string{"b", "a", "c", "aa"} {
			edited, err := f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: text})
			f.ok(err, "update comment")
			equal(f, "by author", f.commentsBy(author), []blog.Comment{edited})
		}
	}},
	{"an edit of another version is refused", func(f *fixture) {
		author := f.user()
		c := f.comment(author, f.post(author))
		f.updateComment(blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: "v2", ExpectedVersion: ptr(1)})
		for _, version := range []int{0, 1, 3} {
			for _, text := range []string{"v3", "v2"} {
				_, err := f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: text, ExpectedVersion: &version})
				f.refused(err, blog.VersionConflict, "expectedVersion")
			}
		}
		equal(f, "text", f.commentByKey(c.Key()).Content, "v2")
	}},
	{"a text that can't be is refused", func(f *fixture) {
		author := f.user()
		c := f.comment(author, f.post(author))
		_, err := f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: "\t"})
		f.refused(err, blog.Invalid, "content")
		_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: author.ID, Key: c.Key(), Content: strings.Repeat("x", blog.MaxComment+1)})
		f.refused(err, blog.TooLong, "content")
	}},
	{"who may edit", func(f *fixture) {
		author, commenter := f.user(), f.user()
		p, other := f.post(author), f.post(author)
		c, gone := f.comment(commenter, p), f.comment(commenter, p)
		f.deleteComment(gone)
		for _, refusal := range []struct {
			name  string
			actor blog.User
			key   blog.CommentKey
			kind  blog.Kind
			field string
		}{
			{"not the post's author", author, c.Key(), blog.Forbidden, ""},
			{"not without an account", f.nobody(), c.Key(), blog.Forbidden, ""},
			{"nobody what was deleted", commenter, gone.Key(), blog.NotFound, "id"},
			{"nobody what is another post's", commenter, blog.CommentKey{Post: other.ID, Comment: c.ID}, blog.NotFound, "id"},
			{"nobody what never existed", commenter, blog.CommentKey{Post: f.noPost().ID, Comment: c.ID}, blog.NotFound, "id"},
		} {
			_, err := f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: refusal.actor.ID, Key: refusal.key, Content: "x", ExpectedVersion: ptr(9)})
			f.refused(err, refusal.kind, refusal.field)
		}
		equal(f, "comment", f.commentByKey(c.Key()), c)
	}},
}
