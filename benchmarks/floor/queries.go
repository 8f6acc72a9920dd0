package floor

import (
	"context"
	"math"
	"net/url"
	"slices"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
	"golang.org/x/sync/errgroup"
)

// The statements are the store's: a page is always asked for between two keys.
const (
	selectUsersByID = `SELECT username, subject, email, display_name, bio, version, renamed_at, suspended, verified_email,` +
		` erased_at, moderator, stamp` +
		` FROM users_by_id WHERE user_id = ?`
	selectPostsByID = `SELECT author_id, title, excerpt, updated_at, version, feed_bucket, feed_shard, word_count,` +
		` group_id, content, stamp, deleted_at, username, display_name,` +
		` comment_count, WRITETIME(comment_count), like_count, WRITETIME(like_count)` +
		` FROM posts_by_id WHERE post_id = ?`
	selectPostsByAuthor = `SELECT post_id, username, display_name, title, excerpt, updated_at, version,` +
		` feed_bucket, feed_shard, word_count, group_id, comment_count, like_count` +
		` FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id >= ? AND post_id < ?` +
		` ORDER BY post_id DESC LIMIT ?`
	selectCommentsByPost = `SELECT comment_id, author_id, username, display_name, content, updated_at, edits,` +
		` parent_id, reply_path, comment_count, stamp, closed, comment_rows` +
		` FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id >= ? AND comment_id < ?` +
		` ORDER BY comment_id DESC LIMIT ?`
	selectLikesByPost = `SELECT liked_at, user_id, liked, username, display_name, like_count,` +
		` WRITETIME(like_count) FROM likes_by_post` +
		` WHERE post_id = ? AND bucket = 0 AND (liked_at, user_id) >= (?, ?) AND (liked_at, user_id) < (?, ?)` +
		` ORDER BY liked_at DESC, user_id DESC LIMIT ?`
	selectFeedBuckets  = `SELECT bucket, shard, starts_at, ends_at FROM feed_buckets WHERE feed = 0 LIMIT 18`
	selectFeedByBucket = `SELECT post_id, author_id, username, display_name, title, excerpt, updated_at, version,` +
		` word_count, group_id, comment_count, like_count` +
		` FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id >= ? AND post_id < ?` +
		` ORDER BY post_id DESC LIMIT ?`
)

const (
	listPage   = 20
	feedPage   = 100
	nestedPage = 5
)

// The bounds of all keys.
var (
	firstID gocql.UUID
	lastID  = gocql.UUID(slices.Repeat([]byte{math.MaxUint8}, len(gocql.UUID{})))
	firstAt = time.UnixMilli(-1 << 47)
	lastAt  = time.UnixMilli(1 << 48)
)

func (f *Floor) user(ctx context.Context, query url.Values) (any, error) {
	id, err := idOf(query)
	if err != nil {
		return nil, err
	}
	return f.readUser(ctx, id)
}

func (f *Floor) readUser(ctx context.Context, id gocql.UUID) (user, error) {
	u := user{author: author{ID: id}, CreatedAt: createdAt(id)}
	err := f.session.Query(selectUsersByID, id).WithContext(ctx).Scan(&u.Username, nil, nil, &u.DisplayName, &u.Bio, &u.Version, nil, nil, nil, nil, nil, nil)
	return u, err
}

func (f *Floor) post(ctx context.Context, query url.Values) (any, error) {
	id, err := idOf(query)
	if err != nil {
		return nil, err
	}
	p, by := post{ID: id, CreatedAt: createdAt(id)}, author{}
	err = f.session.Query(selectPostsByID, id).WithContext(ctx).Scan(&by.ID, &p.Title, nil, &p.UpdatedAt, &p.Version, nil, nil, nil,
		nil, &p.Content, nil, nil, &by.Username, nil, &p.CommentCount, nil, &p.LikeCount, nil)
	p.Author = by
	return p, err
}

func (f *Floor) postsOf(ctx context.Context, query url.Values) (any, error) {
	id, err := idOf(query)
	if err != nil {
		return nil, err
	}
	posts := []post{}
	err = each(f.session.Query(selectPostsByAuthor, id, firstID, lastID, listPage+1).WithContext(ctx), func(row gocql.Scanner) error {
		var p post
		by := author{ID: id}
		err := row.Scan(&p.ID, &by.Username, nil, &p.Title, &p.Excerpt, &p.UpdatedAt, &p.Version, nil, nil, nil, nil, &p.CommentCount, &p.LikeCount)
		p.CreatedAt, p.Author = createdAt(p.ID), by
		posts = append(posts, p)
		return err
	})
	return paged(posts, listPage, nil), err
}

