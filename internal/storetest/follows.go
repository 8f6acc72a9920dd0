package storetest

import "broadsheet/blog"

// follows are what holds for them beside what holds for every kind of reactions.
var follows = []leaf{
	{"users don't follow themselves", func(f *fixture) {
		u := f.user()
		_, _, err := f.store.FollowUser(f.ctx, blog.FollowUser{Actor: u.ID, User: u.ID})
		f.refused(err, blog.Invalid, "userId")
		_, err = f.store.UnfollowUser(f.ctx, blog.UnfollowUser{Actor: u.ID, User: u.ID})
		f.refused(err, blog.Invalid, "userId")
		f.areFollowed(u, 0)
	}},
	{"how many a user follows is exact", func(f *fixture) {
		u, others := f.user(), f.users(3)
		f.areFollowed(u, 0)
		for i, other := range others {
			for range 2 {
				f.followUser(u, other)
			}
			f.areFollowed(u, i+1)
		}
		for range 2 {
			_, err := f.store.UnfollowUser(f.ctx, blog.UnfollowUser{Actor: u.ID, User: others[1].ID})
			f.ok(err, "unfollow")
		}
		f.areFollowed(u, 2)
		f.areFollowed(others[0], 0)
		f.areFollowed(f.nobody(), 0)
	}},
	{"an erased account follows no more, and is followed no more", func(f *fixture) {
		u, gone, fan := f.user(), f.user(), f.user()
		f.followUser(gone, u)
		f.followUser(fan, u)
		f.followUser(fan, gone)
		f.followUser(u, gone)
		equal(f, "followers", f.followers(u), []blog.UserID{fan.ID, gone.ID})
		f.deleteAccount(gone)
		f.settle()
		equal(f, "followers", f.followers(u), []blog.UserID{fan.ID})
		f.areFollowed(fan, 1)
		f.areFollowed(u, 0)
		_, err := f.store.FollowersByUser(f.ctx, gone.ID, blog.FirstPage[blog.ReactionPosition](20))
		f.notFound(err, "who followed it")
		_, _, err = f.store.FollowUser(f.ctx, blog.FollowUser{Actor: fan.ID, User: gone.ID})
		f.refused(err, blog.NotFound, "userId")
	}},
}

func (f *fixture) followUser(actor, user blog.User) {
	f.Helper()
	f.clock.Advance(tick)
	_, _, err := f.store.FollowUser(f.ctx, blog.FollowUser{Actor: actor.ID, User: user.ID})
	f.ok(err, "follow")
}

// areFollowed checks how many a user follows, by the count and by the list.
func (f *fixture) areFollowed(u blog.User, want int) {
	f.Helper()
	n, err := f.store.FollowCount(f.ctx, u.ID)
	f.ok(err, "count of follows")
	page, err := f.store.FollowsByUser(f.ctx, u.ID, blog.FirstPage[blog.ReactionPosition](20))
	if !blog.IsNotFound(err) {
		f.ok(err, "follows")
	}
	equal(f, "count and list of whom a user follows", []int{n, len(page.Items)}, []int{want, want})
}

// followers returns who follows a user, newest first, and checks their count.
func (f *fixture) followers(u blog.User) []blog.UserID {
	f.Helper()
	page, err := f.store.FollowersByUser(f.ctx, u.ID, blog.FirstPage[blog.ReactionPosition](20))
	f.ok(err, "followers")
	equal(f, "their count", page.Count.N, len(page.Items))
	ids := []blog.UserID{}
	for _, r := range page.Items {
		ids = append(ids, r.User.ID)
	}
	return ids
}
