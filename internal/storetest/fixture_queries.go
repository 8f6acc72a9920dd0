package storetest

import (
	"slices"

	"broadsheet/blog"
)

// Queries of a fixture: each fails the test where it does not succeed.

func (f *fixture) userByID(id blog.UserID) blog.User {
	f.Helper()
	u, err := f.store.UserByID(f.ctx, id)
	f.ok(err, "user by id")
	return u
}

func (f *fixture) userByUsername(name string) blog.User {
	f.Helper()
	u, err := f.store.UserByUsername(f.ctx, name)
	f.ok(err, "user by username")
	return u
}

func (f *fixture) postByID(id blog.PostID) blog.Post {
	f.Helper()
	p, err := f.store.PostByID(f.ctx, id)
	f.ok(err, "post by id")
	return p
}

func (f *fixture) commentByKey(key blog.CommentKey) blog.Comment {
	f.Helper()
	c, err := f.store.CommentByKey(f.ctx, key)
	f.ok(err, "comment by key")
	return c
}

// Whole lists, in one walk each.

func (f *fixture) postsBy(u blog.User) []blog.Post {
	f.Helper()
	return walk(f, f.authorList(u.ID), blog.MaxPage, forward)
}

func (f *fixture) feed() []blog.Post {
	f.Helper()
	return walk(f, f.feedList(), blog.MaxPage, forward)
}

func (f *fixture) commentsOf(p blog.Post) []blog.Comment {
	f.Helper()
	return walk(f, f.commentList(p.ID), blog.MaxPage, forward)
}

func (f *fixture) commentsBy(u blog.User) []blog.Comment {
	f.Helper()
	return walk(f, f.commenterList(u.ID), blog.MaxPage, forward)
}

// reactionsOf returns a post's reactions. Those of a private kind stand on users' own lists alone.
func (f *fixture) reactionsOf(p blog.Post) (all []blog.Reaction) {
	f.Helper()
	if f.kind.Private() {
		f.reacting.Range(func(_, user any) bool {
			for _, given := range one[map[blog.UUID]blog.Reaction](f)(f.kind.Some(f.ctx, f.store, user.(blog.User).ID, []blog.UUID{f.to(p.ID)})) {
				given.User = user.(blog.User).Name().Author()
				all = append(all, given)
			}
			return true
		})
		slices.SortFunc(all, func(a, b blog.Reaction) int { return newestReaction(a.Position(), b.Position()) })
		return all
	}
	return walk(f, f.reactionList(p.ID), blog.MaxPage, forward)
}

// counts returns the two counts of a post as its page shows them.
func (f *fixture) counts(p blog.Post) [2]int {
	f.Helper()
	p = f.postByID(p.ID)
	return [2]int{p.CommentCount(), p.LikeCount()}
}
