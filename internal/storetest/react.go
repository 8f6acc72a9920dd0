package storetest

import (
	"context"
	"errors"
	"slices"

	"broadsheet/blog"
)

var giveReaction = []leaf{
	{"a reaction has its user and time, and counts in every copy", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		given, count := f.react(fan, p)
		equal(f, "reaction", given, f.kind.By(fan.Name().Author(), f.to(p.ID), f.clock.Now(), true))
		equal(f, "count", count.N, 1)
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{given})
		f.react(author, p)
		equal(f, "counts", f.reactionCounts(p), []int{2, 2, 2, 2})
	}},
	{"a second reaction changes nothing", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		first, _ := f.react(fan, p)
		second, count := f.react(fan, p)
		equal(f, "reaction", second, first)
		equal(f, "count", count.N, 1)
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{first})
		equal(f, "counts", f.reactionCounts(p), []int{1, 1, 1, 1})
	}},
	{"a reaction that comes back keeps its first time and place", func(f *fixture) {
		users := f.users(3)
		p := f.post(users[0])
		given := f.reactions(p, users)
		for range 3 {
			f.takeBack(users[1], p)
			equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{given[2], given[0]})
			again, count := f.react(users[1], p)
			equal(f, "reaction", again, given[1])
			equal(f, "count", count.N, 3)
			equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{given[2], given[1], given[0]})
		}
	}},
	{"a reaction has whole milliseconds", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.clock.Set(f.start.Add(tick * 30).Add(123_456_789))
		given, _, err := f.give(fan, p)
		f.ok(err, "react")
		equal(f, "time", given.At, f.start.Add(tick*30).Add(123_000_000))
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{given})
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
			equal(f, "rows and counts", append(f.reactionCounts(p), len(f.reactionsOf(p)), len(f.reacted(fan, p))), []int{n, n, n, n, n, n})
		}
	}},
	{"who may react, and to what", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		_, _, err := f.give(f.nobody(), p)
		f.refused(err, blog.Forbidden, "")
		_, _, err = f.give(fan, f.noPost())
		f.refused(err, blog.NotFound, f.kind.Parent.Field())
		equal(f, "counts", f.reactionCounts(p), []int{0, 0, 0, 0})
	}},
}

var takeReactionBack = []leaf{
	{"a reaction taken back is gone everywhere and counts no more", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		f.react(fan, p)
		stays, _ := f.react(author, p)
		equal(f, "count", f.takeBack(fan, p).N, 1)
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{stays})
		equal(f, "reactions of the user", len(f.reacted(fan, p)), 0)
		equal(f, "counts", f.reactionCounts(p), []int{1, 1, 1, 1})
	}},
	{"taking back what is not there changes nothing", func(f *fixture) {
		author, fan := f.user(), f.user()
		p := f.post(author)
		equal(f, "count of none", f.takeBack(fan, p).N, 0)
		f.react(author, p)
		equal(f, "count", f.takeBack(fan, p).N, 1)
		f.react(fan, p)
		f.takeBack(fan, p)
		equal(f, "count", f.takeBack(fan, p).N, 1)
		equal(f, "counts", f.reactionCounts(p), []int{1, 1, 1, 1})
	}},
	{"a reaction after one that was never there has its own time", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.takeBack(fan, p)
		given, _ := f.react(fan, p)
		equal(f, "time", given.At, f.clock.Now())
		equal(f, "reactions", f.reactionsOf(p), []blog.Reaction{given})
	}},
	{"who may take a reaction back, and of what", func(f *fixture) {
		fan := f.user()
		p := f.post(fan)
		f.react(fan, p)
		_, err := f.toggle(f.nobody(), p, false)
		f.refused(err, blog.Forbidden, "")
		_, err = f.toggle(fan, f.noPost(), false)
		f.refused(err, blog.NotFound, f.kind.Parent.Field())
		equal(f, "counts", f.reactionCounts(p), []int{1, 1, 1, 1})
	}},
}

// reactingStore is what a store does for a kind of reactions.
type reactingStore struct {
	give     func(ctx context.Context, s blog.Commands, actor blog.UserID, to blog.UUID) (blog.Reaction, blog.Count, error)
	takeBack func(ctx context.Context, s blog.Commands, actor blog.UserID, to blog.UUID) (blog.Count, error)
	byUser   func(q blog.Queries, ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error)
	byParent func(q blog.Queries, ctx context.Context, parent blog.UUID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error)
}

// UUIDs returns what is asked for by [blog.ReactionKind.Some].
func UUIDs[ID ~struct{ blog.UUID }](ids ...ID) (all []blog.UUID) {
	for _, id := range ids {
		all = append(all, struct{ blog.UUID }(id).UUID)
	}
	return all
}

// React has a user react to a post.
func React(ctx context.Context, s blog.Commands, of *blog.ReactionKind, actor blog.UserID, post blog.PostID) (blog.Reaction, blog.Count, error) {
	return reacting[of].give(ctx, s, actor, post.UUID)
}

