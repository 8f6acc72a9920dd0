package naive

import (
	"context"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// V1 is the model that copies nothing.
type V1 struct{ *Keyspace }

var (
	selectPost = statement{posts, `SELECT user_id, title, content, updated_at, version FROM posts` +
		` WHERE post_id = ? AND type = 'post'`}
	countComments  = statement{posts, `SELECT COUNT(*) FROM posts WHERE post_id = ? AND type = 'comment'`}
	countLikes     = statement{posts, `SELECT COUNT(*) FROM posts WHERE post_id = ? AND type = 'like'`}
	selectComments = statement{posts, `SELECT item_id, user_id, content, updated_at, version FROM posts` +
		` WHERE post_id = ? AND type = 'comment' LIMIT ?`}
	selectLikes   = statement{posts, `SELECT user_id, created_at FROM posts WHERE post_id = ? AND type = 'like'`}
	searchPostsOf = statement{posts, `SELECT post_id, title, content, updated_at, version FROM posts` +
		` WHERE user_id = ? AND type = 'post'`}
	searchPosts = statement{posts, `SELECT post_id FROM posts WHERE type = 'post'`}
	insertPost  = statement{posts,
		`INSERT INTO posts (post_id, type, item_id, user_id, title, content, created_at, updated_at, version)` +
			` VALUES (?, 'post', ?, ?, ?, ?, ?, ?, ?)`}
	insertComment = statement{posts,
		`INSERT INTO posts (post_id, type, item_id, user_id, content, created_at, updated_at, version)` +
			` VALUES (?, 'comment', ?, ?, ?, ?, ?, ?)`}
	insertLike = statement{posts,
		`INSERT INTO posts (post_id, type, item_id, user_id, created_at) VALUES (?, 'like', ?, ?, ?)`}
)

// PostByID answers Q2: the post, its author's name, and its comments and likes
// counted. NotFound.
func (v *V1) PostByID(ctx context.Context, post blog.PostID) (blog.Post, error) {
	p := blog.Post{ID: post}
	err := v.one(ctx, selectPost, []any{id(post.UUID)}, into(&p.Author.ID.UUID), &p.Title, &p.Content, &p.UpdatedAt, &p.Version)
	if err == nil {
		p.Excerpt = blog.Excerpt(p.Content)
		err = v.complete(ctx, &p)
	}
	return p, err
}

// complete fills in what lists and single posts show of other items.
func (v *V1) complete(ctx context.Context, p *blog.Post) (err error) {
	if err = v.lookUp(ctx, &p.Author); err != nil {
		return err
	}
	if p.Comments.N, err = v.count(ctx, countComments, id(p.ID.UUID)); err != nil {
		return err
	}
	p.Likes.N, err = v.count(ctx, countLikes, id(p.ID.UUID))
	return err
}

// PostsByAuthor answers Q3: all posts of the user, in the index's order, of which the
// newest are completed one by one.
func (v *V1) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	found, err := v.postsOf(ctx, searchPostsOf, author, page)
	for i := 0; err == nil && i < min(len(found), page.Limit); i++ {
		err = v.complete(ctx, &found[i])
	}
	return blog.NewPage(page, found), err
}

// CommentsByPost answers Q4: the newest comments, a name looked up for each, and all
// counted.
func (v *V1) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	comments, count, err := v.comments(ctx, selectComments, query, func(row gocql.Scanner, c *blog.Comment, _ *int) error {
		return row.Scan(into(&c.ID.UUID), into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version)
	})
	if err == nil {
		count, err = v.count(ctx, countComments, id(query.Post.UUID))
	}
	page := blog.NewPage(query.Page, comments)
	for i := 0; err == nil && i < len(page.Items); i++ {
		err = v.lookUp(ctx, &page.Items[i].Author)
	}
	return blog.CommentPage{Page: page, Count: blog.Count{N: count}}, err
}

// LikesByPost answers Q5: all likes of the post, sorted here, and a name looked up for
// each that is shown.
func (v *V1) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	likes, err := v.likes(ctx, selectLikes, post, page, func(row gocql.Scanner, l *blog.Reaction) error {
		return row.Scan(into(&l.User.ID.UUID), &l.At)
	})
	for i := 0; err == nil && i < len(likes.Items); i++ {
		err = v.lookUp(ctx, &likes.Items[i].User)
	}
	return likes, err
}

// Feed answers Q6: the keys of all posts that there are, of which the newest are read
// and completed one by one.
func (v *V1) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return v.feed(ctx, searchPosts, page, v.PostByID)
}

// CreatePost is C2.
func (v *V1) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	p := newPost(v.Keyspace, c)
	return p, v.write(ctx, insertPost, postArgs(p)...)
}

// CreateComment is C3. It counts nothing.
func (v *V1) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	made := newComment(v.Keyspace, c)
	return made, blog.Count{}, v.write(ctx, insertComment, commentArgs(made)...)
}

// LikePost is C4. It counts nothing.
func (v *V1) LikePost(ctx context.Context, c blog.LikePost) (blog.Reaction, blog.Count, error) {
	l := newLike(v.Keyspace, c)
	return l, blog.Count{}, v.write(ctx, insertLike, likeArgs(l)...)
}
