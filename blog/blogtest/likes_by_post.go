package blogtest

import (
	"time"

	"broadsheet/blog"
)

var likesByPost = []leaf{
	{"pages of a post's likes, newest first", func(f *fixture) {
		users := f.users(25)
		p := f.post(users[0])
		likes := f.likes(p, users)
		f.unlike(users[2], p)
		f.unlike(users[24], p)
		standing := append(append([]blog.Like{}, likes[:2]...), likes[3:24]...)
		checkPages(f, f.likeList(p.ID), keysOf(standing, blog.Like.Position),
			[]blog.LikePosition{likes[2].Position(), likes[24].Position()})
	}},
	{"likes of one millisecond are ordered by user", func(f *fixture) {
		users := f.users(9)
		p := f.post(users[0])
		var likes []blog.LikePosition
		for _, i := range f.random.Perm(len(users)) {
			like, _, err := f.store.LikePost(f.ctx, blog.LikePost{Actor: users[i].ID, Post: p.ID})
			f.ok(err, "like post")
			likes = append(likes, like.Position())
		}
		checkPages(f, f.likeList(p.ID), likes, nil)
	}},
	{"a like that came with an earlier clock stands further down", func(f *fixture) {
		users := f.users(2)
		p := f.post(users[0])
		f.clock.Advance(time.Minute)
		late, _ := f.like(users[0], p)
		f.clock.Advance(-30 * time.Second)
		early, _ := f.like(users[1], p)
		equal(f, "likes", f.likesOf(p), []blog.Like{late, early})
	}},
	{"a page tells the count of all likes, whatever its bounds", func(f *fixture) {
		users := f.users(4)
		p := f.post(users[0])
		likes := f.likes(p, users)
		last := likes[0].Position()
		for name, page := range map[string]blog.PageRequest[blog.LikePosition]{
			"a short page":  {Limit: 2},
			"an empty page": {Limit: 2, After: &last},
			"backward":      {Limit: 1, Backward: true},
		} {
			equal(f, name, f.likePage(p, page).Count.N, 4)
		}
	}},
	{"a page's count is as new as the command that it follows", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		page := blog.FirstPage[blog.LikePosition](1)
		_, count := f.like(u, p)
		equal(f, "count", f.likePage(p, page).Count, count)
		count = f.unlike(u, p)
		equal(f, "count", f.likePage(p, page).Count, count)
	}},
	{"a post without likes has an empty page and no count", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		for range 2 {
			page := f.likePage(p, blog.FirstPage[blog.LikePosition](20))
			equal(f, "likes, count, more", []any{len(page.Items), page.Count.N, page.HasNext, page.HasPrevious}, []any{0, 0, false, false})
			f.like(u, p)
			f.unlike(u, p)
		}
	}},
	{"the likes of a post that does not exist are not found", func(f *fixture) {
		u := f.user()
		gone := f.post(u)
		f.like(u, gone)
		f.deletePost(gone)
		for _, p := range []blog.Post{f.noPost(), gone} {
			for _, direction := range []bool{forward, backward} {
				_, err := f.store.LikesByPost(f.ctx, p.ID, blog.PageRequest[blog.LikePosition]{Limit: 20, Backward: direction})
				f.notFound(err, "likes")
			}
		}
	}},
	{"a rename of who likes shows here", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		f.like(author, p)
		f.like(fan, p)
		renamed := f.rename(fan, f.name())
		f.settle()
		rows := f.likesOf(p)
		equal(f, "names", []blog.Author{rows[0].User, rows[1].User}, []blog.Author{renamed.Name().Author(), author.Name().Author()})
	}},
}

// likes has every user like the post, in order.
func (f *fixture) likes(p blog.Post, users []blog.User) []blog.Like {
	f.Helper()
	likes := make([]blog.Like, len(users))
	for i, u := range users {
		likes[i], _ = f.like(u, p)
	}
	return likes
}

func (f *fixture) likePage(p blog.Post, page blog.PageRequest[blog.LikePosition]) blog.LikePage {
	f.Helper()
	likes, err := f.store.LikesByPost(f.ctx, p.ID, page)
	f.ok(err, "likes by post")
	return likes
}