// ReactEach has a user react to a post in every way, its author, if that is another, and has it join a group.
func ReactEach(ctx context.Context, s blog.Store, actor blog.UserID, post blog.PostID) error {
	p, err := s.PostByID(ctx, post)
	all := []error{err}
	for _, k := range blog.ReactionKinds {
		to := post.UUID
		switch k.Parent {
		case blog.AboutFollowed:
			to = p.Author.ID.UUID
		case blog.AboutGroup:
			to = blog.GroupOf("group_of_posts").UUID
			_, err := s.CreateGroup(ctx, blog.CreateGroup{Owner: p.Author.ID, Name: "group_of_posts", Title: "A group"})
			if blog.KindOf(err) != blog.Taken {
				all = append(all, err)
			}
		}
		if to != actor.UUID {
			_, _, err := reacting[k].give(ctx, s, actor, to)
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// ofKind returns leaves in which reactions are of a kind.
func ofKind(k *blog.ReactionKind, leaves []leaf) []leaf {
	all := slices.Clone(leaves)
	for i, l := range leaves {
		all[i].test = func(f *fixture) {
			f.kind = k
			l.test(f)
		}
	}
	return all
}

// postKinds are the kinds of reactions to posts, and countedKinds those of which a post's copies have the count.
var (
	postKinds    = kindsWhere(func(k *blog.ReactionKind) bool { return k.Parent == blog.AboutPost })
	countedKinds = kindsWhere(func(k *blog.ReactionKind) bool { return k.Parent == blog.AboutPost && !k.Private() })
	listedKinds  = kindsWhere(func(k *blog.ReactionKind) bool { return !k.Private() })
)

func kindsWhere(is func(*blog.ReactionKind) bool) []*blog.ReactionKind {
	return slices.DeleteFunc(slices.Clone(blog.ReactionKinds), func(k *blog.ReactionKind) bool { return !is(k) })
}

// ofKinds returns what something is of each kind, and ofEach of some.
func ofKinds[T any](of func(*blog.ReactionKind) T) []T { return ofEach(blog.ReactionKinds, of) }

func ofEach[T any](kinds []*blog.ReactionKind, of func(*blog.ReactionKind) T) (all []T) {
	for _, k := range kinds {
		all = append(all, of(k))
	}
	return all
}

// give has a user react to a post, and lets no time pass.
func (f *fixture) give(u blog.User, p blog.Post) (blog.Reaction, blog.Count, error) {
	f.reacting.Store(u.ID, u)
	return reacting[f.kind].give(f.ctx, f.store, u.ID, f.to(p.ID))
}

// toggle has a user react to a post or take the reaction back, and lets no time pass.
func (f *fixture) toggle(u blog.User, p blog.Post, stands bool) (count blog.Count, err error) {
	if stands {
		_, count, err = f.give(u, p)
		return count, err
	}
	return reacting[f.kind].takeBack(f.ctx, f.store, u.ID, f.to(p.ID))
}

// to is what a reaction of the fixture's kind to a post is given to.
func (f *fixture) to(post blog.PostID) blog.UUID { return f.standIn(f.kind.Parent, post) }

// standIn returns a post, or what stands in for it as another parent, and goes with it.
func (f *fixture) standIn(parent *blog.Subject, post blog.PostID) blog.UUID {
	if parent == blog.AboutPost {
		return post.UUID
	}
	found, stands := f.standIns.Load(post)
	if !stands { // there is no such post
		return post.UUID
	}
	in, err := found.(*standIn), error(nil)
	if in.user.ID.IsZero() {
		in.user, err = f.store.CreateUser(f.ctx, f.newUser())
		f.ok(err, "create a stand-in")
	}
	if parent == blog.AboutFollowed {
		return in.user.ID.UUID
	}
	if in.group.ID.IsZero() {
		in.group, err = f.store.CreateGroup(f.ctx, blog.CreateGroup{Owner: in.user.ID, Name: f.name(), Title: "A group"})
		f.ok(err, "create a stand-in")
	}
	return in.group.ID.UUID
}

// standIn is what stands in for a post: a user, and a group of that.
type standIn struct {
	user  blog.User
	group blog.Group
}

// standsInFor returns the post for which something stands in that is reacted to.
func (f *fixture) standsInFor(to blog.UUID) (post blog.PostID) {
	post.UUID = to
	f.standIns.Range(func(of, found any) bool {
		if in := found.(*standIn); in.user.ID.UUID == to || in.group.ID.UUID == to {
			post = of.(blog.PostID)
		}
		return true
	})
	return post
}

// reacting holds what a store does for each kind of reactions.
var reacting = map[*blog.ReactionKind]reactingStore{
	blog.Likes: {
		give: func(ctx context.Context, s blog.Commands, actor blog.UserID, post blog.UUID) (blog.Reaction, blog.Count, error) {
			return s.LikePost(ctx, blog.LikePost{Actor: actor, Post: blog.PostID{UUID: post}})
		},
		takeBack: func(ctx context.Context, s blog.Commands, actor blog.UserID, post blog.UUID) (blog.Count, error) {
			return s.UnlikePost(ctx, blog.UnlikePost{Actor: actor, Post: blog.PostID{UUID: post}})
		},
		byParent: func(q blog.Queries, ctx context.Context, post blog.UUID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
			return q.LikesByPost(ctx, blog.PostID{UUID: post}, page)
		},
		byUser: blog.Queries.LikesByUser,
	},
	blog.Bookmarks: {
		give: func(ctx context.Context, s blog.Commands, actor blog.UserID, post blog.UUID) (blog.Reaction, blog.Count, error) {
			return s.BookmarkPost(ctx, blog.BookmarkPost{Actor: actor, Post: blog.PostID{UUID: post}})
		},
		takeBack: func(ctx context.Context, s blog.Commands, actor blog.UserID, post blog.UUID) (blog.Count, error) {
			return s.UnbookmarkPost(ctx, blog.UnbookmarkPost{Actor: actor, Post: blog.PostID{UUID: post}})
		},
		byUser: blog.Queries.BookmarksByUser,
	},
	blog.Follows: {
		give: func(ctx context.Context, s blog.Commands, actor blog.UserID, user blog.UUID) (blog.Reaction, blog.Count, error) {
			return s.FollowUser(ctx, blog.FollowUser{Actor: actor, User: blog.UserID{UUID: user}})
		},
		takeBack: func(ctx context.Context, s blog.Commands, actor blog.UserID, user blog.UUID) (blog.Count, error) {
			return s.UnfollowUser(ctx, blog.UnfollowUser{Actor: actor, User: blog.UserID{UUID: user}})
		},
		byParent: func(q blog.Queries, ctx context.Context, user blog.UUID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
			return q.FollowersByUser(ctx, blog.UserID{UUID: user}, page)
		},
		byUser: blog.Queries.FollowsByUser,
	},
	blog.Members: {
		give: func(ctx context.Context, s blog.Commands, actor blog.UserID, group blog.UUID) (blog.Reaction, blog.Count, error) {
			return s.JoinGroup(ctx, blog.JoinGroup{Actor: actor, Group: blog.GroupID{UUID: group}})
		},
		takeBack: func(ctx context.Context, s blog.Commands, actor blog.UserID, group blog.UUID) (blog.Count, error) {
			return s.LeaveGroup(ctx, blog.LeaveGroup{Actor: actor, Group: blog.GroupID{UUID: group}})
		},
		byParent: func(q blog.Queries, ctx context.Context, group blog.UUID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
			return q.NewestMembersByGroup(ctx, blog.GroupID{UUID: group}, page)
		},
		byUser: blog.Queries.GroupsByUser,
	},
}

func (c *checked) BookmarkPost(ctx context.Context, x blog.BookmarkPost) (blog.Reaction, blog.Count, error) {
	given, count, err := c.Store.BookmarkPost(ctx, x)
	c.command("BookmarkPost", err, blog.NotFound)
	return given, count, err
}

func (c *checked) UnbookmarkPost(ctx context.Context, x blog.UnbookmarkPost) (blog.Count, error) {
	count, err := c.Store.UnbookmarkPost(ctx, x)
	c.command("UnbookmarkPost", err, blog.NotFound)
	return count, err
}

func (c *checked) FollowUser(ctx context.Context, x blog.FollowUser) (blog.Reaction, blog.Count, error) {
	given, count, err := c.Store.FollowUser(ctx, x)
	c.command("FollowUser", err, blog.NotFound)
	return given, count, err
}

func (c *checked) UnfollowUser(ctx context.Context, x blog.UnfollowUser) (blog.Count, error) {
	count, err := c.Store.UnfollowUser(ctx, x)
	c.command("UnfollowUser", err, blog.NotFound)
	return count, err
}

func (c *checked) JoinGroup(ctx context.Context, x blog.JoinGroup) (blog.Reaction, blog.Count, error) {
	given, count, err := c.Store.JoinGroup(ctx, x)
	c.command("JoinGroup", err, blog.NotFound)
	return given, count, err
}

func (c *checked) LeaveGroup(ctx context.Context, x blog.LeaveGroup) (blog.Count, error) {
	count, err := c.Store.LeaveGroup(ctx, x)
	c.command("LeaveGroup", err, blog.NotFound)
	return count, err
}

func (c *checked) LikePost(ctx context.Context, x blog.LikePost) (blog.Reaction, blog.Count, error) {
	given, count, err := c.Store.LikePost(ctx, x)
	c.command("LikePost", err, blog.NotFound)
	return given, count, err
}

func (c *checked) UnlikePost(ctx context.Context, x blog.UnlikePost) (blog.Count, error) {
	count, err := c.Store.UnlikePost(ctx, x)
	c.command("UnlikePost", err, blog.NotFound)
	return count, err
}
