package cascade

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

var (
	walkPosts = cql.On(blog.PostsByAuthor,
		`SELECT post_id, version, feed_bucket, feed_shard, group_id FROM posts_by_author`+
			` WHERE author_id = ? AND bucket = 0 AND post_id < ? ORDER BY post_id DESC LIMIT ?`)
	walkComments = cql.On(blog.CommentsByAuthor,
		`SELECT comment_id, version, post_id, reply_path FROM comments_by_author`+
			` WHERE author_id = ? AND bucket = 0 AND comment_id < ? ORDER BY comment_id DESC LIMIT ?`)
	walkGroups = cql.On(blog.GroupsByOwner, `SELECT group_id, name FROM groups_by_owner`+
		` WHERE owner_id = ? AND bucket = 0 AND group_id > ? ORDER BY group_id ASC LIMIT ?`)
)

// ownList is a list of what a user wrote, or reacted to.
type ownList struct {
	named bool // a rename walks it, too
	page  cql.Statement
	first gocql.UUID    // before all keys
	years cql.Statement // see [job.Walk]
	read  func(row gocql.Scanner, user blog.UserID) (key blog.UUID, w Written, err error)
}

// Written is something on such a list. A dead row, whose version is 0, is nothing: nil.
type Written interface {
	// Names returns the copies of its user's name.
	Names(name blog.Name) []blog.Copy
	// Delete deletes it, on behalf of a user, or of an operator where that is zero.
	Delete(ctx context.Context, how Deletions, by blog.UserID) error
}

type (
	// Post is a post that a user wrote.
	Post struct{ blog.PostRef }
	// Comment is a comment that a user wrote.
	Comment struct {
		blog.CommentKey
		Path blog.Path
	}
	// Group is a group that a user made.
	Group struct{ blog.GroupID }
	// Reaction is a user's reaction, first given at a time.
	Reaction struct {
		blog.ReactionKey
		At time.Time
	}
)

