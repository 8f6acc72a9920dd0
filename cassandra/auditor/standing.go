package auditor

import (
	"context"
	"fmt"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"
	"broadsheet/cassandra/truth"
	"broadsheet/internal/audit"

	"github.com/gocql/gocql"
)

// truthTable is how an audit reads a table of truths: its rows as they are. A count's truth is the header of its
// partition and comes with every row.
type truthTable struct {
	every, one cql.Statement
	read       readTruth
}

func truthTableOf(table blog.Table, columns string, read readTruth) truthTable {
	every, one := tables.TruthReads(table, columns)
	return truthTable{every, one, read}
}

// readTruth takes a row from what a statement of its table answers.
type readTruth func(scan func(...any) error) (audit.TruthRow, error)

// truthTables has the table of each subject: the program does not start without.
var truthTables = func() map[blog.Table]truthTable {
	comments := tables.Comments.Columns + ", comment_count, version, stamp, closed"
	all := map[blog.Table]truthTable{
		blog.UsersByID:      truthTableOf(blog.UsersByID, tables.Users.Columns+", stamp", readUser),
		blog.PostsByID:      postsOf(tables.PostTexts),
		blog.CommentsByPost: truthTableOf(blog.CommentsByPost, comments, readComment),
		blog.GroupsByID:     truthTableOf(blog.GroupsByID, tables.Groups.Columns+", stamp, deleted_at", readGroup),
	}
	for _, k := range blog.ReactionKinds {
		all[k.Table] = truthTableOf(k.Table, tables.OfReaction(k), readReaction(k))
	}
	for _, k := range blog.UniqueKeys {
		all[k.Claims] = truthTableOf(k.Claims, "user_id", readClaim)
	}
	for _, of := range blog.Subjects {
		if all[of.Table].read == nil {
			panic(fmt.Sprintf("auditor: nothing reads the truths of %s: add it in standing.go", of.Table))
		}
	}
	return all
}()

func readUser(scan func(...any) error) (r audit.TruthRow, err error) {
	u := &r.User
	err = scan(tables.Users.Into(u, &u.Stamp, cql.Into(&u.ID.UUID))...)
	r.Key, r.Erased = []any{u.ID}, truth.User{User: *u}.Wiped()
	return r, err
}

// wholePosts is the table of posts with their contents.
var wholePosts = postsOf(tables.Posts)

func postsOf(columns tables.Truth[blog.Post]) truthTable {
	read := func(scan func(...any) error) (r audit.TruthRow, err error) {
		var deletedAt time.Time
		p := &r.Post
		err = scan(columns.Into(p, &p.Stamp, &deletedAt, cql.Into(&p.ID.UUID))...)
		r.Key, r.Ended = []any{p.ID}, !deletedAt.IsZero()
		return r, err
	}
	return truthTableOf(blog.PostsByID, columns.Columns+", stamp, deleted_at", read)
}

func readGroup(scan func(...any) error) (r audit.TruthRow, err error) {
	var deletedAt time.Time
	g := &r.Group
	err = scan(tables.Groups.Into(g, &g.Stamp, &deletedAt, cql.Into(&g.ID.UUID))...)
	g.CreatedAt = g.CreatedAt.UTC()
	r.Key, r.Ended = []any{g.ID}, !deletedAt.IsZero()
	return r, err
}

func readComment(scan func(...any) error) (r audit.TruthRow, err error) {
	err = scan(commentInto(&r)...)
	r.Key = []any{r.Comment.Post, r.Comment.ID}
	return r, err
}

func commentInto(r *audit.TruthRow) []any {
	c := &r.Comment
	return tables.Comments.Into(c, &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, cql.Into(&c.Post.UUID), cql.Into(&c.ID.UUID))
}

func readReaction(k *blog.ReactionKind) readTruth {
	parent := k.Table.Declaration().Partition[0].Type
	return func(scan func(...any) error) (r audit.TruthRow, err error) {
		var to, user blog.UUID
		var at time.Time
		var stands bool
		err = scan(&stands, &at, &r.Head.N, &r.Version, &r.Head.Stamp, &r.Ended, cql.Into(&to), cql.Into(&user))
		r.Reaction = k.By(blog.Author{ID: blog.UserID{UUID: user}}, to, at.UTC(), stands)
		r.Key = []any{parent.ID(to), r.Reaction.User.ID}
		return r, err
	}
}

func readClaim(scan func(...any) error) (r audit.TruthRow, err error) {
	var key string
	err = scan(cql.Into(&r.Owner.UUID), &key)
	r.Key = []any{key}
	return r, err
}

// EachTruth is a method of [audit.Reader]. Before the rows of each counted partition it visits its header.
func (a *reader) EachTruth(ctx context.Context, table blog.Table, part int, whole bool, visit func(audit.TruthRow) error) error {
	of, page := truthTables[table], auditPage
	if whole && table == blog.PostsByID {
		of, page = wholePosts, contentPage
	}
	var last any
	return a.part(ctx, of.every, part, page, func(row gocql.Scanner) error {
		r, err := of.read(row.Scan)
		if err != nil {
			return err
		}
		if table.CountsRows() && r.Key[0] != last {
			last = r.Key[0]
			if err := visit(audit.TruthRow{Key: r.Key[:1], Head: r.Head, Version: r.Version, Ended: r.Ended}); err != nil {
				return err
			}
		}
		if id, isID := blog.IDOf(r.Key[len(r.Key)-1]); isID && id.IsZero() { // a partition without rows
			return nil
		}
		return visit(r)
	})
}

func (t truthReader) True(ctx context.Context, table blog.Table, key ...any) (r audit.TruthRow, err error) {
	of := truthTables[table]
	r, err = patient(ctx, t.auditor, func(ctx context.Context) (audit.TruthRow, error) {
		return of.read(func(into ...any) error { return t.read(ctx, of.one.With(tables.Arguments(key)...), into...) })
	})
	if err != nil {
		return audit.TruthRow{}, cql.AbsentIsZero(err)
	}
	return r, nil
}
