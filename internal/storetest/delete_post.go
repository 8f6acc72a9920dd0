package storetest

import "broadsheet/blog"

var deletePost = []leaf{
	{"a deleted post is gone from every list at once", func(f *fixture) {
		author, reader := f.user(), f.user()
		p, stays := f.post(author), f.post(author)
		f.comment(reader, p)
		f.react(reader, p)
		f.deletePost(p)
		equal(f, "posts by author", keysOf(f.postsBy(author), postID), []blog.PostID{stays.ID})
		equal(f, "feed", keysOf(f.feed(), postID), []blog.PostID{stays.ID})
		f.isGone(p)
	}},
	{"its comments and likes are gone from the lists of who wrote them", func(f *fixture) {
		author, reader := f.user(), f.user()
		p, other := f.post(author), f.post(author)
		doomed := f.comments(reader, p, 3)
		stays := f.comment(reader, other)
		f.react(reader, p)
		like, _ := f.react(reader, other)
		f.deletePost(p)
		f.settle()
		equal(f, "comments", f.commentsBy(reader), []blog.Comment{stays})
		equal(f, "likes", f.reacted(reader, p, other), positions(like))
		_, err := f.store.CommentByKey(f.ctx, doomed[1].Key())
		f.notFound(err, "a comment on the deleted post")
	}},
	{"nothing can be done on a deleted post", func(f *fixture) {
		author, reader := f.user(), f.user()
		p := f.post(author)
		c := f.comment(reader, p)
		f.react(reader, p)
		f.deletePost(p)
		_, _, err := f.store.CreateComment(f.ctx, blog.CreateComment{Author: reader.ID, Post: p.ID, Content: "late"})
		f.refused(err, blog.NotFound, "postId")
		for _, f.kind = range blog.ReactionKinds {
			_, _, err = f.give(author, p)
			f.refused(err, blog.NotFound, f.kind.Parent.Field())
			_, err = f.toggle(reader, p, false)
			f.refused(err, blog.NotFound, f.kind.Parent.Field())
		}
		_, err = f.store.UpdateComment(f.ctx, blog.UpdateComment{Actor: reader.ID, Key: c.Key(), Content: "late"})
		f.refused(err, blog.NotFound, "id")
		_, err = f.store.DeleteComment(f.ctx, blog.DeleteComment{Actor: reader.ID, Key: c.Key()})
		f.refused(err, blog.NotFound, "id")
		err = f.store.DeletePost(f.ctx, blog.DeletePost{Actor: author.ID, Post: p.ID})
		f.refused(err, blog.NotFound, "id")
		f.settle()
		f.isGone(p)
		equal(f, "comments", len(f.commentsBy(reader)), 0)
	}},
	{"a post that nobody commented on or liked", func(f *fixture) {
		p := f.post(f.user())
		f.deletePost(p)
		f.settle()
		f.isGone(p)
	}},
	{"who may delete", func(f *fixture) {
		author, other := f.user(), f.user()
		p := f.post(author)
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: other.ID, Post: p.ID}), blog.Forbidden, "")
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: f.nobody().ID, Post: p.ID}), blog.Forbidden, "")
		f.refused(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: author.ID, Post: f.noPost().ID}), blog.NotFound, "id")
		equal(f, "post", unstamped(f.postByID(p.ID)), unstamped(p))
	}},
	{"a deletion with the clock gone back deletes what is newer", func(f *fixture) {
		author := f.user()
		f.clock.Advance(20 * tick)
		p := f.post(author)
		f.updatePost(blog.UpdatePost{Actor: author.ID, Post: p.ID, Title: blog.SetTo("New")})
		f.comment(author, p)
		f.react(author, p)
		f.clock.Advance(-20 * tick)
		f.deletePost(p)
		f.settle()
		f.isGone(p)
		equal(f, "lists", []int{len(f.postsBy(author)), len(f.feed()), len(f.commentsBy(author)), len(f.reacted(author, p))}, []int{0, 0, 0, 0})
	}},
	{"a moderator deletes any post, and is told of", func(f *fixture) {
		author, moderator := f.user(), f.user()
		p := f.post(author)
		f.comment(author, p)
		f.reactEach(author, p)
		l := f.follow()
		f.settle()
		l.told = nil
		err := f.store.DeletePost(f.ctx, blog.DeletePost{Actor: f.nobody().ID, Role: blog.Moderator, Post: p.ID})
		f.refused(err, blog.Forbidden, "")
		f.ok(f.store.DeletePost(f.ctx, blog.DeletePost{Actor: moderator.ID, Role: blog.Moderator, Post: p.ID}), "delete post")
		f.settle()
		f.isGone(p)
		equal(f, "posts and comments", []int{len(f.postsBy(author)), len(f.commentsBy(author))}, []int{0, 0})
		equal(f, "changes", kinds(l.changes()), []blog.Change{{Kind: blog.PostDeleted, Actor: moderator.ID, Post: p.ID}})
	}},
}

// isGone fails unless a post is not found by any of its own keys.
func (f *fixture) isGone(p blog.Post) {
	f.Helper()
	_, err := f.store.PostByID(f.ctx, p.ID)
	f.notFound(err, "the post")
	_, err = f.store.CommentsByPost(f.ctx, blog.CommentsQuery{Post: p.ID, Page: blog.FirstPage[blog.CommentID](20)})
	f.notFound(err, "its comments")
	for _, k := range countedKinds {
		_, err = reacting[k].byParent(f.store, f.ctx, p.ID.UUID, blog.FirstPage[blog.ReactionPosition](20))
		f.notFound(err, "its "+k.Them)
	}
}
