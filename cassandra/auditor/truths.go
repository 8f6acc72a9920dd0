package auditor

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"
)

var (
	auditComment = cql.On(blog.CommentsByPost,
		`SELECT `+tables.Comments.Columns+`, stamp, closed FROM comments_by_post`+
			` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`)
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
	counts := blog.Post{ID: post}
	err := t.auditor.patiently(ctx, func(ctx context.Context) error {
		reads := t.auditor.Truths.Counts(&counts, func(of truth.Counted, post blog.PostID) (counted.Header, error) { return t.head(ctx, of, post) })
		return cql.Concurrently(append(reads, func() (err error) { found, err = t.auditor.Truths.Posts.Read(ctx, post, t.read); return err })...)
	})
	if blog.IsNotFound(err) {
		return blog.Post{}, nil
	}
	found.CountAs(counts)
	return found.Post, err
}

func (t truthReader) head(ctx context.Context, l truth.Counted, post blog.PostID) (counted.Header, error) {
	if t.certain {
		return l.HeaderSerial(ctx, post)
	}
	return l.Header(ctx, post)
}

// TrueComment is a method of [audit.Truths].
func (t truthReader) TrueComment(ctx context.Context, key blog.CommentKey) (audit.TruthRow, error) {
	r := audit.TruthRow{Key: []any{key.Post, key.Comment}, Comment: blog.Comment{ID: key.Comment, Post: key.Post}}
	c := &r.Comment
	return t.found(ctx, auditComment.With(cql.ID(key.Post.UUID), cql.ID(key.Comment.UUID)), &r,
		tables.Comments.Into(c, &r.Head.Stamp, &r.Ended)...)
}

// TrueReaction is a method of [audit.Truths].
func (t truthReader) TrueReaction(ctx context.Context, key blog.ReactionKey) (audit.TruthRow, error) {
	r := audit.TruthRow{Key: []any{key.Post, key.User}, Reaction: blog.Reaction{Post: key.Post, User: blog.Author{ID: key.User}}}
	return t.found(ctx, tables.Reactions[key.Of].One.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), &r,
		&r.Reacts, &r.Reaction.At, &r.Head.N, &r.Head.Stamp, &r.Ended)
}

// found reads into a row; without a key where there is none.
func (t truthReader) found(ctx context.Context, b cql.Bound, r *audit.TruthRow, dest ...any) (audit.TruthRow, error) {
	err := t.row(ctx, b, dest...)
	if err != nil {
		return audit.TruthRow{}, cql.AbsentIsZero(err)
	}
	r.Reaction.At = r.Reaction.At.UTC()
	return *r, nil
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
