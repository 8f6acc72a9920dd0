package cassandra

import (
	"context"
	"slices"
	"time"

	"broadsheet/audit"
	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// copyTables holds, for each table that has copies, the statements that read them: a
// row's key, then the columns of each of the table's groups, in the order of
// blog.Groups. A test holds them to that.
var copyTables = []copyTable{
	{
		scan: cql.On(blog.UsersByUsername, `SELECT username_key, user_id, username, subject, email, display_name, bio, version FROM users_by_username WHERE token(username_key) > ? AND token(username_key) <= ?`),
		row:  cql.On(blog.UsersByUsername, `SELECT username_key, user_id, username, subject, email, display_name, bio, version, WRITETIME(username), WRITETIME(subject), WRITETIME(email), WRITETIME(display_name), WRITETIME(bio), WRITETIME(version) FROM users_by_username WHERE username_key = ? AND user_id = ?`),
	},
	{
		scan: cql.On(blog.UsersByEmail, `SELECT email_key, user_id, username, subject, email, display_name, bio, version FROM users_by_email WHERE token(email_key) > ? AND token(email_key) <= ?`),
		row:  cql.On(blog.UsersByEmail, `SELECT email_key, user_id, username, subject, email, display_name, bio, version, WRITETIME(username), WRITETIME(subject), WRITETIME(email), WRITETIME(display_name), WRITETIME(bio), WRITETIME(version) FROM users_by_email WHERE email_key = ? AND user_id = ?`),
	},
	{
		scan: cql.On(blog.UsersBySubject, `SELECT subject_key, user_id, username, subject, email, display_name, bio, version FROM users_by_subject WHERE token(subject_key) > ? AND token(subject_key) <= ?`),
		row:  cql.On(blog.UsersBySubject, `SELECT subject_key, user_id, username, subject, email, display_name, bio, version, WRITETIME(username), WRITETIME(subject), WRITETIME(email), WRITETIME(display_name), WRITETIME(bio), WRITETIME(version) FROM users_by_subject WHERE subject_key = ? AND user_id = ?`),
	},
	{
		scan: cql.On(blog.PostsByID, `SELECT post_id, username, comment_count, like_count, deleted_at FROM posts_by_id WHERE token(post_id) > ? AND token(post_id) <= ?`),
		row:  cql.On(blog.PostsByID, `SELECT post_id, username, comment_count, like_count, deleted_at, WRITETIME(username), WRITETIME(comment_count), WRITETIME(like_count) FROM posts_by_id WHERE post_id = ?`),
		gone: "deleted_at",
	},
	{
		scan: cql.On(blog.PostsByAuthor, `SELECT author_id, post_id, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count, username FROM posts_by_author WHERE token(author_id, bucket) > ? AND token(author_id, bucket) <= ?`),
		row:  cql.On(blog.PostsByAuthor, `SELECT author_id, post_id, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count, username, WRITETIME(title), WRITETIME(excerpt), WRITETIME(updated_at), WRITETIME(version), WRITETIME(feed_bucket), WRITETIME(feed_shard), WRITETIME(comment_count), WRITETIME(like_count), WRITETIME(username) FROM posts_by_author WHERE author_id = ? AND bucket = 0 AND post_id = ?`),
		head: cql.On(blog.PostsByAuthor, `SELECT author_id, post_id, username, WRITETIME(username) FROM posts_by_author WHERE author_id = ? AND bucket = 0 LIMIT 1`),
	},
	{
		scan: cql.On(blog.FeedByBucket, `SELECT bucket, shard, post_id, author_id, title, excerpt, updated_at, version, username, comment_count, like_count FROM feed_by_bucket WHERE token(bucket, shard) > ? AND token(bucket, shard) <= ?`),
		row:  cql.On(blog.FeedByBucket, `SELECT bucket, shard, post_id, author_id, title, excerpt, updated_at, version, username, comment_count, like_count, WRITETIME(author_id), WRITETIME(title), WRITETIME(excerpt), WRITETIME(updated_at), WRITETIME(version), WRITETIME(username), WRITETIME(comment_count), WRITETIME(like_count) FROM feed_by_bucket WHERE bucket = ? AND shard = ? AND post_id = ?`),
	},
	{
		scan: cql.On(blog.CommentsByPost, `SELECT post_id, comment_id, username, closed, edits FROM comments_by_post WHERE token(post_id, bucket) > ? AND token(post_id, bucket) <= ?`),
		row:  cql.On(blog.CommentsByPost, `SELECT post_id, comment_id, username, closed, edits, WRITETIME(username) FROM comments_by_post WHERE post_id = ? AND bucket = 0 AND comment_id = ?`),
		gone: "closed",
		dead: "edits",
	},
	{
		scan: cql.On(blog.CommentsByAuthor, `SELECT author_id, comment_id, post_id, content, updated_at, version, username FROM comments_by_author WHERE token(author_id, bucket) > ? AND token(author_id, bucket) <= ?`),
		row:  cql.On(blog.CommentsByAuthor, `SELECT author_id, comment_id, post_id, content, updated_at, version, username, WRITETIME(post_id), WRITETIME(content), WRITETIME(updated_at), WRITETIME(version), WRITETIME(username) FROM comments_by_author WHERE author_id = ? AND bucket = 0 AND comment_id = ?`),
		head: cql.On(blog.CommentsByAuthor, `SELECT author_id, comment_id, username, WRITETIME(username) FROM comments_by_author WHERE author_id = ? AND bucket = 0 LIMIT 1`),
	},
	{
		scan: cql.On(blog.LikesByPost, `SELECT post_id, liked_at, user_id, liked, username, like_count FROM likes_by_post WHERE token(post_id, bucket) > ? AND token(post_id, bucket) <= ?`),
		row:  cql.On(blog.LikesByPost, `SELECT post_id, liked_at, user_id, liked, username, like_count, WRITETIME(liked), WRITETIME(username), WRITETIME(like_count) FROM likes_by_post WHERE post_id = ? AND bucket = 0 AND liked_at = ? AND user_id = ?`),
		head: cql.On(blog.LikesByPost, `SELECT post_id, liked_at, user_id, like_count, WRITETIME(like_count) FROM likes_by_post WHERE post_id = ? AND bucket = 0 LIMIT 1`),
	},
	{
		scan: cql.On(blog.LikesByUser, `SELECT user_id, post_id, liked_at FROM likes_by_user WHERE token(user_id, bucket) > ? AND token(user_id, bucket) <= ?`),
		row:  cql.On(blog.LikesByUser, `SELECT user_id, post_id, liked_at, WRITETIME(liked_at) FROM likes_by_user WHERE user_id = ? AND bucket = 0 AND post_id = ?`),
	},
}

// copyTable reads one table.
type copyTable struct {
	scan cql.Statement // rows of a range of tokens
	row  cql.Statement // a row, and at its end the write time of each column
	head cql.Statement // what stands above the rows of a partition, and its first row's key; not every table has such
	gone column        // read after the groups: where it is neither null nor false the row is about to go
	dead column        // read after it, before the write times: 0 in a row that is dead
}

func copyTableOf(table blog.Table) copyTable {
	return copyTables[slices.IndexFunc(copyTables, func(t copyTable) bool { return t.scan.Table == table })]
}

// EachRow is a method of blog.Audit.
func (a *auditReader) EachRow(ctx context.Context, table blog.Table, part int, visit func(audit.Row) error) error {
	t := copyTableOf(table)
	r := newRowReader(table, scanned(table), t.gone, t.dead, false)
	return a.part(ctx, t.scan, part, func(row gocql.Scanner) error {
		if err := row.Scan(r.order...); err != nil {
			return err
		}
		found := r.row()
		if len(found.Key) < len(r.key) && len(found.Cells) == 0 {
			return nil // a partition without rows, and with nothing above them that is a copy
		}
		return visit(found)
	})
}

// Row is a method of blog.Audit.
func (a *auditReader) Row(ctx context.Context, table blog.Table, key []any) (audit.Row, error) {
	var row audit.Row
	err := a.patiently(ctx, func(ctx context.Context) (err error) { row, _, err = a.rowWithTimes(ctx, table, key); return err })
	return row, err
}

// rowWithTimes reads a row, or what stands above the rows of a partition, and the
// latest write time of its cells; 0 where there is none.
func (s *Store) rowWithTimes(ctx context.Context, table blog.Table, key []any) (row audit.Row, latest int64, err error) {
	t := copyTableOf(table)
	read, names, gone, dead := t.row, scanned(table), t.gone, t.dead
	if whole := table.RowKey(); len(key) < len(whole) {
		read, names, gone, dead = t.head, slices.Concat(whole, staticColumns(table)), "", ""
	}
	r := newRowReader(table, names, gone, dead, true)
	args := make([]any, len(key))
	for i, value := range key {
		args[i] = argument(value)
	}
	err = s.db.One(ctx, read.With(args...), r.order...)
	if err != nil {
		return audit.Row{Key: key}, 0, cql.AbsentIsZero(err)
	}
	row = r.row()
	row.Below = len(row.Key) == len(r.key)
	row.Key = key
	return row, r.latest(), nil
}

// rowReader turns what a statement of a copyTable answers into rows.
type rowReader struct {
	groups []*blog.Group
	key    []string // of a row
	cells  map[string]*cell
	order  []any // destinations, as the statement has its columns
	gone   *cell
	dead   *cell
	times  []**int64
}

func newRowReader(table blog.Table, names []string, gone, dead column, timed bool) *rowReader {
	r := &rowReader{groups: table.Groups(), key: table.RowKey(), cells: map[string]*cell{}}
	for _, name := range names {
		r.cells[name] = r.add(column(name))
	}
	if gone != "" {
		r.gone = r.add(gone)
	}
	if dead != "" {
		r.dead = r.add(dead)
	}
	if timed {
		for range names[len(r.key):] {
			at := new(*int64)
			r.times = append(r.times, at)
			r.order = append(r.order, at)
		}
	}
	return r
}

func (r *rowReader) add(name column) *cell {
	c := name.cell()
	r.order = append(r.order, c.destination)
	return c
}

// scanned returns the columns that a table's statements read.
func scanned(table blog.Table) []string {
	names := slices.Clone(table.RowKey())
	for _, g := range table.Groups() {
		names = append(names, g.Columns.Names()...)
	}
	return names
}

func staticColumns(table blog.Table) (names []string) {
	for _, g := range table.Groups() {
		if g.Static() {
			names = append(names, g.Columns.Names()...)
		}
	}
	return names
}

// row returns the row that was scanned last, with the groups that it has some of.
func (r *rowReader) row() audit.Row {
	key, complete := r.values(r.key)
	row := audit.Row{Key: key, Leaving: r.gone != nil && r.gone.stands() && r.gone.value() != false, Dead: r.isDead()}
	if !complete {
		row.Key = nil
	}
	for _, g := range r.groups {
		if g.Static() && !complete {
			row.Key = key[:len(g.Key)]
		}
		if row.Dead && !g.Static() || !slices.ContainsFunc(g.Columns.Names(), func(name string) bool { c := r.cells[name]; return c != nil && c.stands() }) {
			continue
		}
		values, _ := r.values(g.Columns.Names())
		row.Cells = append(row.Cells, blog.Copy{Group: g, Key: key[:len(g.Key)], Values: values})
	}
	return row
}

// isDead reports whether the row was deleted and stays.
func (r *rowReader) isDead() bool {
	if r.dead != nil {
		return r.dead.stands() && r.dead.value() == 0
	}
	for _, g := range r.groups {
		if c := r.cells[g.Mandatory()]; g.LeavesDead() && c != nil && c.stands() && c.value() == "" {
			return true
		}
	}
	return false
}

// values returns the values of some columns, and whether all of them stand.
func (r *rowReader) values(names []string) (values []any, complete bool) {
	complete = true
	for _, name := range names {
		c := r.cells[name]
		values = append(values, c.value())
		complete = complete && c.stands()
	}
	return values, complete
}

func (r *rowReader) latest() (latest int64) {
	for _, at := range r.times {
		if *at != nil {
			latest = max(latest, **at)
		}
	}
	return latest
}

// column is the name of a column; it tells the type.
type column string

// cell is a destination that may be null. Its value is of the type that a blog.Copy
// has in this column; where it is null, the type's zero.
type cell struct {
	destination any
	stands      func() bool
	value       func() any
}

func (name column) cell() *cell {
	switch name {
	case "user_id", "author_id":
		return idCell(func(u blog.UUID) any { return blog.UserID{UUID: u} })
	case "post_id":
		return idCell(func(u blog.UUID) any { return blog.PostID{UUID: u} })
	case "comment_id":
		return idCell(func(u blog.UUID) any { return blog.CommentID{UUID: u} })
	case "version", "edits", "shard", "feed_shard", "comment_count", "like_count":
		return cellOf[int]()
	case "liked", "closed":
		return cellOf[bool]()
	case "liked_at", "updated_at", "deleted_at":
		return cellOf[time.Time]()
	case "email", "display_name", "bio":
		return optionalCell()
	default:
		return cellOf[string]()
	}
}

func cellOf[T any]() *cell {
	var v *T
	return &cell{&v, func() bool { return v != nil }, func() any {
		if v == nil {
			var zero T
			return zero
		}
		return *v
	}}
}

// optionalCell is a text that may be absent by itself.
func optionalCell() *cell {
	var v *string
	return &cell{&v, func() bool { return v != nil }, func() any { return v }}
}

func idCell(typed func(blog.UUID) any) *cell {
	var u gocql.UUID
	return &cell{&u, func() bool { return u != gocql.UUID{} }, func() any { return typed(blog.UUID(u)) }}
}
