package blogtest

import "broadsheet/blog"

var likePost = []leaf{
	{"a like has its user and time, and counts in every copy", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		like, count := f.like(fan, p)
		equal(f, "like", like, blog.Reaction{Post: p.ID, User: fan.Name().Author(), At: f.clock.Now()})
		equal(f, "count", count.N, 1)
		equal(f, "likes", f.likesOf(p), []blog.Reaction{like})
		f.like(author, p)
		equal(f, "counts", f.likeCounts(p), []int{2, 2, 2, 2})
	}},
	{"a second like changes nothing", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		first, _ := f.like(fan, p)
		second, count := f.like(fan, p)
		equal(f, "like", second, first)
		equal(f, "count", count.N, 1)
		equal(f, "likes", f.likesOf(p), []blog.Reaction{first})
		equal(f, "counts", f.likeCounts(p), []int{1, 1, 1, 1})
	}},
	{"a like that comes back keeps its first time and place", func(f *fixture) {
		users := f.users(3)
		p := f.post(users[0])
		likes := f.likes(p, users)
		for range 3 {
			f.unlike(users[1], p)
			equal(f, "likes", f.likesOf(p), []blog.Reaction{likes[2], likes[0]})
			again, count := f.like(users[1], p)
			equal(f, "like", again, likes[1])
			equal(f, "count", count.N, 3)
			equal(f, "likes", f.likesOf(p), []blog.Reaction{likes[2], likes[1], likes[0]})
		}
	}},
	{"a like has whole milliseconds", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.clock.Set(f.start.Add(tick * 30).Add(123_456_789))
		like, _, err := f.store.LikePost(f.ctx, blog.LikePost{Actor: fan.ID, Post: p.ID})
		f.ok(err, "like post")
		equal(f, "liked at", like.At, f.start.Add(tick*30).Add(123_000_000))
		equal(f, "likes", f.likesOf(p), []blog.Reaction{like})
	}},
	{"toggling while the clock stands ends as it was last asked", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		last := blog.Count{}
		for i := range 6 {
			count, err := f.toggle(fan, p, i%2 == 0)
			f.ok(err, "toggle")
			if count.Stamp <= last.Stamp {
				f.Fatalf("the stamp went from %d to %d", last.Stamp, count.Stamp)
			}
			last = count
			n := 1 - i%2
			equal(f, "rows and counts", append(f.likeCounts(p), len(f.likesOf(p)), len(f.liked(fan, p))), []int{n, n, n, n, n, n})
		}
	}},
	{"who may like, and what", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		_, _, err := f.store.LikePost(f.ctx, blog.LikePost{Actor: f.nobody().ID, Post: p.ID})
		f.refused(err, blog.Forbidden, "")
		_, _, err = f.store.LikePost(f.ctx, blog.LikePost{Actor: fan.ID, Post: f.noPost().ID})
		f.refused(err, blog.NotFound, "postId")
		equal(f, "counts", f.likeCounts(p), []int{0, 0, 0, 0})
	}},
}

// toggle likes a post or takes the like back, and lets no time pass.
func (f *fixture) toggle(u blog.User, p blog.Post, like bool) (count blog.Count, err error) {
	if like {
		_, count, err = f.store.LikePost(f.ctx, blog.LikePost{Actor: u.ID, Post: p.ID})
	} else {
		count, err = f.store.UnlikePost(f.ctx, blog.UnlikePost{Actor: u.ID, Post: p.ID})
	}
	return count, err
}
