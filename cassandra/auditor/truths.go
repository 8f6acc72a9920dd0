package auditor

import (
	"context"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/truth"
)

var (
	auditComment = cql.On(blog.CommentsByPost, `SELECT author_id, content, updated_at, edits, stamp, closed FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)
	auditLike    = cql.On(blog.LikeClaims, `SELECT liked, liked_at, like_count, stamp, closed FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id = ?`)
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

// TrueComment is a method of [audit.Truths].
func (t truthReader) TrueComment(ctx context.Context, key blog.CommentKey) (blog.Comment, int64, error) {
	c := blog.Comment{Post: key.Post, ID: key.Comment}
	var stamp int64
	var closed bool
	err := t.auditor.patiently(ctx, func(ctx context.Context) error {
		return t.read(ctx, auditComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)),
			cql.Into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version, &stamp, &closed)
	})
	if err != nil || c.Content == "" || closed {
		return blog.Comment{}, 0, cql.AbsentIsZero(err)
	}
	return c, stamp, nil
}

// TrueLike is a method of [audit.Truths].
func (t truthReader) TrueLike(ctx context.Context, key blog.LikeKey) (blog.Like, blog.Count, error) {
	l := blog.Like{Post: key.Post, User: blog.Author{ID: key.User}}
	var count blog.Count
	var liked, closed bool
	err := t.auditor.patiently(ctx, func(ctx context.Context) error {
		return t.read(ctx, auditLike.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), &liked, &l.LikedAt, &count.N, &count.Stamp, &closed)
	})
	if err != nil || !liked || closed {
		return blog.Like{}, blog.Count{}, cql.AbsentIsZero(err)
	}
	l.LikedAt = l.LikedAt.UTC()
	return l, count, nil
}

// Lives is a method of [audit.Truths].
func (t truthReader) Lives(ctx context.Context, post blog.PostID) (lives bool, err error) {
	err = t.auditor.patiently(ctx, func(ctx context.Context) error {
		_, err := t.auditor.Truths.Posts.Ref(ctx, post)
		return err
	})
	if blog.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
