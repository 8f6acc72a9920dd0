package auditor

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

// The truths as they stand, by ranges of tokens. A count's truth is the header of its partition
// and comes with every row.
var (
	everyUser = cql.On(blog.UsersByID, `SELECT `+tables.Users.Columns+`, stamp, user_id FROM users_by_id`+
		` WHERE token(user_id) > ? AND token(user_id) <= ?`)
	everyPost = cql.On(blog.PostsByID,
		`SELECT `+tables.Posts.Columns+`, post_id, stamp, deleted_at FROM posts_by_id`+
			` WHERE token(post_id) > ? AND token(post_id) <= ?`)
	everyComment = cql.On(blog.CommentsByPost,
		`SELECT `+tables.Comments.Columns+`, post_id, comment_count, version, stamp, closed, comment_id`+
			` FROM comments_by_post WHERE token(post_id, bucket) > ? AND token(post_id, bucket) <= ?`)

	fateOfUser = cql.On(blog.UsersByID, `SELECT username, subject, version, stamp FROM users_by_id WHERE user_id = ?`)
	fateOfPost = cql.On(blog.PostsByID,
		`SELECT author_id, title, version, deleted_at FROM posts_by_id WHERE post_id = ?`)
)

// EachTruth is a method of [audit.Reader].
func (a *reader) EachTruth(ctx context.Context, table blog.Table, part int, visit func(audit.TruthRow) error) error {
	switch table {
	case blog.UsersByID:
		return a.part(ctx, everyUser, part, func(row gocql.Scanner) error {
			var r audit.TruthRow
			u := &r.User
			err := row.Scan(tables.Users.Into(u, &u.Stamp, cql.Into(&u.ID.UUID))...)
			r.Key = []any{u.ID}
			return visitUnless(err, visit, r)
		})
	case blog.PostsByID:
		return a.part(ctx, everyPost, part, func(row gocql.Scanner) error {
			var r audit.TruthRow
			var deletedAt time.Time
			p := &r.Post
			err := row.Scan(tables.Posts.Into(p, cql.Into(&p.ID.UUID), &p.Stamp, &deletedAt)...)
			r.Key, r.Ended = []any{p.ID}, !deletedAt.IsZero()
			return visitUnless(err, visit, r)
		})
	case blog.CommentsByPost:
		return a.part(ctx, everyComment, part, heads(visit, func(row gocql.Scanner, r *audit.TruthRow) (post blog.PostID, key any, err error) {
			c := &r.Comment
			err = row.Scan(tables.Comments.Into(c, cql.Into(&post.UUID), &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, cql.Into(&c.ID.UUID))...)
			if c.ID.IsZero() {
				return post, nil, err
			}
			c.Post = post
			return post, c.ID, err
		}))
	default:
		return a.part(ctx, tables.Reactions[table.Reaction()].Every, part, heads(visit, func(row gocql.Scanner, r *audit.TruthRow) (post blog.PostID, key any, err error) {
			l := &r.Reaction
			err = row.Scan(cql.Into(&post.UUID), &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, cql.Into(&l.User.ID.UUID), &r.Reacts, &l.At)
			if l.User.ID.IsZero() {
				return post, nil, err
			}
			l.Post, l.At = post, l.At.UTC()
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

// heads visits the rows of counted partitions, and before those of each its header. read
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

// UserFate is a method of [audit.Truths]. A placeholder is the end of a createUser that was
// given up.
func (t truthReader) UserFate(ctx context.Context, user blog.UserID) (fate audit.Fate, err error) {
	var username, subject string
	var version int
	var stamp int64
	err = t.row(ctx, fateOfUser.With(cql.ID(user.UUID)), &username, &subject, &version, &stamp)
	switch {
	case err != nil:
		return audit.Unknown, cql.AbsentIsZero(err)
	case username != "" || subject != "" || version > 0:
		return audit.Standing, nil
	case truth.User{User: blog.User{Version: version}}.Wiped():
		return audit.Erased, nil
	case stamp != 0:
		return audit.Ended, nil
	}
	return audit.Unknown, nil
}

// PostFate is a method of [audit.Truths]. A row that holds copies alone tells nothing.
func (t truthReader) PostFate(ctx context.Context, post blog.PostID) (fate audit.Fate, err error) {
	var author blog.UserID
	var title string
	var version int
	var deletedAt time.Time
	err = t.row(ctx, fateOfPost.With(cql.ID(post.UUID)), cql.Into(&author.UUID), &title, &version, &deletedAt)
	switch {
	case err != nil:
		return audit.Unknown, cql.AbsentIsZero(err)
	case !deletedAt.IsZero():
		return audit.Ended, nil
	case author.IsZero() && title == "" && version == 0:
		return audit.Unknown, nil
	}
	return audit.Standing, nil
}

// row reads one row, or returns [cql.ErrAbsent].
func (t truthReader) row(ctx context.Context, b cql.Bound, dest ...any) error {
	return t.auditor.patiently(ctx, func(ctx context.Context) error { return t.read(ctx, b, dest...) })
}
