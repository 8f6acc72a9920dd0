package blogtest

import "broadsheet/blog"

var likesByUser = []leaf{
	{"the posts that a user likes, out of those asked for", func(f *fixture) {
		fan, other := f.user(), f.user()
		posts := f.posts(other, 5)
		one, _ := f.like(fan, posts[1])
		f.like(fan, posts[2])
		three, _ := f.like(fan, posts[3])
		f.like(other, posts[4])
		equal(f, "likes", f.liked(fan, posts[0], posts[1], posts[3], posts[4], f.noPost()), positions(one, three))
	}},
	{"a like taken back is left out, and comes back with its first time", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		first, _ := f.like(fan, p)
		f.unlike(fan, p)
		equal(f, "likes", len(f.liked(fan, p)), 0)
		f.like(fan, p)
		equal(f, "likes", f.liked(fan, p), positions(first))
	}},
	{"a deleted post is left out", func(f *fixture) {
		fan := f.user()
		p, doomed := f.post(fan), f.post(fan)
		stays, _ := f.like(fan, p)
		f.like(fan, doomed)
		f.deletePost(doomed)
		f.settle()
		equal(f, "likes", f.liked(fan, p, doomed), positions(stays))
	}},
	{"a whole page of posts", func(f *fixture) {
		fan := f.user()
		posts := f.posts(fan, 3)
		like, _ := f.like(fan, posts[1])
		for len(posts) < blog.MaxPage {
			posts = append(posts, f.randomPost())
		}
		equal(f, "likes", f.liked(fan, posts...), positions(like))
	}},
	{"no posts, and a post asked for twice", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		like, _ := f.like(fan, p)
		equal(f, "likes of none", len(f.liked(fan)), 0)
		equal(f, "likes", f.liked(fan, p, p), positions(like))
	}},
	{"nobody likes nothing", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.like(fan, p)
		equal(f, "likes", len(f.liked(f.nobody(), p)), 0)
	}},
}

// liked returns the places of the likes that a user gave to some of the posts. The
// user's name is not looked at: the caller knows it.
func (f *fixture) liked(u blog.User, posts ...blog.Post) map[blog.PostID]blog.ReactionPosition {
	f.Helper()
	likes, err := f.store.LikedPosts(f.ctx, u.ID, keysOf(posts, postID))
	f.ok(err, "liked posts")
	found := map[blog.PostID]blog.ReactionPosition{}
	for id, like := range likes {
		equal(f, "post of the like", like.Post, id)
		found[id] = like.Position()
	}
	return found
}

func positions(likes ...blog.Reaction) map[blog.PostID]blog.ReactionPosition {
	found := map[blog.PostID]blog.ReactionPosition{}
	for _, like := range likes {
		found[like.Post] = like.Position()
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
