package floor

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
	"golang.org/x/sync/errgroup"
)

// The statements of a comment and of a like are the store's too: an intent beside what
// has to be read, a conditional batch, and a batch of copies. The intent is written as
// done, for no server is to finish what this process leaves behind.
const (
	insertIntent = `INSERT INTO journal (minute, shard, command_id, kind, intent, done) VALUES (?, ?, ?, ?, ?, true)`
	selectName   = `SELECT username, stamp FROM users_by_id WHERE user_id = ?`
	selectPlace  = `SELECT author_id, feed_bucket, feed_shard FROM posts_by_id WHERE post_id = ?`

	selectCommentHead = `SELECT DISTINCT comment_count, version, stamp FROM comments_by_post` +
		` WHERE post_id = ? AND bucket = 0`
	updateCommentHead = `UPDATE comments_by_post SET comment_count = ?, version = ?, stamp = ?` +
		` WHERE post_id = ? AND bucket = 0 IF version = ? AND comment_count = ? AND closed = null`
	insertComment = `INSERT INTO comments_by_post (post_id, bucket, comment_id, author_id, content,` +
		` updated_at, edits)` +
		` VALUES (?, 0, ?, ?, ?, ?, ?) IF NOT EXISTS`
	selectLikeHead = `SELECT DISTINCT like_count, version, stamp FROM like_claims WHERE post_id = ? AND bucket = 0`
	updateLikeHead = `UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0` +
		` IF version = ? AND like_count = ? AND closed = null`
	selectClaim = `SELECT liked_at FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id = ?`
	firstLike   = `UPDATE like_claims SET liked = true, liked_at = ?` +
		` WHERE post_id = ? AND bucket = 0 AND user_id = ? IF liked = null`

	copyCommentName = `UPDATE comments_by_post USING TIMESTAMP ? SET username = ?` +
		` WHERE post_id = ? AND bucket = 0 AND comment_id = ?`
	copyAuthorComment = `UPDATE comments_by_author USING TIMESTAMP ?` +
		` SET post_id = ?, content = ?, updated_at = ?, version = ?` +
		` WHERE author_id = ? AND bucket = 0 AND comment_id = ?`
	copyAuthorName = `UPDATE comments_by_author USING TIMESTAMP ? SET username = ?` +
		` WHERE author_id = ? AND bucket = 0`
	copyPostAuthorComment = `UPDATE comments_by_post_and_author USING TIMESTAMP ?` +
		` SET content = ?, updated_at = ?, version = ?` +
		` WHERE post_id = ? AND bucket = 0 AND author_id = ? AND comment_id = ?`
	copyPostAuthorName = `UPDATE comments_by_post_and_author USING TIMESTAMP ? SET username = ?` +
		` WHERE post_id = ? AND bucket = 0 AND author_id = ? AND comment_id = ?`
	copyThread = `UPDATE comments_by_thread USING TIMESTAMP ?` +
		` SET author_id = ?, parent_id = ?, content = ?, updated_at = ?, version = ?` +
		` WHERE post_id = ? AND bucket = 0 AND path = ?`
	copyThreadName = `UPDATE comments_by_thread USING TIMESTAMP ? SET username = ?` +
		` WHERE post_id = ? AND bucket = 0 AND path = ?`
	copyLike = `UPDATE likes_by_post USING TIMESTAMP ? SET liked = ?` +
		` WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`
	copyLikeName = `UPDATE likes_by_post USING TIMESTAMP ? SET username = ?` +
		` WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`
	copyLikesHead = `UPDATE likes_by_post USING TIMESTAMP ? SET like_count = ? WHERE post_id = ? AND bucket = 0`
	copyUserLike  = `UPDATE likes_by_user USING TIMESTAMP ? SET liked_at = ?` +
		` WHERE user_id = ? AND bucket = 0 AND post_id = ?`
	copyUserLikeAt = `UPDATE likes_by_user_and_time USING TIMESTAMP ? SET liked = ?` +
		` WHERE user_id = ? AND bucket = 0 AND liked_at = ? AND post_id = ?`
)

// copyCommentCount and copyLikeCount are the three places of a post's count.
var (
	copyCommentCount = [3]string{
		`UPDATE posts_by_id USING TIMESTAMP ? SET comment_count = ? WHERE post_id = ?`,
		`UPDATE posts_by_author USING TIMESTAMP ? SET comment_count = ?` +
			` WHERE author_id = ? AND bucket = 0 AND post_id = ?`,
		`UPDATE feed_by_bucket USING TIMESTAMP ? SET comment_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`,
	}
	copyLikeCount = [3]string{
		`UPDATE posts_by_id USING TIMESTAMP ? SET like_count = ? WHERE post_id = ?`,
		`UPDATE posts_by_author USING TIMESTAMP ? SET like_count = ?` +
			` WHERE author_id = ? AND bucket = 0 AND post_id = ?`,
		`UPDATE feed_by_bucket USING TIMESTAMP ? SET like_count = ? WHERE bucket = ? AND shard = ? AND post_id = ?`,
	}
)

// change is a command under way, with what was read for it.
type change struct {
	floor      *Floor
	post, user gocql.UUID

	username  string
	nameStamp int64
	author    gocql.UUID // of the post
	bucket    string
	shard     int
	count     int
	version   int64
	stamp     int64
}

