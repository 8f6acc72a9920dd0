package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var _ blog.Auditor = (*Store)(nil)

// The truths, whole tables of them. A count's truth is the head of its partition.
var (
	scanUsers         = statement{blog.UsersByID, `SELECT user_id, username, subject, email, display_name, bio, version, stamp FROM users_by_id`}
	scanPosts         = statement{blog.PostsByID, `SELECT post_id, author_id, title, excerpt, updated_at, version, stamp, feed_bucket, feed_shard, deleted_at FROM posts_by_id`}
	scanComments      = statement{blog.CommentsByPost, `SELECT post_id, comment_id, author_id, content, updated_at, edits, closed FROM comments_by_post`}
	scanLikes         = statement{blog.LikeClaims, `SELECT post_id, user_id, liked, liked_at, closed FROM like_claims`}
	scanCommentCounts = statement{blog.CommentsByPost, `SELECT DISTINCT post_id, bucket, comment_count, stamp, closed FROM comments_by_post`}
	scanLikeCounts    = statement{blog.LikeClaims, `SELECT DISTINCT post_id, bucket, like_count, stamp, closed FROM like_claims`}
)

// EachUser leaves out what a createUser that was given up left behind.
func (s *Store) EachUser(ctx context.Context, visit func(blog.User) error) error {
	return s.scan(ctx, scanUsers.with(), func(row gocql.Scanner) error {
		var u blog.User
		err := row.Scan(into(&u.ID.UUID), &u.Username, &u.Subject, &u.Email, &u.DisplayName, &u.Bio, &u.Version, &u.Stamp)
		if err != nil || u.Username == "" {
			return err
		}
		return visit(u)
	})
}

// EachPost is a method of blog.Auditor.
func (s *Store) EachPost(ctx context.Context, visit func(blog.Post) error) error {
	return s.scan(ctx, scanPosts.with(), func(row gocql.Scanner) error {
		var p blog.Post
		var deletedAt time.Time
		err := row.Scan(into(&p.ID.UUID), into(&p.Author.ID.UUID), &p.Title, &p.Excerpt, &p.UpdatedAt, &p.Version,
			&p.Stamp, &p.Feed.Bucket, &p.Feed.Shard, &deletedAt)
		if err != nil || p.Title == "" || !deletedAt.IsZero() {
			return err
		}
		return visit(p)
	})
}

// EachComment leaves out the comments of a deleted post, which are being removed.
func (s *Store) EachComment(ctx context.Context, visit func(blog.Comment) error) error {
	return s.scan(ctx, scanComments.with(), func(row gocql.Scanner) error {
		var c blog.Comment
		var closed bool
		err := row.Scan(into(&c.Post.UUID), into(&c.ID.UUID), into(&c.Author.ID.UUID), &c.Content, &c.UpdatedAt, &c.Version, &closed)
		if err != nil || c.Content == "" || closed {
			return err
		}
		return visit(c)
	})
}

// EachLike leaves out the likes of a deleted post, which are being removed.
func (s *Store) EachLike(ctx context.Context, visit func(blog.Like) error) error {
	return s.scan(ctx, scanLikes.with(), func(row gocql.Scanner) error {
		var l blog.Like
		var liked, closed bool
		err := row.Scan(into(&l.Post.UUID), into(&l.User.ID.UUID), &liked, &l.LikedAt, &closed)
		if err != nil || !liked || closed {
			return err
		}
		return visit(l)
	})
}

// EachCount leaves out deleted posts. It holds a count for each post in memory.
func (s *Store) EachCount(ctx context.Context, visit func(post blog.PostID, comments, likes blog.Count) error) error {
	comments, err := s.counts(ctx, scanCommentCounts)
	if err != nil {
		return err
	}
	likes, err := s.counts(ctx, scanLikeCounts)
	if err != nil {
		return err
	}
	return blog.VisitCounts(comments, likes, visit)
}

func (s *Store) counts(ctx context.Context, heads statement) (map[blog.PostID]blog.Count, error) {
	counts := map[blog.PostID]blog.Count{}
	err := s.scan(ctx, heads.with(), func(row gocql.Scanner) error {
		var post blog.PostID
		var bucket int
		var count blog.Count
		var closed bool
		err := row.Scan(into(&post.UUID), &bucket, &count.N, &count.Stamp, &closed)
		if err == nil && !closed {
			counts[post] = count
		}
		return err
	})
	return counts, err
}
