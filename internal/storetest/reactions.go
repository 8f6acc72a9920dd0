package storetest

import (
	"context"
	"time"

	"broadsheet/blog"
)

func listOfReactions(k *blog.ReactionKind) listCase[blog.ReactionPosition, blog.Reaction] {
	return listCase[blog.ReactionPosition, blog.Reaction]{k.ByParent, &reactionRows, func(ctx context.Context, q blog.Queries, a asked[blog.ReactionPosition]) (blog.Page[blog.Reaction], int, error) {
		page, err := reacting[k].byParent(q, ctx, a.to, a.page)
		return page.Page, page.Count.N, err
	}}
}

func listOfOwnReactions(k *blog.ReactionKind) listCase[blog.ReactionPosition, blog.Reaction] {
	own := reactionRows
	own.key, own.answer = blog.Reaction.OwnPosition, func(l blog.Reaction) any { return own.shown(l) }
	own.make = func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.Reaction) {
		for len(posts) < n {
			posts = append(posts, f.post(users[1]))
		}
		for _, p := range posts {
			mine, _ := f.react(users[0], p)
			other, _ := f.react(users[1], p)
			rows = append(rows, mine, other)
		}
		return rows
	}
	own.number = func(s *side, q numberedQuery, i int) blog.ReactionPosition {
		at := q.positions[max(0, i)]
		return blog.ReactionPosition{At: at.at, ID: s.parent(k.Parent, at.post)}
	}
	return listCase[blog.ReactionPosition, blog.Reaction]{k.ByUserAndTime, &own, func(ctx context.Context, q blog.Queries, a asked[blog.ReactionPosition]) (blog.Page[blog.Reaction], int, error) {
		page, err := reacting[k].byUser(q, ctx, a.user, a.page)
		return page, 0, err
	}}
}

var reactionRows = rowCase[blog.ReactionPosition, blog.Reaction]{
	key: blog.Reaction.Position, newest: newestReaction,
	author: func(l blog.Reaction) blog.Author { return l.User },
	parent: func(l blog.Reaction) blog.UUID { return l.To() },
	make: func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.Reaction) {
		for i := range 2 * n {
			u := users[0]
			if i >= len(posts) {
				u = f.user()
			}
			l, _ := f.react(u, posts[i%2])
			rows = append(rows, l)
		}
		return rows
	},
	truth: func(f *fixture, l blog.Reaction) blog.Reaction {
		return one[map[blog.UUID]blog.Reaction](f)(f.kind.Some(f.ctx, f.store, l.User.ID, []blog.UUID{l.To()}))[l.To()]
	},
	shown: func(l blog.Reaction) blog.Reaction {
		l.User = blog.Author{ID: l.User.ID} // the user's own don't name him
		return l
	},
	remove: func(f *fixture, l blog.Reaction) {
		f.takeBack(blog.User{ID: l.User.ID}, blog.Post{ID: f.standsInFor(l.To())})
	},
	answer: func(l blog.Reaction) any { return l },
	number: func(s *side, q numberedQuery, i int) blog.ReactionPosition {
		at := q.positions[max(0, i)]
		return blog.ReactionPosition{At: at.at, ID: s.user(at.user).UUID}
	},
}

var reactionsByPost = []leaf{
	{"reactions of one millisecond are ordered by user", func(f *fixture) {
		users := f.users(9)
		p := f.post(users[0])
		var given []blog.ReactionPosition
		for _, i := range f.random.Perm(len(users)) {
			one, _, err := f.give(users[i], p)
			f.ok(err, "react")
			given = append(given, one.Position())
		}
		checkPages(f, f.reactionList(p.ID), given, nil)
	}},
	{"a reaction that came with an earlier clock stands further down", func(f *fixture) {
		users := f.users(2)
		p := f.post(users[0])
		f.clock.Advance(time.Minute)
		late, _ := f.react(users[0], p)
		f.clock.Advance(-30 * time.Second)
		early, _ := f.react(users[1], p)
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{late, early})
	}},
	{"a page tells the count of all, whatever its bounds", func(f *fixture) {
		users := f.users(4)
		p := f.post(users[0])
		given := f.reactions(p, users)
		last := given[0].Position()
		for name, page := range map[string]blog.PageRequest[blog.ReactionPosition]{
			"a short page":  {Limit: 2},
			"an empty page": {Limit: 2, After: &last},
			"backward":      {Limit: 1, Backward: true},
			"an empty time": {Limit: 2, From: f.start, To: f.start},
		} {
			equal(f, name, f.reactionPage(p, page).Count.N, 4)
		}
	}},
	{"a page's count is as new as the command that it follows", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		page := blog.FirstPage[blog.ReactionPosition](1)
		_, count := f.react(u, p)
		equal(f, "count", f.reactionPage(p, page).Count, count)
		count = f.takeBack(u, p)
		equal(f, "count", f.reactionPage(p, page).Count, count)
	}},
	{"a post without reactions has an empty page and no count", func(f *fixture) {
		u := f.user()
		p := f.post(u)
		for range 2 {
			page := f.reactionPage(p, blog.FirstPage[blog.ReactionPosition](20))
			equal(f, "reactions, count, more", []any{len(page.Items), page.Count.N, page.HasNext, page.HasPrevious}, []any{0, 0, false, false})
			f.react(u, p)
			f.takeBack(u, p)
		}
	}},
}

