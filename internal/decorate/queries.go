package decorate

import (
	"context"

	"broadsheet/blog"
	"broadsheet/internal/coalesce"
)

// reads are what callers share, under the names of the queries.
type reads struct {
	UserByID                coalesce.Next[blog.UserID, blog.User]
	UserByUsername          coalesce.Next[string, blog.User]
	UserBySubject           coalesce.Next[string, blog.User]
	PostByID                coalesce.Next[blog.PostID, blog.Post]
	PostsByAuthor           coalesce.Next[pageOf[blog.UserID, blog.PostID], blog.Page[blog.Post]]
	PostsByGroup            coalesce.Next[pageOf[blog.GroupID, blog.PostID], blog.Page[blog.Post]]
	CommentsByPost          coalesce.Next[pageOf[comments, blog.CommentID], blog.CommentPage]
	CommentsByPostAndAuthor coalesce.Next[pageOf[comments, blog.CommentID], blog.Page[blog.Comment]]
	CommentsByThread        coalesce.Next[pageOf[thread, blog.Path], blog.Page[blog.ThreadEntry]]
	LikesByPost             coalesce.Next[pageOf[blog.PostID, blog.ReactionPosition], blog.ReactionPage]
	LikesByUser             coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.Page[blog.Reaction]]
	BookmarksByUser         coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.Page[blog.Reaction]]
	FollowersByUser         coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.ReactionPage]
	FollowsByUser           coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.Page[blog.Reaction]]
	FollowCount             coalesce.Next[blog.UserID, int]
	GroupByID               coalesce.Next[blog.GroupID, blog.Group]
	GroupsByOwner           coalesce.Next[blog.UserID, []blog.Group]
	MembersByGroup          coalesce.Next[pageOf[blog.GroupID, blog.UserID], blog.Page[blog.Reaction]]
	NewestMembersByGroup    coalesce.Next[pageOf[blog.GroupID, blog.ReactionPosition], blog.ReactionPage]
	GroupsByUser            coalesce.Next[pageOf[blog.UserID, blog.ReactionPosition], blog.Page[blog.Reaction]]
	HomeByUser              coalesce.Next[pageOf[blog.UserID, blog.PostID], blog.Page[blog.Homed]]
	Feed                    coalesce.Next[pageOf[struct{}, blog.PostID], blog.Page[blog.Post]]
	CommentByKey            coalesce.Next[blog.CommentKey, blog.Comment]
	CommentsByAuthor        coalesce.Next[pageOf[blog.UserID, blog.CommentID], blog.Page[blog.Comment]]
}

// The queries of [blog.Queries], each by that of the store below.

func (w *wrapped) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	return row(ctx, w, "UserByID", &w.reads.UserByID, id, blog.Store.UserByID)
}

func (w *wrapped) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	return row(ctx, w, "UserByUsername", &w.reads.UserByUsername, username, blog.Store.UserByUsername)
}

func (w *wrapped) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	return row(ctx, w, "UserByEmail", nil, email, blog.Store.UserByEmail)
}

func (w *wrapped) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	return row(ctx, w, "UserBySubject", &w.reads.UserBySubject, subject, blog.Store.UserBySubject)
}

func (w *wrapped) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	return row(ctx, w, "PostByID", &w.reads.PostByID, id, blog.Store.PostByID)
}

func (w *wrapped) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return list(ctx, w, "PostsByAuthor", &w.reads.PostsByAuthor, author, page, blog.Store.PostsByAuthor)
}

func (w *wrapped) PostsByGroup(ctx context.Context, group blog.GroupID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return list(ctx, w, "PostsByGroup", &w.reads.PostsByGroup, group, page, blog.Store.PostsByGroup)
}

func (w *wrapped) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	return made(ctx, w, "CommentsByPost", &w.reads.CommentsByPost, commentsKey(blog.UserID{}, query), func(ctx context.Context) (blog.CommentPage, error) {
		return w.Store.CommentsByPost(ctx, query)
	})
}

func (w *wrapped) CommentsByPostAndAuthor(ctx context.Context, author blog.UserID, query blog.CommentsQuery) (blog.Page[blog.Comment], error) {
	return made(ctx, w, "CommentsByPostAndAuthor", &w.reads.CommentsByPostAndAuthor, commentsKey(author, query), func(ctx context.Context) (blog.Page[blog.Comment], error) {
		return w.Store.CommentsByPostAndAuthor(ctx, author, query)
	})
}

