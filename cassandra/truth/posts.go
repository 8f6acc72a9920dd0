package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/internal/coalesce"

	"github.com/gocql/gocql"
	lru "github.com/hashicorp/golang-lru/v2"
)

var (
	selectPostTruth = cql.On(blog.PostsByID,
		`SELECT `+tables.Posts.Columns+`, stamp, command_id, recent_commands, deleted_at`+
			` FROM posts_by_id WHERE post_id = ?`)
	selectPostRef = cql.On(blog.PostsByID,
		`SELECT author_id, feed_bucket, feed_shard, group_id, deleted_at FROM posts_by_id WHERE post_id = ?`)
	selectPostRefs = cql.On(blog.PostsByID,
		`SELECT post_id, author_id, feed_bucket, feed_shard, group_id, deleted_at FROM posts_by_id`+
			` WHERE post_id IN ?`)
	insertPost = cql.On(blog.PostsByID,
		`INSERT INTO posts_by_id (`+tables.Posts.Columns+`, stamp, command_id, post_id)`+
			` VALUES (`+tables.Posts.Marks+`, ?, ?, ?) IF NOT EXISTS`)
	updatePost = cql.On(blog.PostsByID, `UPDATE posts_by_id`+
		` SET `+tables.Posts.Set+`, stamp = ?, command_id = ?, recent_commands = ?`+
		` WHERE post_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	deletePost = cql.On(blog.PostsByID, `UPDATE posts_by_id`+
		` SET deleted_at = ?, `+tables.Posts.Voided+`, stamp = ?, command_id = ?`+
		` WHERE post_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	raisePostStamp = cql.On(blog.PostsByID, `UPDATE posts_by_id SET stamp = ? WHERE post_id = ?`+
		` IF version = ? AND stamp = ? AND deleted_at = null`)
)

// Posts are the truths of posts.
type Posts struct {
	edits[blog.PostID, Post, blog.Post]
	refs  *coalesce.Next[blog.PostID, blog.PostRef]
	known *lru.Cache[blog.PostID, blog.PostRef]
}

func newPosts(c Config) *Posts {
	s := &Posts{edits: edits[blog.PostID, Post, blog.Post]{db: c.DB, clock: c.Clock, table: blog.PostsByID}}
	s.read = s.Read
	s.refs = coalesced(c, s.manyRefs)
	s.known, _ = lru.New[blog.PostID, blog.PostRef](maxKnown) // fails for a size below 1 only
	return s
}

// Post is a post with the commands that wrote it last.
type Post struct {
	blog.Post
	By      History
	Deleted bool
}

// Guard is what the next write goes by.
func (t Post) Guard() Guard { return Guard{t.Version, t.Stamp} }

func (t Post) raised(stamp int64) (Post, cql.Bound) {
	write := raisePostStamp.With(stamp, cql.ID(t.ID.UUID), t.Version, t.Stamp)
	t.Stamp = stamp
	return t, write
}

func (t Post) value() blog.Post { return t.Post }

func (t Post) history() History { return t.By }

// Update returns the statement that makes next of a post, under its guard.
func (t Post) Update(next blog.Post, command blog.CommandID) cql.Bound {
	return updatePost.With(tables.Posts.Edit(&next, next.Stamp, cql.ID(command.UUID), t.By.With(command), cql.ID(next.ID.UUID), t.Version, t.Stamp)...)
}

// Read reads the truth of a post. NotFound: there is none, or no more.
func (s *Posts) Read(ctx context.Context, post blog.PostID, read cql.Reader) (Post, error) {
	t := Post{Post: blog.Post{ID: post}}
	var deletedAt time.Time
	err := read(ctx, selectPostTruth.With(cql.ID(post.UUID)),
		tables.Posts.Into(&t.Post, &t.Stamp, cql.Into(&t.By.Last.UUID), &t.By.Recent, &deletedAt)...)
	t.Deleted = !deletedAt.IsZero()
	if err == cql.ErrAbsent || err == nil && (t.Deleted || t.Version == 0) {
		err = blog.ErrNoPost("id")
	}
	return t, err
}

// Ref reads where a post's copies stand. NotFound: there is no such post.
func (s *Posts) Ref(ctx context.Context, post blog.PostID) (blog.PostRef, error) {
	ref, err := s.refs.Do(ctx, post, func(ctx context.Context) (blog.PostRef, error) { return s.oneRef(ctx, post) })
	if err == nil && ref.Author.IsZero() {
		err = blog.ErrNoPost("postId")
	}
	return ref, err
}

// maxKnown is of how many posts a process keeps the reference, and of how many users the account: a few MB.
const maxKnown = 1 << 14

// RefForChange is Ref for a change of the post's comments or likes: a reference never changes, so one that was read
// before will do. That the post still lives is for the partition's header to say, which its deletion closes. It
// returns how to read the reference into ref, or nil where it is there.
func (s *Posts) RefForChange(ctx context.Context, post blog.PostID, ref *blog.PostRef) (read func() error) {
	var known bool
	if *ref, known = s.known.Get(post); known {
		return nil
	}
	return func() error {
		found, err := s.Ref(ctx, post)
		if err == nil {
			*ref = found // else it stays zero: a command that goes on has read no post
			s.known.Add(post, found)
		}
		return err
	}
}

// oneRef returns the zero reference for a post that is deleted or was never made.
func (s *Posts) oneRef(ctx context.Context, post blog.PostID) (blog.PostRef, error) {
	ref := blog.PostRef{ID: post}
	var deletedAt time.Time
	err := s.db.One(ctx, selectPostRef.With(cql.ID(post.UUID)), cql.Into(&ref.Author.UUID), &ref.Feed.Bucket, &ref.Feed.Shard, cql.Into(&ref.Group.UUID), &deletedAt)
	if !deletedAt.IsZero() {
		ref = blog.PostRef{}
	}
	return ref, cql.AbsentIsZero(err)
}

func (s *Posts) manyRefs(ctx context.Context, posts []blog.PostID) (map[blog.PostID]blog.PostRef, error) {
	refs := make(map[blog.PostID]blog.PostRef, len(posts))
	err := s.db.EachOf(ctx, selectPostRefs.With(cql.IDs(posts)), len(posts), func(row gocql.Scanner) error {
		var ref blog.PostRef
		var deletedAt time.Time
		err := row.Scan(cql.Into(&ref.ID.UUID), cql.Into(&ref.Author.UUID), &ref.Feed.Bucket, &ref.Feed.Shard, cql.Into(&ref.Group.UUID), &deletedAt)
		if deletedAt.IsZero() {
			refs[ref.ID] = ref
		}
		return err
	})
	return refs, err
}

// Forget forgets the reference of a post that is deleted.
func (s *Posts) Forget(post blog.PostID) { s.known.Remove(post) }

// Insert writes the truth, and reports whether it was the first. keep is called before each attempt. Where another
// that ran with the same ids was, or an attempt whose answer was lost, that one's row counts; NotFound: it is deleted.
func (s *Posts) Insert(ctx context.Context, p blog.Post, command blog.CommandID, keep func(context.Context) error) (_ blog.Post, first bool, err error) {
	err = cql.Insist(ctx, func(ctx context.Context) error {
		if err := keep(ctx); err != nil {
			return err
		}
		applied, _, err := s.db.CompareAndSet(ctx, insertPost.With(tables.Posts.Values(&p, p.Stamp, cql.ID(command.UUID), cql.ID(p.ID.UUID))...))
		if err != nil || applied {
			first = applied
			return err
		}
		now, err := s.Read(ctx, p.ID, s.db.OneSerial)
		if err != nil {
			return err
		}
		now.Author = p.Author
		p = now.Post
		return nil
	})
	return p, first, err
}

// Delete marks a post as deleted: see [markDeleted].
func (s *Posts) Delete(ctx context.Context, now Post, command blog.CommandID, keep func(context.Context) error) error {
	return markDeleted(ctx, &s.edits, now.ID, now, command, keep)
}

func (t Post) deletion(at time.Time, stamp int64, command blog.CommandID) cql.Bound {
	return deletePost.With(at, stamp, cql.ID(command.UUID), cql.ID(t.ID.UUID), t.Version, t.Stamp)
}

func (t Post) isDeleted() bool { return t.Deleted }
