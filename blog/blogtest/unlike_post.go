package blogtest

import "broadsheet/blog"

var unlikePost = []leaf{
	{"a like taken back is gone everywhere and counts no more", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		f.like(fan, p)
		stays, _ := f.like(author, p)
		equal(f, "count", f.unlike(fan, p).N, 1)
		equal(f, "likes", f.likesOf(p), []blog.Reaction{stays})
		equal(f, "likes of the user", len(f.liked(fan, p)), 0)
		equal(f, "counts", f.likeCounts(p), []int{1, 1, 1, 1})
	}},
	{"taking back what is not there changes nothing", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		equal(f, "count of none", f.unlike(fan, p).N, 0)
		f.like(author, p)
		equal(f, "count", f.unlike(fan, p).N, 1)
		f.like(fan, p)
		f.unlike(fan, p)
		equal(f, "count", f.unlike(fan, p).N, 1)
		equal(f, "counts", f.likeCounts(p), []int{1, 1, 1, 1})
	}},
	{"a like after one that was never there has its own time", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.unlike(fan, p)
		like, _ := f.like(fan, p)
		equal(f, "liked at", like.At, f.clock.Now())
		equal(f, "likes", f.likesOf(p), []blog.Reaction{like})
	}},
	{"who may take a like back, and of what", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.like(fan, p)
		_, err := f.store.UnlikePost(f.ctx, blog.UnlikePost{Actor: f.nobody().ID, Post: p.ID})
		f.refused(err, blog.Forbidden, "")
		_, err = f.store.UnlikePost(f.ctx, blog.UnlikePost{Actor: fan.ID, Post: f.noPost().ID})
		f.refused(err, blog.NotFound, "postId")
		equal(f, "counts", f.likeCounts(p), []int{1, 1, 1, 1})
	}},
}
