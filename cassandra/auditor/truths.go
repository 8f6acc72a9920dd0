package auditor

import (
	"context"
	"time"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/truth"
)

var (
	auditComment = cql.On(blog.CommentsByPost,
		`SELECT author_id, content, updated_at, edits, stamp, closed FROM comments_by_post`+
			` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)
	auditLike = cql.On(blog.LikeClaims, `SELECT liked, liked_at, like_count, stamp, closed FROM like_claims`+
		` WHERE post_id = ? AND bucket = 0 AND user_id = ?`)
)

var _ audit.Truths = truthReader{}

// truthReader reads truths by their keys. Where they are certain it is at the serial
// consistency: a commit of which only a minority knows is not seen once and then not
// again. Such readings take part in Paxos, and stand in the way of the commands of a hot
// post; so a row is first looked at without.
type truthReader struct {
	auditor *Auditor
	certain bool
}

// Certain is a method of [audit.Reader].
func (a *reader) Certain() audit.Truths { return truthReader{a.Auditor, true} }

func (t truthReader) read(ctx context.Context, b cql.Bound, dest ...any) error {
	if t.certain {
		return t.auditor.DB.OneSerial(ctx, b, dest...)
	}
	return t.auditor.DB.One(ctx, b, dest...)
}

// TrueUser is a method of [audit.Truths].
func (t truthReader) TrueUser(ctx context.Context, user blog.UserID) (blog.User, error) {
	var found truth.User
	err := t.auditor.patiently(ctx, func(ctx context.Context) (err error) {
		found, err = t.auditor.Truths.Users.Read(ctx, user, t.read)
		return err
	})
	if blog.KindOf(err) == blog.Forbidden {
		return blog.User{}, nil
	}
	return found.User, err
}

// TruePost is a method of [audit.Truths].
func (t truthReader) TruePost(ctx context.Context, post blog.PostID) (blog.Post, error) {
	var found truth.Post
	var comments, likes counted.Header
	err := t.auditor.patiently(ctx, func(ctx context.Context) error {
		return cql.Concurrently(
			func() (err error) { found, err = t.auditor.Truths.Posts.Read(ctx, post, t.read); return err },
			func() (err error) { comments, err = t.head(ctx, t.auditor.Truths.Comments, post); return err },
			func() (err error) { likes, err = t.head(ctx, t.auditor.Truths.Likes, post); return err },
		)
	})
	if blog.IsNotFound(err) {
		return blog.Post{}, nil
	}
	found.Comments, found.Likes = comments.Count(), likes.Count()
	return found.Post, err
}

func (t truthReader) head(ctx context.Context, l truth.Counted, post blog.PostID) (counted.Header, error) {
	if t.certain {
		return l.HeaderSerial(ctx, post)
	}
	return l.Header(ctx, post)
}

// auditedComment is a comment as a statement read it, with what stands above it.
type auditedComment struct {
	blog.Comment
	stamp  int64
	closed bool
}

// comment reads a comment, or returns [cql.ErrAbsent].
func (t truthReader) comment(ctx context.Context, key blog.CommentKey) (c auditedComment, err error) {
	c.Post, c.ID = key.Post, key.Comment
	err = t.row(ctx, auditComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)),
		cql.Into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version, &c.stamp, &c.closed)
	return c, err
}

// TrueComment is a method of [audit.Truths].
func (t truthReader) TrueComment(ctx context.Context, key blog.CommentKey) (blog.Comment, int64, error) {
	c, err := t.comment(ctx, key)
	if err != nil || c.Content == "" || c.closed {
		return blog.Comment{}, 0, cql.AbsentIsZero(err)
	}
	return c.Comment, c.stamp, nil
}

// auditedLike is a claim as a statement read it, with what stands above it.
type auditedLike struct {
	liked, closed bool
	likedAt       time.Time
	count         blog.Count
}

// like reads a claim, or returns [cql.ErrAbsent].
func (t truthReader) like(ctx context.Context, key blog.LikeKey) (l auditedLike, err error) {
	err = t.row(ctx, auditLike.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), &l.liked, &l.likedAt, &l.count.N, &l.count.Stamp, &l.closed)
	return l, err
}

// TrueLike is a method of [audit.Truths].
func (t truthReader) TrueLike(ctx context.Context, key blog.LikeKey) (blog.Like, blog.Count, error) {
	l, err := t.like(ctx, key)
	if err != nil || !l.liked || l.closed {
		return blog.Like{}, blog.Count{}, cql.AbsentIsZero(err)
	}
	return blog.Like{Post: key.Post, User: blog.Author{ID: key.User}, LikedAt: l.likedAt.UTC()}, l.count, nil
}

// Ref is a method of [audit.Reader].
func (t truthReader) Ref(ctx context.Context, post blog.PostID) (ref blog.PostRef, lives bool, err error) {
	err = t.auditor.patiently(ctx, func(ctx context.Context) (err error) {
		ref, err = t.auditor.Truths.Posts.Ref(ctx, post)
		return err
	})
	if blog.IsNotFound(err) {
		return ref, false, nil
	}
	return ref, err == nil, err
}

// Lives is a method of [audit.Truths].
func (t truthReader) Lives(ctx context.Context, post blog.PostID) (bool, error) {
	_, lives, err := t.Ref(ctx, post)
	return lives, err
}