func (w *wrapped) CommentsByThread(ctx context.Context, query blog.ThreadQuery) (blog.Page[blog.ThreadEntry], error) {
	return made(ctx, w, "CommentsByThread", &w.reads.CommentsByThread, key(thread{query.Post, query.Under}, query.Page), func(ctx context.Context) (blog.Page[blog.ThreadEntry], error) {
		return w.Store.CommentsByThread(ctx, query)
	})
}

func (w *wrapped) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return list(ctx, w, "LikesByPost", &w.reads.LikesByPost, post, page, blog.Store.LikesByPost)
}

func (w *wrapped) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return made(ctx, w, "Feed", &w.reads.Feed, key(struct{}{}, page), func(ctx context.Context) (blog.Page[blog.Post], error) {
		return w.Store.Feed(ctx, page)
	})
}

func (w *wrapped) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	return row(ctx, w, "CommentByKey", &w.reads.CommentByKey, key, blog.Store.CommentByKey)
}

func (w *wrapped) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	return list(ctx, w, "CommentsByAuthor", &w.reads.CommentsByAuthor, author, page, blog.Store.CommentsByAuthor)
}

func (w *wrapped) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	return made(ctx, w, "LikedPosts", nil, user, func(ctx context.Context) (map[blog.UUID]blog.Reaction, error) {
		return w.Store.LikedPosts(ctx, user, posts)
	})
}

func (w *wrapped) BookmarkedPosts(ctx context.Context, user blog.UserID, posts []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	return made(ctx, w, "BookmarkedPosts", nil, user, func(ctx context.Context) (map[blog.UUID]blog.Reaction, error) {
		return w.Store.BookmarkedPosts(ctx, user, posts)
	})
}

func (w *wrapped) BookmarksByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
	return list(ctx, w, "BookmarksByUser", &w.reads.BookmarksByUser, user, page, blog.Store.BookmarksByUser)
}

func (w *wrapped) LikesByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
	return list(ctx, w, "LikesByUser", &w.reads.LikesByUser, user, page, blog.Store.LikesByUser)
}

func (w *wrapped) FollowersByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return list(ctx, w, "FollowersByUser", &w.reads.FollowersByUser, user, page, blog.Store.FollowersByUser)
}

func (w *wrapped) FollowsByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
	return list(ctx, w, "FollowsByUser", &w.reads.FollowsByUser, user, page, blog.Store.FollowsByUser)
}

func (w *wrapped) FollowedUsers(ctx context.Context, user blog.UserID, users []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	return made(ctx, w, "FollowedUsers", nil, user, func(ctx context.Context) (map[blog.UUID]blog.Reaction, error) {
		return w.Store.FollowedUsers(ctx, user, users)
	})
}

func (w *wrapped) FollowCount(ctx context.Context, user blog.UserID) (int, error) {
	return row(ctx, w, "FollowCount", &w.reads.FollowCount, user, blog.Store.FollowCount)
}

func (w *wrapped) GroupByID(ctx context.Context, id blog.GroupID) (blog.Group, error) {
	return row(ctx, w, "GroupByID", &w.reads.GroupByID, id, blog.Store.GroupByID)
}

func (w *wrapped) GroupsByOwner(ctx context.Context, owner blog.UserID) ([]blog.Group, error) {
	return row(ctx, w, "GroupsByOwner", &w.reads.GroupsByOwner, owner, blog.Store.GroupsByOwner)
}

func (w *wrapped) MembersByGroup(ctx context.Context, group blog.GroupID, page blog.PageRequest[blog.UserID]) (blog.Page[blog.Reaction], error) {
	return list(ctx, w, "MembersByGroup", &w.reads.MembersByGroup, group, page, blog.Store.MembersByGroup)
}

func (w *wrapped) NewestMembersByGroup(ctx context.Context, group blog.GroupID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return list(ctx, w, "NewestMembersByGroup", &w.reads.NewestMembersByGroup, group, page, blog.Store.NewestMembersByGroup)
}

func (w *wrapped) GroupsByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.ReactionPosition]) (blog.Page[blog.Reaction], error) {
	return list(ctx, w, "GroupsByUser", &w.reads.GroupsByUser, user, page, blog.Store.GroupsByUser)
}

func (w *wrapped) JoinedGroups(ctx context.Context, user blog.UserID, groups []blog.UUID) (map[blog.UUID]blog.Reaction, error) {
	return made(ctx, w, "JoinedGroups", nil, user, func(ctx context.Context) (map[blog.UUID]blog.Reaction, error) {
		return w.Store.JoinedGroups(ctx, user, groups)
	})
}

func (w *wrapped) HomeByUser(ctx context.Context, user blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Homed], error) {
	return list(ctx, w, "HomeByUser", &w.reads.HomeByUser, user, page, blog.Store.HomeByUser)
}