// begin writes the intent and reads what the change goes by, at once.
func (f *Floor) begin(ctx context.Context, query url.Values, kind, head string, more func(context.Context, *change) error) (*change, error) {
	post, perr := blog.ParseUUID(query.Get("post"))
	user, uerr := blog.ParseUUID(query.Get("user"))
	if perr != nil || uerr != nil {
		return nil, errNoID
	}
	c := &change{floor: f, post: gocql.UUID(post), user: gocql.UUID(user)}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.intend(ctx, kind) })
	g.Go(func() error {
		return f.session.Query(selectName, c.user).WithContext(ctx).Scan(&c.username, &c.nameStamp)
	})
	g.Go(func() error {
		return f.session.Query(selectPlace, c.post).WithContext(ctx).Scan(&c.author, &c.bucket, &c.shard)
	})
	g.Go(func() error { return c.readHead(ctx, head) })
	g.Go(func() error { return more(ctx, c) })
	err := g.Wait()
	return c, err
}

func (c *change) intend(ctx context.Context, kind string) error {
	command := c.floor.ids.Command()
	text, err := json.Marshal(map[string]any{"command": command, "actor": blog.UUID(c.user), "post": blog.UUID(c.post)})
	if err != nil {
		return err
	}
	minute, shard := command.Time().Truncate(time.Minute), int(command.UUID[15])%journalShards
	return c.floor.session.Query(insertIntent, minute, shard, gocql.UUID(command.UUID), kind, string(text)).WithContext(ctx).Exec()
}

const journalShards = 8

func (c *change) readHead(ctx context.Context, head string) error {
	err := c.floor.session.Query(head, c.post).WithContext(ctx).Scan(&c.count, &c.version, &c.stamp)
	if err == gocql.ErrNotFound {
		return nil // nothing was written there yet
	}
	return err
}

// commit makes the conditional batch, and makes it again as long as another one comes
// first. Refused below a head that has not moved, the row itself stands: another request makes
// the same like at once.
func (c *change) commit(ctx context.Context, read, update, row string, args ...any) error {
	for {
		stamp := max(time.Now().UnixMicro(), c.stamp+1)
		var version, count any
		if c.version > 0 {
			version, count = c.version, c.count
		}
		batch := c.floor.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
		batch.Query(update, c.count+1, c.version+1, stamp, c.post, version, count)
		batch.Query(row, args...)
		applied, iter, err := c.floor.session.MapExecuteBatchCAS(batch, map[string]any{})
		if iter != nil {
			_ = iter.Close()
		}
		if err != nil {
			return err
		}
		if applied {
			c.count, c.version, c.stamp = c.count+1, c.version+1, stamp
			return nil
		}
		select {
		case <-time.After(rand.N(5 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
		tried := c.version
		if err := c.readHead(ctx, read); err != nil || c.version == tried {
			return err
		}
	}
}

// copies begins the batch of copies with the post's count.
func (c *change) copies(ctx context.Context, count [3]string) *gocql.Batch {
	batch := c.floor.session.NewBatch(gocql.UnloggedBatch).WithContext(ctx).DefaultTimestamp(false)
	batch.Query(count[0], c.stamp, c.count, c.post)
	batch.Query(count[1], c.stamp, c.count, c.author, c.post)
	batch.Query(count[2], c.stamp, c.count, c.bucket, c.shard, c.post)
	return batch
}

func (f *Floor) createComment(ctx context.Context, query url.Values) (any, error) {
	made, content := f.ids.Comment(), query.Get("content")
	key, at := gocql.UUID(made.UUID), made.Time()
	c, err := f.begin(ctx, query, "createComment", selectCommentHead, func(context.Context, *change) error { return nil })
	if err != nil {
		return nil, err
	}
	if err := c.commit(ctx, selectCommentHead, updateCommentHead, insertComment, c.post, key, c.user, content, at, 1); err != nil {
		return nil, err
	}
	batch := c.copies(ctx, copyCommentCount)
	batch.Query(copyCommentName, c.nameStamp, c.username, c.post, key)
	batch.Query(copyAuthorComment, c.stamp, c.post, content, at, 1, c.user, key)
	batch.Query(copyAuthorName, c.nameStamp, c.username, c.user)
	batch.Query(copyPostAuthorComment, c.stamp, content, at, 1, c.post, c.user, key)
	batch.Query(copyPostAuthorName, c.nameStamp, c.username, c.post, c.user, key)
	path := []byte(blog.PathOf(made))
	batch.Query(copyThread, c.stamp, c.user, gocql.UUID{}, content, at, 1, c.post, path)
	batch.Query(copyThreadName, c.nameStamp, c.username, c.post, path)
	return counted{ID: key, Count: c.count}, f.session.ExecuteBatch(batch)
}

func (f *Floor) likePost(ctx context.Context, query url.Values) (any, error) {
	var at time.Time
	c, err := f.begin(ctx, query, "likePost", selectLikeHead, func(ctx context.Context, c *change) error {
		err := f.session.Query(selectClaim, c.post, c.user).WithContext(ctx).Scan(&at)
		if err == gocql.ErrNotFound {
			return nil
		}
		return err
	})
	if err == nil && at.IsZero() {
		at = blog.Millisecond(time.Now())
		err = c.commit(ctx, selectLikeHead, updateLikeHead, firstLike, at, c.post, c.user)
	}
	if err != nil {
		return nil, err
	}
	batch := c.copies(ctx, copyLikeCount)
	batch.Query(copyLike, c.stamp, true, c.post, at, c.user)
	batch.Query(copyLikeName, c.nameStamp, c.username, c.post, at, c.user)
	batch.Query(copyLikesHead, c.stamp, c.count, c.post)
	batch.Query(copyUserLike, c.stamp, at, c.user, c.post)
	batch.Query(copyUserLikeAt, c.stamp, true, c.user, at, c.post)
	return counted{ID: c.user, Count: c.count}, f.session.ExecuteBatch(batch)
}

// counted is the answer to a command: what was made, and the post's count.
type counted struct {
	ID    gocql.UUID `json:"id"`
	Count int        `json:"count"`
}
