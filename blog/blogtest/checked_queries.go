package blogtest

import (
	"context"

	"broadsheet/blog"
)

func (c *checked) UserByID(ctx context.Context, id blog.UserID) (blog.User, error) {
	u, err := c.Store.UserByID(ctx, id)
	c.check("UserByID", err, blog.NotFound)
	return u, err
}

func (c *checked) UserByUsername(ctx context.Context, username string) (blog.User, error) {
	u, err := c.Store.UserByUsername(ctx, username)
	c.check("UserByUsername", err, blog.NotFound)
	return u, err
}

func (c *checked) UserByEmail(ctx context.Context, email string) (blog.User, error) {
	u, err := c.Store.UserByEmail(ctx, email)
	c.check("UserByEmail", err, blog.NotFound)
	return u, err
}

func (c *checked) UserBySubject(ctx context.Context, subject string) (blog.User, error) {
	u, err := c.Store.UserBySubject(ctx, subject)
	c.check("UserBySubject", err, blog.NotFound)
	return u, err
}

func (c *checked) PostByID(ctx context.Context, id blog.PostID) (blog.Post, error) {
	p, err := c.Store.PostByID(ctx, id)
	c.check("PostByID", err, blog.NotFound)
	return p, err
}

func (c *checked) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	posts, err := c.Store.PostsByAuthor(ctx, author, page)
	c.check("PostsByAuthor", err, blog.NotFound)
	return posts, err
}

func (c *checked) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	comments, err := c.Store.CommentsByPost(ctx, query)
	c.check("CommentsByPost", err, blog.NotFound)
	return comments, err
}

func (c *checked) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.LikePosition]) (blog.LikePage, error) {
	likes, err := c.Store.LikesByPost(ctx, post, page)
	c.check("LikesByPost", err, blog.NotFound)
	return likes, err
}

func (c *checked) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	posts, err := c.Store.Feed(ctx, page)
	c.check("Feed", err)
	return posts, err
}

func (c *checked) CommentByKey(ctx context.Context, key blog.CommentKey) (blog.Comment, error) {
	comment, err := c.Store.CommentByKey(ctx, key)
	c.check("CommentByKey", err, blog.NotFound)
	return comment, err
}

func (c *checked) CommentsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.CommentID]) (blog.Page[blog.Comment], error) {
	comments, err := c.Store.CommentsByAuthor(ctx, author, page)
	c.check("CommentsByAuthor", err, blog.NotFound)
	return comments, err
}

func (c *checked) LikedPosts(ctx context.Context, user blog.UserID, posts []blog.PostID) (map[blog.PostID]blog.Like, error) {
	likes, err := c.Store.LikedPosts(ctx, user, posts)
	c.check("LikedPosts", err)
	return likes, err
}

func (c *checked) Ready(ctx context.Context) error {
	err := c.Store.Ready(ctx)
	c.check("Ready", err)
	return err
}

func (c *checked) Empty(ctx context.Context) (bool, error) {
	empty, err := c.Store.Empty(ctx)
	c.check("Empty", err)
	return empty, err
}

func (c *checked) Settle(ctx context.Context) error {
	err := c.Store.Settle(ctx)
	c.check("Settle", err)
	return err
}

func (c *checked) Close() error {
	err := c.Store.Close()
	c.check("Close", err)
	return err
}