// ownLists has a way for each of [blog.OwnLists]: the program does not start without.
var ownLists = func() (lists []ownList) {
	ways := map[blog.Table]ownList{
		blog.PostsByAuthor:    {named: true, page: walkPosts, first: cql.LastID, read: readPost},
		blog.CommentsByAuthor: {named: true, page: walkComments, first: cql.LastID, read: readComment},
		blog.GroupsByOwner:    {page: walkGroups, first: cql.FirstID, read: readGroup},
	}
	for _, k := range blog.ReactionKinds {
		st := tables.Reactions[k]
		ways[k.ByUser] = ownList{named: k.ByUser.Named(), page: st.Walk, first: cql.FirstID, years: st.WalkYear, read: readReaction(k)}
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

// walks goes through all that a user wrote, or what names stand beside: each has what follows from one thing.
func walks(user blog.UserID, named bool, most int, each func(Written) ([]blog.Copy, func(context.Context) error)) (lists []job.Walk) {
	for _, list := range ownLists {
		if named && !list.named {
			continue
		}
		row := func(row gocql.Scanner) (key blog.UUID, copies []blog.Copy, do func(context.Context) error, err error) {
			key, w, err := list.read(row, user)
			if err == nil && w != nil {
				copies, do = each(w)
			}
			return key, copies, do, err
		}
		lists = append(lists, job.Walk{Page: list.page, Of: cql.ID(user.UUID), First: list.first, Most: most, Years: list.years, Row: row})
	}
	return lists
}

func readPost(row gocql.Scanner, user blog.UserID) (blog.UUID, Written, error) {
	p := Post{blog.PostRef{Author: user}}
	var version int
	err := row.Scan(cql.Into(&p.ID.UUID), &version, &p.Feed.Bucket, &p.Feed.Shard, cql.Into(&p.Group.UUID))
	if err != nil || version == 0 {
		return p.ID.UUID, nil, err
	}
	return p.ID.UUID, p, nil
}

// Names is a method of [Written].
func (p Post) Names(name blog.Name) []blog.Copy { return blog.NameOfPost(p.PostRef, name) }

// Delete is a method of [Written].
func (p Post) Delete(ctx context.Context, how Deletions, by blog.UserID) error {
	return how.Post(ctx, by, p.ID)
}

func readComment(row gocql.Scanner, _ blog.UserID) (blog.UUID, Written, error) {
	var c Comment
	var version int
	err := row.Scan(cql.Into(&c.Comment.UUID), &version, cql.Into(&c.Post.UUID), (*string)(&c.Path))
	if err != nil || version == 0 {
		return c.Comment.UUID, nil, err
	}
	return c.Comment.UUID, c, nil
}

// Names is a method of [Written].
func (c Comment) Names(name blog.Name) []blog.Copy {
	return blog.NameOfComment(blog.Comment{Post: c.Post, ID: c.CommentKey.Comment, Path: c.Path}, name)
}

// Delete is a method of [Written].
func (c Comment) Delete(ctx context.Context, how Deletions, by blog.UserID) error {
	return how.Comment(ctx, by, c.CommentKey)
}

func readGroup(row gocql.Scanner, _ blog.UserID) (blog.UUID, Written, error) {
	var g Group
	var name string
	err := row.Scan(cql.Into(&g.UUID), &name)
	if err != nil || name == "" {
		return g.UUID, nil, err
	}
	return g.UUID, g, nil
}

// Names is a method of [Written]: no name stands beside a group.
func (g Group) Names(blog.Name) []blog.Copy { return nil }

// Delete is a method of [Written].
func (g Group) Delete(ctx context.Context, how Deletions, by blog.UserID) error {
	return how.Group(ctx, by, g.GroupID)
}

func readReaction(of *blog.ReactionKind) func(gocql.Scanner, blog.UserID) (blog.UUID, Written, error) {
	return func(row gocql.Scanner, user blog.UserID) (blog.UUID, Written, error) {
		r := Reaction{ReactionKey: blog.ReactionKey{Of: of, User: user}}
		err := row.Scan(cql.Into(&r.To), &r.At)
		if err != nil || r.At.IsZero() {
			return r.To, nil, err
		}
		return r.To, r, nil
	}
}

// Names is a method of [Written].
func (r Reaction) Names(name blog.Name) []blog.Copy {
	return blog.NameOfReaction(r.Of, r.To, r.At, name)
}

// Delete is a method of [Written].
func (r Reaction) Delete(ctx context.Context, how Deletions, by blog.UserID) error {
	return how.Reaction(ctx, by, r.ReactionKey)
}

// Deletions delete what an account wrote, on behalf of a user; zero: an operator. What is gone already is no error.
type Deletions interface {
	Post(ctx context.Context, by blog.UserID, post blog.PostID) error
	Comment(ctx context.Context, by blog.UserID, comment blog.CommentKey) error
	Reaction(ctx context.Context, by blog.UserID, reaction blog.ReactionKey) error
	Group(ctx context.Context, by blog.UserID, group blog.GroupID) error

	// Account continues an erasure that is in the truth and that no intent names any more.
	Account(ctx context.Context, user blog.UserID) error
}

// Erase deletes all that a user's own lists name. It runs after the erasure is in the user's truth: a row that is
// written meanwhile is either met here or deleted by its writer, which reads the account once more. [cql.ErrHeld]: it
// is being done.
func Erase(ctx context.Context, jobs *job.Runner, deletions Deletions, user, by blog.UserID) error {
	lists := walks(user, false, job.MostSteps, func(w Written) ([]blog.Copy, func(context.Context) error) {
		return nil, func(ctx context.Context) error { return w.Delete(ctx, deletions, by) }
	})
	return jobs.Run(ctx, job.Job{Kind: blog.EraseJob, Of: user.String(), Account: user, Lists: lists})
}
