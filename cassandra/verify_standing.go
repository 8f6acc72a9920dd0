package cassandra

import (
	"context"
	"time"

	"broadsheet/audit"
	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// The truths as they stand, by ranges of tokens.
var (
	standingUsers    = statement{blog.UsersByID, `SELECT user_id, username, subject, version, stamp FROM users_by_id WHERE token(user_id) > ? AND token(user_id) <= ?`}
	standingPosts    = statement{blog.PostsByID, `SELECT post_id, author_id, title, excerpt, content, version, stamp, deleted_at FROM posts_by_id WHERE token(post_id) > ? AND token(post_id) <= ?`}
	standingComments = statement{blog.CommentsByPost, `SELECT post_id, comment_count, version, stamp, closed, comment_id, author_id, content, updated_at, edits FROM comments_by_post WHERE token(post_id, bucket) > ? AND token(post_id, bucket) <= ?`}
	standingLikes    = statement{blog.LikeClaims, `SELECT post_id, like_count, version, stamp, closed, user_id, liked, liked_at FROM like_claims WHERE token(post_id, bucket) > ? AND token(post_id, bucket) <= ?`}

	fateOfUser = statement{blog.UsersByID, `SELECT username, subject, version, stamp FROM users_by_id WHERE user_id = ?`}
	fateOfPost = statement{blog.PostsByID, `SELECT author_id, title, version, deleted_at FROM posts_by_id WHERE post_id = ?`}
)

// EachTruth is a method of blog.Audit.
func (a *auditReader) EachTruth(ctx context.Context, table blog.Table, part int, visit func(audit.TruthRow) error) error {
	switch table {
	case blog.UsersByID:
		return a.part(ctx, standingUsers, part, func(row gocql.Scanner) error {
			var r audit.TruthRow
			u := &r.User
			err := row.Scan(into(&u.ID.UUID), &u.Username, &u.Subject, &u.Version, &u.Stamp)
			r.Key = []any{u.ID}
			return visitUnless(err, visit, r)
		})
	case blog.PostsByID:
		return a.part(ctx, standingPosts, part, func(row gocql.Scanner) error {
			var r audit.TruthRow
			var deletedAt time.Time
			p := &r.Post
			err := row.Scan(into(&p.ID.UUID), into(&p.Author.ID.UUID), &p.Title, &p.Excerpt, &p.Content, &p.Version, &p.Stamp, &deletedAt)
			r.Key, r.Ended = []any{p.ID}, !deletedAt.IsZero()
			return visitUnless(err, visit, r)
		})
	case blog.CommentsByPost:
		return a.part(ctx, standingComments, part, heads(visit, func(row gocql.Scanner, r *audit.TruthRow) (post blog.PostID, key any, err error) {
			c := &r.Comment
			err = row.Scan(into(&post.UUID), &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, into(&c.ID.UUID), into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version)
			if c.ID.IsZero() {
				return post, nil, err
			}
			return post, c.ID, err
		}))
	default:
		return a.part(ctx, standingLikes, part, heads(visit, func(row gocql.Scanner, r *audit.TruthRow) (post blog.PostID, key any, err error) {
			l := &r.Like
			err = row.Scan(into(&post.UUID), &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, into(&l.User.ID.UUID), &r.Liked, &l.LikedAt)
			if l.User.ID.IsZero() {
				return post, nil, err
			}
			return post, l.User.ID, err
		}))
	}
}

func visitUnless(err error, visit func(audit.TruthRow) error, r audit.TruthRow) error {
	if err != nil {
		return err
	}
	return visit(r)
}

// heads visits the rows of ledgers, and before those of each partition its head. read
// returns a row's key, nil for a partition without rows.
func heads(visit func(audit.TruthRow) error, read func(gocql.Scanner, *audit.TruthRow) (blog.PostID, any, error)) func(gocql.Scanner) error {
	var last blog.PostID
	return func(row gocql.Scanner) error {
		var r audit.TruthRow
		post, key, err := read(row, &r)
		if err != nil {
			return err
		}
		if post != last {
			last = post
			head := audit.TruthRow{Key: []any{post}, Head: r.Head, Version: r.Version, Ended: r.Ended}
			if err := visit(head); err != nil {
				return err
			}
		}
		if key == nil {
			return nil
		}
		r.Key = []any{post, key}
		return visit(r)
	}
}

// UserFate is a method of blog.Truths. A void row is the end of a createUser that was
// given up.
func (t truths) UserFate(ctx context.Context, user blog.UserID) (fate audit.Fate, err error) {
	var username, subject string
	var version int
	var stamp int64
	err = t.row(ctx, fateOfUser.with(id(user.UUID)), &username, &subject, &version, &stamp)
	switch {
	case err != nil:
		return audit.Unknown, absentIsZero(err)
	case username != "" || subject != "" || version > 0:
		return audit.Standing, nil
	case stamp != 0:
		return audit.Ended, nil
	}
	return audit.Unknown, nil
}

// PostFate is a method of blog.Truths. A row that holds copies alone tells nothing.
func (t truths) PostFate(ctx context.Context, post blog.PostID) (fate audit.Fate, err error) {
	var author blog.UserID
	var title string
	var version int
	var deletedAt time.Time
	err = t.row(ctx, fateOfPost.with(id(post.UUID)), into(&author.UUID), &title, &version, &deletedAt)
	switch {
	case err != nil:
		return audit.Unknown, absentIsZero(err)
	case !deletedAt.IsZero():
		return audit.Ended, nil
	case author.IsZero() && title == "" && version == 0:
		return audit.Unknown, nil
	}
	return audit.Standing, nil
}

// CommentFate is a method of blog.Truths. The row of a deleted comment keeps its author.
func (t truths) CommentFate(ctx context.Context, key blog.CommentKey) (audit.Fate, error) {
	var author blog.UserID
	var content string
	var closed bool
	err := t.row(ctx, auditComment.with(id(key.Post.UUID), id(key.Comment.UUID)), into(&author.UUID), &content, new(time.Time), new(int), new(int64), &closed)
	switch {
	case err != nil:
		return audit.Unknown, absentIsZero(err)
	case closed || content == "" && !author.IsZero():
		return audit.Ended, nil
	case content == "":
		return audit.Unknown, nil
	}
	return audit.Standing, nil
}

// LikeFate is a method of blog.Truths. A claim stays when its like is taken back.
func (t truths) LikeFate(ctx context.Context, key blog.LikeKey) (audit.Fate, error) {
	var liked, closed bool
	err := t.row(ctx, auditLike.with(id(key.Post.UUID), id(key.User.UUID)), &liked, new(time.Time), new(int), new(int64), &closed)
	switch {
	case err != nil:
		return audit.Unknown, absentIsZero(err)
	case closed || !liked:
		return audit.Ended, nil
	}
	return audit.Standing, nil
}

// row reads one row, or returns errAbsent.
func (t truths) row(ctx context.Context, b bound, dest ...any) error {
	absent := false
	err := t.store.patiently(ctx, func(ctx context.Context) error {
		err := t.read(ctx, b, dest...)
		if absent = err == errAbsent; absent {
			return nil
		}
		return err
	})
	if absent {
		return errAbsent
	}
	return err
}
