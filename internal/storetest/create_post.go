package storetest

import (
	"strings"

	"broadsheet/blog"
)

var createPost = []leaf{
	{"texts come back byte for byte", func(f *fixture) {
		author := f.user()
		for name, text := range anyTexts {
			p := f.createPost(blog.CreatePost{Author: author.ID, Title: text, Content: text})
			found := f.postByID(p.ID)
			equal(f, name, []string{found.Title, found.Content}, []string{text, text})
			equal(f, name+", listed", []string{f.postsBy(author)[0].Title, f.feed()[0].Excerpt}, []string{text, text})
		}
	}},
	{"the longest content and title are accepted", func(f *fixture) {
		author := f.user()
		content := strings.Repeat("漢字 ", blog.MaxContentBytes/7)
		content += strings.Repeat("x", blog.MaxContentBytes-len(content))
		title := strings.Repeat("🙂", blog.MaxTitle)
		p := f.createPost(blog.CreatePost{Author: author.ID, Title: title, Content: content})
		found := f.postByID(p.ID)
		equal(f, "texts", []string{found.Title, found.Content, found.Excerpt}, []string{title, content, blog.Excerpt(content)})
		equal(f, "title in the list", f.postsBy(author)[0].Title, title)
	}},
	{"all faults are named at once and nothing is written", func(f *fixture) {
		author := f.user()
		_, err := f.store.CreatePost(f.ctx, blog.CreatePost{
			Author: author.ID, Title: " \n", Content: strings.Repeat("x", blog.MaxContentBytes+1),
			IdempotencyKey: ptr(strings.Repeat("k", blog.MaxIdempotencyKey+1)),
		})
		f.faults(err, "title invalid", "content too long", "idempotencyKey too long")
		equal(f, "posts", len(f.postsBy(author)), 0)
	}},
	{"without an account nobody writes", func(f *fixture) {
		c := blog.CreatePost{Author: f.nobody().ID, Title: "A title", Content: "Some content."}
		_, err := f.store.CreatePost(f.ctx, c)
		f.refused(err, blog.Forbidden, "")
		equal(f, "feed", len(f.feed()), 0)
	}},
	{"faults come before the account", func(f *fixture) {
		_, err := f.store.CreatePost(f.ctx, blog.CreatePost{Author: f.nobody().ID, Title: "", Content: "x"})
		f.refused(err, blog.Invalid, "title")
	}},
	{"two posts alike are two posts", func(f *fixture) {
		author := f.user()
		one, two := f.post(author), f.post(author)
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{two.ID, one.ID})
	}},
}
