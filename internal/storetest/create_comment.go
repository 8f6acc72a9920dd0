package storetest

import (
	"slices"
	"strings"

	"broadsheet/blog"
)

var createComment = []leaf{
	{"a comment has its text, author and times, and counts", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		c, count := f.createComment(blog.CreateComment{Author: reader.ID, Post: p.ID, Content: "First!"})
		equal(f, "comment", c, blog.Comment{
			Post: p.ID, ID: c.ID, Author: reader.Name().Author(), Content: "First!", UpdatedAt: f.clock.Now(), Version: 1,
		})
		equal(f, "created at", c.CreatedAt(), f.clock.Now())
		equal(f, "count", count.N, 1)
		_, count = f.createComment(blog.CreateComment{Author: reader.ID, Post: p.ID, Content: "First!"})
		equal(f, "count", count.N, 2)
	}},
	{"every copy of the count follows", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		for n := range 3 {
			f.comment(reader, p)
			equal(f, "counts", f.commentCounts(p), []int{n + 1, n + 1, n + 1, n + 1})
		}
	}},
	{"counts' stamps rise though the clock stands", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		last := blog.Count{}
		for range 4 {
			_, count, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x"})
			f.ok(err, "create comment")
			equal(f, "the newer", last.Newer(count), count)
			if count.Stamp <= last.Stamp {
				f.Fatalf("the stamp went from %d to %d", last.Stamp, count.Stamp)
			}
			last = count
		}
	}},
	{"texts come back byte for byte", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		texts := map[string]string{"the longest": strings.Repeat("🙂", blog.MaxComment)}
		for name, text := range anyTexts {
			texts[name] = text
		}
		for name, text := range texts {
			c, _ := f.createComment(blog.CreateComment{Author: author.ID, Post: p.ID, Content: text})
			equal(f, name, f.commentByKey(c.Key()).Content, text)
			equal(f, name+", by author", f.commentsBy(author)[0].Content, text)
		}
	}},
	{"faults are refused and nothing is written", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{
			Author: author.ID, Post: p.ID, Content: strings.Repeat("x", blog.MaxComment+1), IdempotencyKey: ptr("\x00"),
		})
		f.faults(err, "content too long", "idempotencyKey invalid")
		equal(f, "comments and count", f.countOfPage(p), [2]int{0, 0})
	}},
	{"who may comment, and on what", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: f.nobody().ID, Post: p.ID, Content: "x"})
		f.refused(err, blog.Forbidden, "")
		_, _, err = f.store.CreateComment(f.ctx, blog.CreateComment{Author: author.ID, Post: f.noPost().ID, Content: "x"})
		f.refused(err, blog.NotFound, "postId")
		_, _, err = f.store.CreateComment(f.ctx, blog.CreateComment{Author: f.nobody().ID, Post: f.noPost().ID, Content: "x"})
		f.refused(err, blog.Forbidden, "")
		equal(f, "comments and count", f.countOfPage(p), [2]int{0, 0})
	}},
	{"a comment made after the clock went back a little is still the newest", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		first := f.comment(author, p)
		f.clock.Advance(-blog.ClockSkew)
		second := f.comment(author, p)
		equal(f, "comments", keysOf(f.commentsOf(p), commentID), []blog.CommentID{second.ID, first.ID})
	}},
}

// commentCounts returns how many comments a post has by each copy: its page, the
// page of its comments, its author's list and the feed.
func (f *fixture) commentCounts(p blog.Post) []int {
	f.Helper()
	counts := []int{f.postByID(p.ID).CommentCount(), f.countOfPage(p)[1]}
	for _, row := range f.rowsOf(p) {
		counts = append(counts, row.CommentCount())
	}
	return counts
}

func (f *fixture) reactionCounts(p blog.Post) []int {
	f.Helper()
	if f.kind.Count == nil || f.kind.Private() { // no copy of a post has it
		n := len(f.reactionsOf(p))
		if !f.kind.Private() {
			n = f.reactionPage(p, blog.FirstPage[blog.ReactionPosition](1)).Count.N
		}
		return slices.Repeat([]int{n}, 4)
	}
	post := f.postByID(p.ID)
	counts := []int{f.kind.Count(&post).N, f.reactionPage(p, blog.FirstPage[blog.ReactionPosition](1)).Count.N}
	for _, row := range f.rowsOf(p) {
		counts = append(counts, f.kind.Count(&row).N)
	}
	return counts
}

// rowsOf returns the rows that list a post.
func (f *fixture) rowsOf(p blog.Post) []blog.Post {
	f.Helper()
	var rows []blog.Post
	for _, row := range append(f.postsBy(blog.User{ID: p.Author.ID}), f.feed()...) {
		if row.ID == p.ID {
			rows = append(rows, row)
		}
	}
	return rows
}
