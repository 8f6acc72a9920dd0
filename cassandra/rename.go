package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var (
	walkPosts    = statement{blog.PostsByAuthor, `SELECT post_id, feed_bucket, feed_shard FROM posts_by_author WHERE author_id = ? AND bucket = 0`}
	walkComments = statement{blog.CommentsByAuthor, `SELECT comment_id, post_id FROM comments_by_author WHERE author_id = ? AND bucket = 0`}
	walkLikes    = statement{blog.LikesByUser, `SELECT post_id, liked_at FROM likes_by_user WHERE user_id = ? AND bucket = 0`}
)

// spreadName writes a user's name to every row that holds a copy of it. It runs
// after the truth was changed: a row that is written meanwhile is either met here
// or is its writer's to correct, for that one looks at the truth once more.
func (s *Store) spreadName(ctx context.Context, name blog.Name) error {
	w := &copyWriter{store: s, ctx: ctx}
	author := id(name.User.UUID)
	err := s.scan(ctx, walkPosts.with(author), func(row gocql.Scanner) error {
		ref := blog.PostRef{Author: name.User}
		if err := row.Scan(into(&ref.ID.UUID), &ref.Feed.Bucket, &ref.Feed.Shard); err != nil || ref.Feed.Bucket == "" {
			return err
		}
		return w.add(blog.PostNameCopies(ref, name)...)
	})
	if err != nil {
		return err
	}
	err = s.scan(ctx, walkComments.with(author), func(row gocql.Scanner) error {
		var key blog.CommentKey
		if err := row.Scan(into(&key.Comment.UUID), into(&key.Post.UUID)); err != nil || key.Post.IsZero() {
			return err
		}
		return w.add(blog.CommentNameCopies(key, name)...)
	})
	if err != nil {
		return err
	}
	err = s.scan(ctx, walkLikes.with(author), func(row gocql.Scanner) error {
		var post blog.PostID
		var likedAt time.Time
		if err := row.Scan(into(&post.UUID), &likedAt); err != nil || likedAt.IsZero() {
			return err
		}
		return w.add(blog.LikeNameCopies(post, likedAt, name)...)
	})
	if err != nil {
		return err
	}
	return w.flush()
}

// copyWriter gathers copies and writes them some at a time.
type copyWriter struct {
	store   *Store
	ctx     context.Context
	waiting []blog.Copy
}

// walkBatch is how many copies of a walk go together.
const walkBatch = 100

func (w *copyWriter) add(copies ...blog.Copy) error {
	if w.waiting = append(w.waiting, copies...); len(w.waiting) < walkBatch {
		return nil
	}
	return w.flush()
}

func (w *copyWriter) flush() error {
	err := w.store.insist(w.ctx, func(ctx context.Context) error { return w.store.writeCopies(ctx, w.waiting) })
	w.waiting = w.waiting[:0]
	return err
}
