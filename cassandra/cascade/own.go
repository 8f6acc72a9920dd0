package cascade

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

var (
	walkPosts = cql.On(blog.PostsByAuthor,
		`SELECT post_id, version, feed_bucket, feed_shard FROM posts_by_author`+
			` WHERE author_id = ? AND bucket = 0 AND post_id < ? ORDER BY post_id DESC LIMIT ?`)
	walkComments = cql.On(blog.CommentsByAuthor, `SELECT comment_id, version, post_id FROM comments_by_author`+
		` WHERE author_id = ? AND bucket = 0 AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`)
)

// ownList is a list of what a user wrote, or reacted to.
type ownList struct {
	page  cql.Statement
	first gocql.UUID // before all keys
	read  func(row gocql.Scanner, user blog.UserID) (key blog.UUID, w written, err error)
}

// written is something on such a list: the copies of its user's name, and how it is deleted. A dead row, whose version is
// 0, is nothing.
type written struct {
	names  func(blog.Name) []blog.Copy
	delete func(ctx context.Context, how Deletions, by blog.UserID) error
}

// ownLists has a way for each of [blog.OwnLists]: the program does not start without.
var ownLists = func() (lists []ownList) {
	ways := map[blog.Table]ownList{
		blog.PostsByAuthor:    {walkPosts, cql.LastID, readPost},
		blog.CommentsByAuthor: {walkComments, cql.LastID, readComment},
	}
	for _, k := range blog.ReactionKinds {
		ways[k.ByUser] = ownList{tables.Reactions[k].Walk, cql.FirstID, readReaction(k)}
	}
	for _, table := range blog.OwnLists() {
		way := ways[table]
		if way.read == nil {
			panic(fmt.Sprintf("cascade: %s lists what users wrote, and neither a rename nor an erasure walks it: give it a way in own.go", table))
		}
		lists = append(lists, way)
	}
	return lists
}()

func readPost(row gocql.Scanner, user blog.UserID) (blog.UUID, written, error) {
	ref := blog.PostRef{Author: user}
	var version int
	err := row.Scan(cql.Into(&ref.ID.UUID), &version, &ref.Feed.Bucket, &ref.Feed.Shard)
	if err != nil || version == 0 {
		return ref.ID.UUID, written{}, err
	}
	return ref.ID.UUID, written{
		func(name blog.Name) []blog.Copy { return blog.NameOfPost(ref, name) },
		func(ctx context.Context, how Deletions, by blog.UserID) error { return how.Post(ctx, by, ref.ID) },
	}, nil
}

func readComment(row gocql.Scanner, _ blog.UserID) (blog.UUID, written, error) {
	var key blog.CommentKey
	var version int
	err := row.Scan(cql.Into(&key.Comment.UUID), &version, cql.Into(&key.Post.UUID))
	if err != nil || version == 0 {
		return key.Comment.UUID, written{}, err
	}
	return key.Comment.UUID, written{
		func(name blog.Name) []blog.Copy { return blog.NameOfComment(key, name) },
		func(ctx context.Context, how Deletions, by blog.UserID) error { return how.Comment(ctx, by, key) },
	}, nil
}

func readReaction(of *blog.ReactionKind) func(gocql.Scanner, blog.UserID) (blog.UUID, written, error) {
	return func(row gocql.Scanner, user blog.UserID) (blog.UUID, written, error) {
		key := blog.ReactionKey{Of: of, User: user}
		var at time.Time
		err := row.Scan(cql.Into(&key.Post.UUID), &at)
		if err != nil || at.IsZero() {
			return key.Post.UUID, written{}, err
		}
		return key.Post.UUID, written{
			func(name blog.Name) []blog.Copy { return blog.NameOfReaction(of, key.Post, at, name) },
			func(ctx context.Context, how Deletions, by blog.UserID) error { return how.Reaction(ctx, by, key) },
		}, nil
	}
}
