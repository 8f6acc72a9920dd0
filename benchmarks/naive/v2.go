package naive

import (
	"context"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// V2 is the model with names and counts copied to where they are shown.
type V2 struct{ *Keyspace }

var (
	selectPostWithCopies = statement{postsWithCopies,
		`SELECT user_id, title, content, updated_at, version, username, comment_count, like_count` +
			` FROM posts_with_copies WHERE post_id = ? AND type = 'post'`}
	selectCounts = statement{postsWithCopies,
		`SELECT DISTINCT post_id, comment_count, like_count FROM posts_with_copies WHERE post_id = ?`}
	selectCommentsWithCopies = statement{postsWithCopies,
		`SELECT item_id, user_id, content, updated_at, version, username, comment_count` +
			` FROM posts_with_copies WHERE post_id = ? AND type = 'comment' LIMIT ?`}
	selectLikesWithCopies = statement{postsWithCopies,
		`SELECT user_id, created_at, username FROM posts_with_copies WHERE post_id = ? AND type = 'like'`}
	searchPostsOfWithCopies = statement{postsWithCopies,
		`SELECT post_id, title, content, updated_at, version, username, comment_count, like_count` +
			` FROM posts_with_copies WHERE user_id = ? AND type = 'post'`}
	searchPostsWithCopies = statement{postsWithCopies, `SELECT post_id FROM posts_with_copies WHERE type = 'post'`}
	insertPostWithCopies  = statement{postsWithCopies,
		`INSERT INTO posts_with_copies (post_id, type, item_id, user_id, title, content, created_at,` +
			` updated_at, version, username, comment_count, like_count)` +
			` VALUES (?, 'post', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`}
	insertCommentWithCopies = statement{postsWithCopies,
		`INSERT INTO posts_with_copies (post_id, type, item_id, user_id, content, created_at,` +
			` updated_at, version, username)` +
			` VALUES (?, 'comment', ?, ?, ?, ?, ?, ?, ?)`}
	insertLikeWithCopies = statement{postsWithCopies,
		`INSERT INTO posts_with_copies (post_id, type, item_id, user_id, created_at, username)` +
			` VALUES (?, 'like', ?, ?, ?, ?)`}
	raiseComments = statement{postsWithCopies,
		`UPDATE posts_with_copies SET comment_count = ? WHERE post_id = ? IF comment_count = ?`}
	raiseLikes = statement{postsWithCopies,
		`UPDATE posts_with_copies SET like_count = ? WHERE post_id = ? IF like_count = ?`}
	selectLike = statement{postsWithCopies,
		`SELECT created_at FROM posts_with_copies WHERE post_id = ? AND type = 'like' AND item_id = ?`}
)

// PostByID answers Q2. NotFound.
func (v *V2) PostByID(ctx context.Context, post blog.PostID) (blog.Post, error) {
	p := blog.Post{ID: post}
	err := v.one(ctx, selectPostWithCopies, []any{id(post.UUID)}, into(&p.Author.ID.UUID), &p.Title, &p.Content, &p.UpdatedAt, &p.Version,
		&p.Author.Username, &p.Comments.N, &p.Likes.N)
	p.Excerpt = blog.Excerpt(p.Content)
	return p, err
}

// PostsByAuthor answers Q3: all posts of the user, in the index's order.
func (v *V2) PostsByAuthor(ctx context.Context, author blog.UserID, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	found, err := v.postsOf(ctx, searchPostsOfWithCopies, author, page, func(p *blog.Post) []any {
		return []any{&p.Author.Username, &p.Comments.N, &p.Likes.N}
	})
	return blog.NewPage(page, found), err
}

// CommentsByPost answers Q4. Where there is no comment, there is no count beside it.
func (v *V2) CommentsByPost(ctx context.Context, query blog.CommentsQuery) (blog.CommentPage, error) {
	comments, count, err := v.comments(ctx, selectCommentsWithCopies, query, func(row gocql.Scanner, c *blog.Comment, count *int) error {
		return row.Scan(into(&c.ID.UUID), into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version, &c.Author.Username, count)
	})
	return blog.CommentPage{Page: blog.NewPage(query.Page, comments), Count: blog.Count{N: count}}, err
}

// LikesByPost answers Q5: all likes of the post, sorted here.
func (v *V2) LikesByPost(ctx context.Context, post blog.PostID, page blog.PageRequest[blog.ReactionPosition]) (blog.ReactionPage, error) {
	return v.likes(ctx, selectLikesWithCopies, post, page, func(row gocql.Scanner, l *blog.Reaction) error {
		return row.Scan(into(&l.User.ID.UUID), &l.At, &l.User.Username)
	})
}

// Feed answers Q6: the keys of all posts that there are, of which the newest are read
// one by one.
func (v *V2) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return v.feed(ctx, searchPostsWithCopies, page, v.PostByID)
}

// CreatePost is C2, with a look at its author's name.
func (v *V2) CreatePost(ctx context.Context, c blog.CreatePost) (blog.Post, error) {
	p := newPost(v.Keyspace, c)
	if err := v.lookUp(ctx, &p.Author); err != nil {
		return p, err
	}
	return p, v.write(ctx, insertPostWithCopies, append(postArgs(p), p.Author.Username, 0, 0)...)
}

// CreateComment is C3: the comment and the count go in one conditional batch, which is
// tried again where another one came between.
func (v *V2) CreateComment(ctx context.Context, c blog.CreateComment) (blog.Comment, blog.Count, error) {
	made := newComment(v.Keyspace, c)
	if err := v.lookUp(ctx, &made.Author); err != nil {
		return made, blog.Count{}, err
	}
	args := append(commentArgs(made), made.Author.Username)
	n, err := v.raise(ctx, c.Post, raiseComments, func(comments, _ int) int { return comments }, insertCommentWithCopies, args)
	return made, blog.Count{N: n}, err
}

// LikePost is C4, likewise. Who likes the post already is counted once.
func (v *V2) LikePost(ctx context.Context, c blog.LikePost) (blog.Reaction, blog.Count, error) {
	l := newLike(v.Keyspace, c)
	if err := v.lookUp(ctx, &l.User); err != nil {
		return l, blog.Count{}, err
	}
	var since time.Time
	err := v.one(ctx, selectLike, []any{id(c.Post.UUID), id(c.Actor.UUID)}, &since)
	if err == nil || !blog.IsNotFound(err) {
		l.At = since
		return l, blog.Count{}, err
	}
	args := append(likeArgs(l), l.User.Username)
	n, err := v.raise(ctx, c.Post, raiseLikes, func(_, likes int) int { return likes }, insertLikeWithCopies, args)
	return l, blog.Count{N: n}, err
}

// raise writes an item and one of its post's counts, by compare and set.
func (v *V2) raise(ctx context.Context, post blog.PostID, set statement, which func(comments, likes int) int, insert statement, args []any) (int, error) {
	for {
		var comments, likes int
		if err := v.one(ctx, selectCounts, []any{id(post.UUID)}, into(&post.UUID), &comments, &likes); err != nil {
			return 0, err
		}
		n := which(comments, likes)
		start := time.Now()
		batch := v.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
		batch.Query(set.cql, n+1, id(post.UUID), n)
		batch.Query(insert.cql, args...)
		applied, iter, err := v.session.MapExecuteBatchCAS(batch, map[string]any{})
		if iter != nil {
			_ = iter.Close()
		}
		v.observe(ctx, set.table, blog.Conditional, 1, 2, start, err)
		if err != nil || applied {
			return n + 1, err
		}
	}
}
