package blogtest

import (
	"context"

	"broadsheet/blog"
)

// Before returns a store that calls a function before each query, with the query's name. It is
// for tests that hold queries up, so that others come meanwhile.
func Before(store blog.Store, query func(ctx context.Context, name string)) blog.Store {
	return &before{store, query}
}

type before struct {
	blog.Store
	query func(ctx context.Context, name string)
}

func (b *before) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	b.query(ctx, "UserByID")
	return b.Store.UserByID(ctx, id)
}

func (b *before) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	b.query(ctx, "UserByUsername")
	return b.Store.UserByUsername(ctx, username)
}

func (b *before) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	b.query(ctx, "UserByEmail")
	return b.Store.UserByEmail(ctx, email)
}

func (b *before) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	b.query(ctx, "UserBySubject")
	return b.Store.UserBySubject(ctx, subject)
}

func (b *before) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	b.query(ctx, "PostByID")
	return b.Store.PostByID(ctx, id)
}

func (b *before) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	b.query(ctx, "PostsByAuthor")
	return b.Store.PostsByAuthor(ctx, author, page)
}

func (b *before) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	b.query(ctx, "CommentsByPost")
	return b.Store.CommentsByPost(ctx, query)
}

func (b *before) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	b.query(ctx, "LikesByPost")
	return b.Store.LikesByPost(ctx, post, page)
}

func (b *before) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	b.query(ctx, "Feed")
	return b.Store.Feed(ctx, page)
}

func (b *before) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	b.query(ctx, "CommentByKey")
	return b.Store.CommentByKey(ctx, key)
}

func (b *before) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	b.query(ctx, "CommentsByAuthor")
	return b.Store.CommentsByAuthor(ctx, author, page)
}

func (b *before) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Like, error) {
	b.query(ctx, "LikedPosts")
	return b.Store.LikedPosts(ctx, user, posts)
}
