package storetest

import (
	"slices"

	"broadsheet/blog"
)

// home is what a user sees of those whom it follows, once all is settled.
var home = []leaf{
	{"posts come home to who follows their author, each once", func(f *fixture) {
		u, other, author := f.user(), f.user(), f.user()
		before := f.posts(author, 3)
		f.followUser(u, author)
		after := f.posts(author, 2)
		f.post(other)
		f.isHome(u, slices.Concat(before, after)...)
		f.isHome(other)
		f.isHome(author)
		f.followUser(u, author) // again, which changes nothing
		f.isHome(u, slices.Concat(before, after)...)
	}},
	{"a follow brings the newest posts, and no others", func(f *fixture) {
		u, author := f.user(), f.user()
		posts := f.posts(author, blog.GatheredPosts+3)
		f.followUser(u, author)
		f.isHome(u, posts[3:]...)
	}},
	{"posts that were written while a follow was taken back come with it", func(f *fixture) {
		u, author := f.user(), f.user()
		f.followUser(u, author)
		first := f.post(author)
		f.settle() // it comes home behind the reply
		_, err := f.store.UnfollowUser(f.ctx, blog.UnfollowUser{Actor: u.ID, User: author.ID})
		f.ok(err, "unfollow")
		f.settle()
		missed := f.posts(author, 30)
		f.isHome(u, first)
		f.followUser(u, author)
		f.isHome(u, append([]blog.Post{first}, missed...)...)
	}},
	{"a home is read in pages, both ways, between two times", func(f *fixture) {
		u, authors := f.user(), f.users(3)
		var posts []blog.Post
		for range 4 {
			for _, a := range authors {
				posts = append(posts, f.post(a))
			}
		}
		for _, a := range authors {
			f.followUser(u, a)
		}
		rows := f.homed(u)
		slices.Reverse(rows)
		for _, order := range []blog.Order{blog.NewestFirst, blog.OldestFirst} {
			checkPages(f, f.home(u).inOrder(order), keysOf(posts, postID), nil)
			checkPagesBetween(f, f.home(u).inOrder(order), rows)
		}
	}},
	{"an erased account has no home, and a deleted post leaves its place", func(f *fixture) {
		u, gone, author := f.user(), f.user(), f.user()
		f.followUser(u, author)
		f.followUser(gone, author)
		posts := f.posts(author, 2)
		f.settle()
		f.deletePost(posts[0])
		f.deleteAccount(gone)
		f.isHome(u, posts...)
		_, err := f.store.HomeByUser(f.ctx, gone.ID, blog.FirstPage[blog.PostID](20))
		f.notFound(err, "its home")
		_, err = f.store.HomeByUser(f.ctx, f.nobody().ID, blog.FirstPage[blog.PostID](20))
		f.notFound(err, "nobody's home")
	}},
}

// home returns a user's, newest first.
func (f *fixture) home(u blog.User) list[blog.PostID, blog.Homed] {
	read := func(r blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
		return f.store.HomeByUser(f.ctx, u.ID, r)
	}
	return list[blog.PostID, blog.Homed]{name: "home", read: read, key: homedPost, newest: newestPost}
}

// homed returns all that is in a home, the newest first.
func (f *fixture) homed(u blog.User) []blog.Homed {
	f.Helper()
	f.settle()
	return walk(f, f.home(u), blog.MaxPage, forward)
}

// isHome checks which posts, the oldest first, are in a home.
func (f *fixture) isHome(u blog.User, posts ...blog.Post) {
	f.Helper()
	want := []blog.Homed{}
	for _, p := range slices.Backward(posts) {
		want = append(want, blog.Homed{User: u.ID, Post: p.ID, Author: p.Author.ID})
	}
	equal(f, "home", slices.Clip(append([]blog.Homed{}, f.homed(u)...)), want)
}
