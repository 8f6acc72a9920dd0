package storetest

import "broadsheet/blog"

var postsByID = []leaf{
	{"a post has its texts, author and no counts yet", func(f *fixture) {
		author := f.user()
		p := f.createPost(blog.CreatePost{Author: author.ID, Title: "Long", Content: longText})
		found := f.postByID(p.ID)
		equal(f, "post", unstamped(found), unstamped(p))
		equal(f, "texts", []string{found.Title, found.Content, found.Excerpt}, []string{"Long", longText, blog.Excerpt(longText)})
		equal(f, "author", found.Author, author.Name().Author())
		equal(f, "counts", []int{found.CommentCount(), found.LikeCount(), found.Version}, []int{0, 0, 1})
	}},
	{"a post was created and updated when the clock says", func(f *fixture) {
		p := f.post(f.user())
		found := f.postByID(p.ID)
		equal(f, "created at", found.CreatedAt(), f.clock.Now())
		equal(f, "updated at", found.UpdatedAt, f.clock.Now())
	}},
	{"counts follow comments and likes", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		c := f.comment(reader, p)
		f.comment(author, p)
		f.react(reader, p)
		equal(f, "counts", f.counts(p), [2]int{2, 1})
		f.deleteComment(c)
		f.takeBack(reader, p)
		equal(f, "counts", f.counts(p), [2]int{1, 0})
	}},
	{"a count is as new as the command that it follows", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		_, comments := f.createComment(blog.CreateComment{Author: author.ID, Post: p.ID, Content: "x"})
		_, likes := f.react(author, p)
		found := f.postByID(p.ID)
		equal(f, "counts", []blog.Count{found.Comments, found.Likes}, []blog.Count{comments, likes})
	}},
	{"comments, likes and renames are no edits", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		c := f.comment(reader, p)
		f.updateComment(blog.UpdateComment{Actor: reader.ID, Key: c.Key(), Content: "edited"})
		f.react(reader, p)
		f.takeBack(reader, p)
		f.deleteComment(c)
		f.rename(author, f.name())
		f.settle()
		found := f.postByID(p.ID)
		equal(f, "version", found.Version, 1)
		equal(f, "updated at", found.UpdatedAt, p.UpdatedAt)
	}},
	{"a rename of the author shows here", func(f *fixture) {
		author := f.user()
		p := f.post(author)
		renamed := f.rename(author, f.name())
		f.settle()
		equal(f, "author", f.postByID(p.ID).Author, renamed.Name().Author())
	}},
	{"an unknown post is not found", func(f *fixture) {
		author := f.user()
		f.post(author)
		_, err := f.store.PostByID(f.ctx, f.noPost().ID)
		f.notFound(err, "a random id")
		_, err = f.store.PostByID(f.ctx, blog.PostID{UUID: author.ID.UUID})
		f.notFound(err, "a user's id")
		_, err = f.store.PostByID(f.ctx, blog.PostID{})
		f.notFound(err, "the zero id")
	}},
	{"a deleted post is not found", func(f *fixture) {
		p := f.post(f.user())
		f.deletePost(p)
		_, err := f.store.PostByID(f.ctx, p.ID)
		f.notFound(err, "the deleted post")
	}},
}

// noPost is a post that was never created.
func (f *fixture) noPost() blog.Post { return blog.Post{ID: blog.PostID{UUID: f.nobody().ID.UUID}} }

// unstamped is what is shown of a post that is read whole.
func unstamped(p blog.Post) blog.Post {
	p.Stamp = 0
	withoutStamps(&p)
	return p
}

// withoutStamps takes the stamps of a post's counts away.
func withoutStamps(p *blog.Post) {
	p.Comments.Stamp = 0
	for _, k := range postKinds {
		k.Count(p).Stamp = 0
	}
}
