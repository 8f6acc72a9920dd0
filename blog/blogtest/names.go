package blogtest

import "broadsheet/blog"

// hasNames fails unless every copy below the posts and of the users has the
// users' names.
func (f *fixture) hasNames(posts []blog.Post, users ...blog.User) {
	f.Helper()
	names := map[blog.UserID]string{}
	for _, u := range users {
		names[u.ID] = u.Username
	}
	check := func(where string, a blog.Author) {
		f.Helper()
		equal(f, where, a.Username, names[a.ID])
	}
	for _, p := range posts {
		check("posts_by_id", f.postByID(p.ID).Author)
		for _, c := range f.commentsOf(p) {
			check("comments_by_post", c.Author)
			check("one comment", f.commentByKey(c.Key()).Author)
		}
		for _, like := range f.likesOf(p) {
			check("likes_by_post", like.User)
		}
	}
	for _, row := range f.feed() {
		check("feed_by_bucket", row.Author)
	}
	for _, u := range users {
		for _, row := range f.postsBy(u) {
			check("posts_by_author", row.Author)
		}
		for _, c := range f.commentsBy(u) {
			check("comments_by_author", c.Author)
		}
	}
}
