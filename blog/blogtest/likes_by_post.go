package blogtest

import (
	"context"
	"time"

	"broadsheet/blog"
)

var likesByPostList = listCase[blog.ReactionPosition, blog.Reaction]{blog.LikesByPost, likeRows, func(ctx context.Context, q blog.Queries, a asked[blog.ReactionPosition]) (blog.Page[blog.Reaction], int, error) {
	page, err := q.LikesByPost(ctx, a.post, a.page)
	return page.Page, page.Count.N, err
}}

var likeRows = &rowCase[blog.ReactionPosition, blog.Reaction]{
	key: blog.Reaction.Position, newest: newestReaction,
	author: func(l blog.Reaction) blog.Author { return l.User },
	post:   func(l blog.Reaction) blog.PostID { return l.Post },
	make: func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.Reaction) {
		for i := range 2 * n {
			u := users[0]
			if i >= len(posts) {
				u = f.user()
			}
			l, _ := f.like(u, posts[i%2])
			rows = append(rows, l)
		}
		return rows
	},
	truth: func(f *fixture, l blog.Reaction) blog.Reaction {

		return one[map[blog.PostID]blog.Reaction](f)(f.store.LikedPosts(f.ctx, l.User.ID, []blog.PostID{l.Post}))[l.Post]

	},
	shown: func(l blog.Reaction) blog.Reaction {
		l.User.Username = "" // the user's own likes don't name him
		return l
	},
	remove: func(f *fixture, l blog.Reaction) { f.unlike(blog.User{ID: l.User.ID}, blog.Post{ID: l.Post}) },
	answer: func(l blog.Reaction) any { return l },
	number: func(s *side, q numberedQuery, i int) blog.ReactionPosition {
		at := q.positions[max(0, i)]
		return blog.ReactionPosition{At: at.at, User: s.user(at.user)}
	},
}

var likesByPost = []leaf{
	{"likes of one millisecond are ordered by user", func(f *fixture) {
		users := f.users(9)
		p := f.post(users[0])
		var likes []blog.ReactionPosition
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
		equal(f, "likes", f.likesOf(p), []blog.Reaction{late, early})
	}},
	{"a page tells the count of all likes, whatever its bounds", func(f *fixture) {
		users := f.users(4)
		p := f.post(users[0])
		likes := f.likes(p, users)
		last := likes[0].Position()
		for name, page := range map[string]blog.PageRequest[blog.ReactionPosition]{
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
		page := blog.FirstPage[blog.ReactionPosition](1)
		_, count := f.like(u, p)
		equal(f, "count", f.likePage(p, page).Count, count)
		count = f.unlike(u, p)
		equal(f, "count", f.likePage(p, page).Count, count)
	}},
	{"a post without likes has an empty page and no count", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		for range 2 {
			page := f.likePage(p, blog.FirstPage[blog.ReactionPosition](20))
			equal(f, "likes, count, more", []any{len(page.Items), page.Count.N, page.HasNext, page.HasPrevious}, []any{0, 0, false, false})
			f.like(u, p)
			f.unlike(u, p)
		}
	}},
}

// likes has every user like the post, in order.
func (f *fixture) likes(p blog.Post, users []blog.User) []blog.Reaction {
	f.Helper()
	likes := make([]blog.Reaction, len(users))
	for i, u := range users {
		likes[i], _ = f.like(u, p)
	}
	return likes
}

func (f *fixture) likePage(p blog.Post, page blog.PageRequest[blog.ReactionPosition]) blog.ReactionPage {
	f.Helper()
	likes, err := f.store.LikesByPost(f.ctx, p.ID, page)
	f.ok(err, "likes by post")
	return likes
}