var reactionsByUser = []leaf{
	{"the posts that a user reacted to, out of those asked for", func(f *fixture) {
		fan, other := f.user(), f.user()
		posts := f.posts(other, 5)
		one, _ := f.react(fan, posts[1])
		f.react(fan, posts[2])
		three, _ := f.react(fan, posts[3])
		f.react(other, posts[4])
		equal(f, "reactions", f.reacted(fan, posts[0], posts[1], posts[3], posts[4], f.noPost()), positions(one, three))
	}},
	{"a reaction taken back is left out, and comes back with its first time", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		first, _ := f.react(fan, p)
		f.takeBack(fan, p)
		equal(f, "reactions", len(f.reacted(fan, p)), 0)
		f.react(fan, p)
		equal(f, "reactions", f.reacted(fan, p), positions(first))
	}},
	{"a deleted post is left out", func(f *fixture) {
		fan := f.user()
		p, doomed := f.post(fan), f.post(fan)
		stays, _ := f.react(fan, p)
		f.react(fan, doomed)
		f.deletePost(doomed)
		f.settle()
		equal(f, "reactions", f.reacted(fan, p, doomed), positions(stays))
	}},
	{"a whole page of posts", func(f *fixture) {
		fan := f.user()
		posts := f.posts(fan, 3)
		one, _ := f.react(fan, posts[1])
		for len(posts) < blog.MaxPage {
			posts = append(posts, f.randomPost())
		}
		equal(f, "reactions", f.reacted(fan, posts...), positions(one))
	}},
	{"no posts, and a post asked for twice", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		one, _ := f.react(fan, p)
		equal(f, "reactions of none", len(f.reacted(fan)), 0)
		equal(f, "reactions", f.reacted(fan, p, p), positions(one))
	}},
	{"nobody reacted to nothing", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.react(fan, p)
		equal(f, "reactions", len(f.reacted(f.nobody(), p)), 0)
	}},
}

// reactions has every user react to the post, in order.
func (f *fixture) reactions(p blog.Post, users []blog.User) []blog.Reaction {
	f.Helper()
	given := make([]blog.Reaction, len(users))
	for i, u := range users {
		given[i], _ = f.react(u, p)
	}
	return given
}

func (f *fixture) reactionPage(p blog.Post, page blog.PageRequest[blog.ReactionPosition]) blog.ReactionPage {
	f.Helper()
	given, err := reacting[f.kind].byParent(f.store, f.ctx, f.to(p.ID), page)
	f.ok(err, "reactions by post")
	return given
}

// reacted returns the places of a user's reactions to some of the posts. The
// user's name is not looked at: the caller knows it.
func (f *fixture) reacted(u blog.User, posts ...blog.Post) map[blog.UUID]blog.ReactionPosition {
	f.Helper()
	given, err := f.kind.Some(f.ctx, f.store, u.ID, keysOf(posts, func(p blog.Post) blog.UUID { return f.to(p.ID) }))
	f.ok(err, "reactions by user")
	found := map[blog.UUID]blog.ReactionPosition{}
	for id, one := range given {
		equal(f, "what the reaction is to", one.To(), id)
		found[id] = one.Position()
	}
	return found
}

func positions(given ...blog.Reaction) map[blog.UUID]blog.ReactionPosition {
	found := map[blog.UUID]blog.ReactionPosition{}
	for _, one := range given {
		found[one.To()] = one.Position()
	}
	return found
}

// randomPost is a post that was never created, another one each time.
func (f *fixture) randomPost() blog.Post {
	id := blog.FirstUUIDAt(f.start)
	for i := 9; i < len(id); i++ {
		id[i] = byte(f.random.Uint32())
	}
	return blog.Post{ID: blog.PostID{UUID: id}}
}
