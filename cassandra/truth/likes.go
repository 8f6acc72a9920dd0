package truth

import (
	"context"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Like is a user's claim on a post. One that was never made has no time.
type Like struct {
	Liked   bool
	LikedAt time.Time
}

// Made reports whether there is a claim.
func (t Like) Made() bool { return !t.LikedAt.IsZero() }

// columns returns where a statement puts a claim with the header of its partition.
func (t *Like) columns(above *counted.Header) []any {
	return []any{&t.Liked, &t.LikedAt, &above.Rows, &above.Version, &above.Stamp, &above.Closed}
}

var selectLike = cql.On(blog.LikeClaims,
	`SELECT liked, liked_at, like_count, version, stamp, closed FROM like_claims`+
		` WHERE post_id = ? AND bucket = 0 AND user_id = ?`)

// Likes are the likes of posts, which are counted.
type Likes struct {
	*counted.Partitions[blog.PostID, Like]
	db *cql.Session
}

// NewLikes returns the likes that a table counts.
func NewLikes(c Config, limit *counted.Limit, table counted.Table[blog.PostID, Like]) *Likes {
	return &Likes{counted.New(c.counted(blog.LikeClaims, blog.ErrLikesFull, limit), table), c.DB}
}

// Read reads a claim with the header of its post's likes, which comes with a claim that was made.
func (s *Likes) Read(ctx context.Context, key blog.LikeKey) (t Like, above counted.Header, err error) {
	err = s.db.One(ctx, selectLike.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), t.columns(&above)...)
	t.LikedAt = t.LikedAt.UTC()
	return t, above, cql.AbsentIsZero(err)
}

// ReadSerial is Read at the serial consistency, always with a header.
func (s *Likes) ReadSerial(ctx context.Context, key blog.LikeKey) (t Like, above counted.Header, err error) {
	err = s.db.OneSerial(ctx, selectLike.With(cql.ID(key.Post.UUID), cql.ID(key.User.UUID)), t.columns(&above)...)
	t.LikedAt = t.LikedAt.UTC()
	if err == cql.ErrAbsent {
		above, err = s.HeaderSerial(ctx, key.Post)
	}
	return t, above, err
}

// Stand reports whether a user likes a post that is there.
func (s *Likes) Stands(ctx context.Context, key blog.LikeKey) (bool, error) {
	t, above, err := s.ReadSerial(ctx, key)
	return t.Liked && !above.Closed, err
}

// scanLike reads a claim with the header above it.
func scanLike(row gocql.Scanner) (blog.UUID, Like, counted.Header, error) {
	var user blog.UUID
	var t Like
	var above counted.Header
	err := row.Scan(append([]any{cql.Into(&user)}, t.columns(&above)...)...)
	t.LikedAt = t.LikedAt.UTC()
	return user, t, above, err
}

// LikeTable is where the likes of posts are counted.
func LikeTable(db *cql.Session) *counted.Statements[blog.PostID, Like] {
	return &counted.Statements[blog.PostID, Like]{
		DB: db, Key: postKey, Span: [2]gocql.UUID{cql.FirstID, cql.LastID}, Scan: scanLike,
		Select: cql.On(blog.LikeClaims, `SELECT DISTINCT like_count, version, stamp, closed FROM like_claims`+
			` WHERE post_id = ? AND bucket = 0`),
		Update: cql.On(blog.LikeClaims,
			`UPDATE like_claims SET like_count = ?, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0`+
				` IF version = ? AND like_count = ? AND closed = null`),
		Close: cql.On(blog.LikeClaims,
			`UPDATE like_claims SET closed = true, version = ?, stamp = ? WHERE post_id = ? AND bucket = 0`+
				` IF version = ? AND closed = null`),
		Clear: cql.On(blog.LikeClaims,
			`UPDATE like_claims SET like_count = 0 WHERE post_id = ? AND bucket = 0 IF closed = true`),
		Delete: cql.On(blog.LikeClaims,
			`DELETE FROM like_claims WHERE post_id = ? AND bucket = 0 AND user_id >= ? AND user_id <= ?`),
		Rows: cql.On(blog.LikeClaims,
			`SELECT user_id, liked, liked_at, like_count, version, stamp, closed FROM like_claims`+
				` WHERE post_id = ? AND bucket = 0 AND user_id IN ?`),
	}
}
