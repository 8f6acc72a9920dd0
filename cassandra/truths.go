package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// The truths as commands read and write them. Every cell named in a conditional
// statement here is written by conditional statements only: those carry the time
// of their ballot, and a copy that one of them wrote could never be corrected by a
// write at an older stamp.
var (
	selectUserTruth = cql.On(blog.UsersByID, `SELECT subject, username, email, display_name, bio, version, stamp, command_id, recent_commands FROM users_by_id WHERE user_id = ?`)
	selectUserName  = cql.On(blog.UsersByID, `SELECT username, stamp FROM users_by_id WHERE user_id = ?`)
	selectUserNames = cql.On(blog.UsersByID, `SELECT user_id, username, stamp FROM users_by_id WHERE user_id IN ?`)
	insertUser      = cql.On(blog.UsersByID, `INSERT INTO users_by_id (user_id, subject, username, email, display_name, bio, version, stamp, command_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS`)
	updateUser      = cql.On(blog.UsersByID, `UPDATE users_by_id SET username = ?, email = ?, display_name = ?, bio = ?, version = ?, stamp = ?, command_id = ?, recent_commands = ? WHERE user_id = ? IF version = ? AND stamp = ?`)
	fenceUser       = cql.On(blog.UsersByID, `INSERT INTO users_by_id (user_id, version, stamp, command_id) VALUES (?, ?, ?, ?) IF NOT EXISTS`)
	fenceUserAgain  = cql.On(blog.UsersByID, `UPDATE users_by_id SET version = ?, stamp = ?, command_id = ? WHERE user_id = ? IF username = null AND version = ? AND stamp = ?`)
	fillPlaceholder = cql.On(blog.UsersByID, `UPDATE users_by_id SET subject = ?, username = ?, email = ?, display_name = ?, bio = ?, version = ?, stamp = ?, command_id = ? WHERE user_id = ? IF username = null AND version = ? AND stamp = ?`)
	raiseUserStamp  = cql.On(blog.UsersByID, `UPDATE users_by_id SET stamp = ? WHERE user_id = ? IF version = ? AND stamp = ?`)

	selectPostTruth = cql.On(blog.PostsByID, `SELECT author_id, title, excerpt, content, updated_at, version, stamp, feed_bucket, feed_shard, command_id, recent_commands, deleted_at FROM posts_by_id WHERE post_id = ?`)
	selectPostRef   = cql.On(blog.PostsByID, `SELECT author_id, feed_bucket, feed_shard, deleted_at FROM posts_by_id WHERE post_id = ?`)
	selectPostRefs  = cql.On(blog.PostsByID, `SELECT post_id, author_id, feed_bucket, feed_shard, deleted_at FROM posts_by_id WHERE post_id IN ?`)
	insertPost      = cql.On(blog.PostsByID, `INSERT INTO posts_by_id (post_id, author_id, title, excerpt, content, updated_at, version, stamp, feed_bucket, feed_shard, command_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS`)
	updatePost      = cql.On(blog.PostsByID, `UPDATE posts_by_id SET title = ?, excerpt = ?, content = ?, updated_at = ?, version = ?, stamp = ?, command_id = ?, recent_commands = ? WHERE post_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	deletePost      = cql.On(blog.PostsByID, `UPDATE posts_by_id SET deleted_at = ?, title = null, excerpt = null, content = null, stamp = ?, command_id = ? WHERE post_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
	raisePostStamp  = cql.On(blog.PostsByID, `UPDATE posts_by_id SET stamp = ? WHERE post_id = ? IF version = ? AND stamp = ? AND deleted_at = null`)
)

// guard is what conditional writes of a truth go by.
type guard struct {
	version int
	stamp   int64
}

// userTruth is a user with the commands that wrote it last.
type userTruth struct {
	blog.User
	by history
}

func (t userTruth) guard() guard { return guard{t.Version, t.Stamp} }

// userTruth reads the truth of an actor. Forbidden: it has no account.
func (s *Store) userTruth(ctx context.Context, user blog.UserID, read cql.Reader) (userTruth, error) {
	t := userTruth{User: blog.User{ID: user}}
	err := read(ctx, selectUserTruth.With(cql.ID(user.UUID)), &t.Subject, &t.Username, &t.Email, &t.DisplayName,
		&t.Bio, &t.Version, &t.Stamp, cql.Into(&t.by.last.UUID), &t.by.recent)
	if err == cql.ErrAbsent || err == nil && t.Username == "" {
		err = blog.ErrNoAccount()
	}
	return t, err
}

// userName reads what copies hold of a user. Forbidden: it has no account.
func (s *Store) userName(ctx context.Context, user blog.UserID) (blog.Name, error) {
	name, err := s.names.Do(ctx, user, s.nameOf(user))
	if err == nil && name.Username == "" {
		err = blog.ErrNoAccount()
	}
	return name, err
}

// nameOf reads one name.
func (s *Store) nameOf(user blog.UserID) func(context.Context) (blog.Name, error) {
	return func(ctx context.Context) (blog.Name, error) {
		name := blog.Name{User: user}
		err := s.db.One(ctx, selectUserName.With(cql.ID(user.UUID)), &name.Username, &name.Stamp)
		return name, cql.AbsentIsZero(err)
	}
}

// manyNames reads the names of some users in one statement.
func (s *Store) manyNames(ctx context.Context, users []blog.UserID) (map[blog.UserID]blog.Name, error) {
	keys := make([]gocql.UUID, len(users))
	names := make(map[blog.UserID]blog.Name, len(users))
	for i, user := range users {
		keys[i] = cql.ID(user.UUID)
		names[user] = blog.Name{User: user}
	}
	err := s.db.EachOf(ctx, selectUserNames.With(keys), len(keys), func(row gocql.Scanner) error {
		var name blog.Name
		err := row.Scan(cql.Into(&name.User.UUID), &name.Username, &name.Stamp)
		names[name.User] = name
		return err
	})
	return names, err
}

// postTruth is a post with the commands that wrote it last.
type postTruth struct {
	blog.Post
	by      history
	deleted bool
}

func (t postTruth) guard() guard { return guard{t.Version, t.Stamp} }

// postTruth reads the truth of a post. NotFound: there is none, or no more.
func (s *Store) postTruth(ctx context.Context, post blog.PostID, read cql.Reader) (postTruth, error) {
	t := postTruth{Post: blog.Post{ID: post}}
	var deletedAt time.Time
	err := read(ctx, selectPostTruth.With(cql.ID(post.UUID)), cql.Into(&t.Author.ID.UUID), &t.Title, &t.Excerpt, &t.Content,
		&t.UpdatedAt, &t.Version, &t.Stamp, &t.Feed.Bucket, &t.Feed.Shard, cql.Into(&t.by.last.UUID), &t.by.recent, &deletedAt)
	t.deleted = !deletedAt.IsZero()
	if err == cql.ErrAbsent || err == nil && (t.deleted || t.Version == 0) {
		err = blog.ErrNoPost("id")
	}
	return t, err
}

// postRef reads where a post's copies stand. NotFound: there is no such post.
func (s *Store) postRef(ctx context.Context, post blog.PostID) (blog.PostRef, error) {
	ref, err := s.refs.Do(ctx, post, func(ctx context.Context) (blog.PostRef, error) { return s.oneRef(ctx, post) })
	if err == nil && ref.Author.IsZero() {
		err = blog.ErrNoPost("postId")
	}
	return ref, err
}

// maxKnownRefs is of how many posts a process keeps the reference: a few MB.
const maxKnownRefs = 1 << 14

// refForChange is postRef for a change of the post's comments or likes: a reference never
// changes, so one that was read before will do. That the post still lives is for the
// partition's header to say, which its deletion closes. It returns how to read the reference
// into ref, or nil where it is there.
func (s *Store) refForChange(ctx context.Context, post blog.PostID, ref *blog.PostRef) (read func() error) {
	var known bool
	if *ref, known = s.knownRefs.Get(post); known {
		return nil
	}
	return func() (err error) {
		if *ref, err = s.postRef(ctx, post); err == nil {
			s.knownRefs.Add(post, *ref)
		}
		return err
	}
}

// oneRef returns the zero reference for a post that is deleted or was never made.
func (s *Store) oneRef(ctx context.Context, post blog.PostID) (blog.PostRef, error) {
	ref := blog.PostRef{ID: post}
	var deletedAt time.Time
	err := s.db.One(ctx, selectPostRef.With(cql.ID(post.UUID)), cql.Into(&ref.Author.UUID), &ref.Feed.Bucket, &ref.Feed.Shard, &deletedAt)
	if !deletedAt.IsZero() {
		ref = blog.PostRef{}
	}
	return ref, cql.AbsentIsZero(err)
}

// manyRefs reads the references of some posts in one statement.
func (s *Store) manyRefs(ctx context.Context, posts []blog.PostID) (map[blog.PostID]blog.PostRef, error) {
	keys := make([]gocql.UUID, len(posts))
	for i, post := range posts {
		keys[i] = cql.ID(post.UUID)
	}
	refs := make(map[blog.PostID]blog.PostRef, len(posts))
	err := s.db.EachOf(ctx, selectPostRefs.With(keys), len(keys), func(row gocql.Scanner) error {
		var ref blog.PostRef
		var deletedAt time.Time
		err := row.Scan(cql.Into(&ref.ID.UUID), cql.Into(&ref.Author.UUID), &ref.Feed.Bucket, &ref.Feed.Shard, &deletedAt)
		if deletedAt.IsZero() {
			refs[ref.ID] = ref
		}
		return err
	})
	return refs, err
}

// startCommand starts a command, which end ends. Its context ends with the caller's deadline but
// not when the caller goes away, for a command that is half done must be finished.
// Unavailable: this server's clock is too far off for the ids and stamps that it would make.
func (s *Store) startCommand(ctx context.Context) (own context.Context, end context.CancelFunc, err error) {
	if err := s.clocks.Right(ctx); err != nil {
		return nil, nil, err
	}
	deadline := time.Now().Add(s.deadline)
	if callers, ok := ctx.Deadline(); ok && callers.Before(deadline) {
		deadline = callers
	}
	own, end = context.WithDeadline(context.WithoutCancel(ctx), deadline)
	return own, end, nil
}
