package storetest

import (
	"context"
	"time"

	"broadsheet/blog"
)

var postsByGroup = listCase[blog.PostID, blog.Post]{blog.PostsByGroup, &rowCase[blog.PostID, blog.Post]{
	key: postID, newest: newestPost, answer: postAnswer,
	author: postRows.author, truth: postRows.truth, shown: postRows.shown, edit: postRows.edit, remove: postRows.remove, number: postRows.number,
	parent: func(p blog.Post) blog.UUID { return p.Group.UUID },
	make: func(f *fixture, users []blog.User, posts []blog.Post, n int) (rows []blog.Post) {
		for i := range 4 * n {
			rows = append(rows, f.postIn(users[i%2], f.groupFor(posts[i/2%2])))
		}
		return rows
	},
	stay: true,
}, func(ctx context.Context, q blog.Queries, a asked[blog.PostID]) (blog.Page[blog.Post], int, error) {
	page, err := q.PostsByGroup(ctx, blog.GroupID{UUID: a.to}, a.page)
	return page, 0, err
}}

// groupFor returns the group that stands in for a post.
func (f *fixture) groupFor(p blog.Post) blog.GroupID {
	return blog.GroupID{UUID: f.standIn(blog.AboutGroup, p.ID)}
}

// postIn has a user publish in a group, as its member.
func (f *fixture) postIn(author blog.User, group blog.GroupID) blog.Post {
	f.Helper()
	f.join(author, blog.Group{ID: group})
	return f.createPost(blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content.", Group: group})
}

var postsOfGroups = []leaf{
	{"only members publish in a group, and only in one that stands", func(f *fixture) {
		author := f.user()
		g := f.createGroup(blog.CreateGroup{Owner: f.user().ID, Name: f.name(), Title: "A group"})
		c := blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content.", Group: g.ID}
		_, err := f.store.CreatePost(f.ctx, c)
		f.refused(err, blog.Forbidden, "groupId")
		p := f.postIn(author, g.ID)
		equal(f, "groups of the post, of its author's list and of the feed", []blog.GroupID{f.postByID(p.ID).Group, f.postsBy(author)[0].Group, f.feed()[0].Group}, []blog.GroupID{g.ID, g.ID, g.ID})
		_, err = f.store.LeaveGroup(f.ctx, blog.LeaveGroup{Actor: author.ID, Group: g.ID})
		f.ok(err, "leave")
		_, err = f.store.CreatePost(f.ctx, c)
		f.refused(err, blog.Forbidden, "groupId")
		c.Group = blog.GroupOf(f.name())
		_, err = f.store.CreatePost(f.ctx, c)
		f.refused(err, blog.NotFound, "groupId")
		equal(f, "posts", keysOf(f.postsBy(author), postID), []blog.PostID{p.ID})
	}},
	{"a retry with a key finds the post in its group", func(f *fixture) {
		author := f.user()
		g := f.createGroup(blog.CreateGroup{Owner: author.ID, Name: f.name(), Title: "A group"})
		f.join(author, g)
		c := blog.CreatePost{Author: author.ID, Title: "A title", Content: "Some content.", Group: g.ID, IdempotencyKey: ptr(f.name())}
		first, again := f.createPost(c), f.createPost(c)
		equal(f, "ids and groups", []any{again.ID, first.Group, again.Group}, []any{first.ID, g.ID, g.ID})
		c.Group = blog.GroupID{}
		_, err := f.store.CreatePost(f.ctx, c)
		f.refused(err, blog.Invalid, "idempotencyKey")
	}},
	{"who owns or moderates a group deletes its posts, and comments on them", func(f *fixture) {
		owner, moderator, author, stranger := f.user(), f.user(), f.user(), f.user()
		g := f.createGroup(blog.CreateGroup{Owner: owner.ID, Name: f.name(), Title: "A group"})
		tooMany := make([]blog.UserID, blog.MaxModeratorsOfGroup+1)
		for i := range tooMany {
			tooMany[i].UUID = blog.FirstUUIDAt(f.start.Add(time.Duration(i) * time.Second))
		}
		edit := blog.UpdateGroup{Actor: owner.ID, Group: g.ID, Moderators: blog.SetModerators(tooMany)}
		_, err := f.store.UpdateGroup(f.ctx, edit)
		f.refused(err, blog.Invalid, "moderatorIds")
		edit.Moderators = blog.SetModerators([]blog.UserID{moderator.ID, moderator.ID})
		equal(f, "moderators", f.updateGroup(edit).ModeratorIDs(), []blog.UserID{moderator.ID})
		outside := f.post(author)
		for _, by := range []blog.User{owner, moderator} {
			p := f.postIn(author, g.ID)
			c := f.comment(author, p)
			f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: stranger.ID, Post: p.ID}), blog.Forbidden, "")
			_, err := f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: stranger.ID, Key: c.Key()})
			f.refused(err, blog.Forbidden, "")
			f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: by.ID, Post: outside.ID}), blog.Forbidden, "")
			_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: by.ID, Key: c.Key()})
			f.ok(err, "delete a comment")
			f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: by.ID, Post: p.ID}), "delete a post")
		}
		left := f.postIn(author, g.ID)
		edit.Moderators = blog.SetModerators(nil)
		f.updateGroup(edit)
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Post: left.ID}), blog.Forbidden, "")
		f.deleteGroup(g)
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: owner.ID, Post: left.ID}), blog.Forbidden, "")
	}},
	{"posts outlive their group, and go with their authors", func(f *fixture) {
		author := f.user()
		g := f.createGroup(blog.CreateGroup{Owner: f.user().ID, Name: f.name(), Title: "A group"})
		p := f.postIn(author, g.ID)
		f.deleteGroup(g)
		f.settle()
		equal(f, "post", f.postByID(p.ID).Group, g.ID)
		f.deleteAccount(author)
		f.settle()
		_, err := f.store.PostsByGroup(f.ctx, g.ID, blog.FirstPage[blog.PostID](20))
		f.notFound(err, "posts of a group that is gone")
	}},
}