func (f *Floor) comments(ctx context.Context, query url.Values) (any, error) {
	id, err := idOf(query)
	if err != nil {
		return nil, err
	}
	comments, total, err := f.readComments(ctx, id, listPage)
	return paged(comments, listPage, &total), err
}

func (f *Floor) readComments(ctx context.Context, post gocql.UUID, limit int) (comments []comment, total int, err error) {
	comments = []comment{}
	err = each(f.session.Query(selectCommentsByPost, post, firstID, lastID, limit+1).WithContext(ctx), func(row gocql.Scanner) error {
		var c comment
		err := row.Scan(&c.ID, &c.Author.ID, &c.Author.Username, nil, &c.Content, &c.UpdatedAt, &c.Version, nil, nil, &total, nil, nil, nil)
		c.CreatedAt = createdAt(c.ID)
		comments = append(comments, c)
		return err
	})
	return comments, total, err
}

func (f *Floor) likes(ctx context.Context, query url.Values) (any, error) {
	id, err := idOf(query)
	if err != nil {
		return nil, err
	}
	likes, total := []like{}, 0
	err = each(f.session.Query(selectLikesByPost, id, firstAt, firstID, lastAt, lastID, listPage+1).WithContext(ctx), func(row gocql.Scanner) error {
		var l like
		var liked bool
		err := row.Scan(&l.CreatedAt, &l.User.ID, &liked, &l.User.Username, nil, &total, nil)
		if liked {
			likes = append(likes, l)
		}
		return err
	})
	return paged(likes, listPage, &total), err
}

func (f *Floor) feed(ctx context.Context, _ url.Values) (any, error) {
	posts, err := f.readFeed(ctx, feedPage)
	return paged(posts, feedPage, nil), err
}

// bucket is a partition of the feed.
type bucket struct {
	name  string
	shard int
}

// readFeed reads buckets from the newest on until the page is full.
func (f *Floor) readFeed(ctx context.Context, limit int) ([]post, error) {
	var buckets []bucket
	err := each(f.session.Query(selectFeedBuckets).WithContext(ctx), func(row gocql.Scanner) error {
		var b bucket
		var starts, ends time.Time
		err := row.Scan(&b.name, &b.shard, &starts, &ends)
		buckets = append(buckets, b)
		return err
	})
	posts := []post{}
	for i := 0; err == nil && i < len(buckets) && len(posts) <= limit; i++ {
		posts, err = f.readBucket(ctx, buckets[i], limit+1-len(posts), posts)
	}
	return posts, err
}

func (f *Floor) readBucket(ctx context.Context, b bucket, limit int, posts []post) ([]post, error) {
	err := each(f.session.Query(selectFeedByBucket, b.name, b.shard, firstID, lastID, limit).WithContext(ctx), func(row gocql.Scanner) error {
		var p post
		var by author
		err := row.Scan(&p.ID, &by.ID, &by.Username, nil, &p.Title, &p.Excerpt, &p.UpdatedAt, &p.Version, nil, nil, &p.CommentCount, &p.LikeCount)
		p.CreatedAt, p.Author = createdAt(p.ID), by
		posts = append(posts, p)
		return err
	})
	return posts, err
}

// nested reads a page of the feed, then its authors, each once, and every post's first
// comments, all at once.
func (f *Floor) nested(ctx context.Context, _ url.Values) (any, error) {
	posts, err := f.readFeed(ctx, listPage)
	if err != nil {
		return nil, err
	}
	found := paged(posts, listPage, nil)
	authors := map[gocql.UUID]*user{}
	g, ctx := errgroup.WithContext(ctx)
	for i := range found.Items {
		p := &found.Items[i]
		g.Go(func() error {
			comments, _, err := f.readComments(ctx, p.ID, nestedPage)
			p.Comments = comments[:min(len(comments), nestedPage)]
			return err
		})
		id := p.Author.(author).ID
		u := authors[id]
		if u == nil {
			u = &user{}
			authors[id] = u
			g.Go(func() (err error) { *u, err = f.readUser(ctx, id); return err })
		}
		p.Author = u
	}
	err = g.Wait()
	return found, err
}

// each visits the rows of one answer.
func each(q *gocql.Query, visit func(gocql.Scanner) error) error {
	scanner := q.Iter().Scanner()
	for scanner.Next() {
		if err := visit(scanner); err != nil {
			return err
		}
	}
	return scanner.Err()
}

// createdAt returns the time that is in an id.
func createdAt(id gocql.UUID) time.Time { return blog.UUID(id).Time() }
