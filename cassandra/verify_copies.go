package cassandra

import (
	"context"
	"slices"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// scanCopies holds, for each table that has copies, the statement that reads all of
// them: the row's key, then the columns of each of the table's groups, in the order
// of blog.Groups. Last, where the table can tell, whether the row is of a deleted
// post and about to go.
var scanCopies = []copyScan{
	{statement{blog.UsersByUsername, `SELECT username_key, user_id, username, subject, email, display_name, bio, version FROM users_by_username`}, ""},
	{statement{blog.UsersByEmail, `SELECT email_key, user_id, username, subject, email, display_name, bio, version FROM users_by_email`}, ""},
	{statement{blog.UsersBySubject, `SELECT subject_key, user_id, username, subject, email, display_name, bio, version FROM users_by_subject`}, ""},
	{statement{blog.PostsByID, `SELECT post_id, username, comment_count, like_count, deleted_at FROM posts_by_id`}, "deleted_at"},
	{statement{blog.PostsByAuthor, `SELECT author_id, post_id, title, excerpt, updated_at, version, feed_bucket, feed_shard, comment_count, like_count, username FROM posts_by_author`}, ""},
	{statement{blog.FeedByBucket, `SELECT bucket, shard, post_id, author_id, title, excerpt, updated_at, version, username, comment_count, like_count FROM feed_by_bucket`}, ""},
	{statement{blog.CommentsByPost, `SELECT post_id, comment_id, username, closed FROM comments_by_post`}, "closed"},
	{statement{blog.CommentsByAuthor, `SELECT author_id, comment_id, post_id, content, updated_at, version, username FROM comments_by_author`}, ""},
	{statement{blog.LikesByPost, `SELECT post_id, liked_at, user_id, liked, username, like_count FROM likes_by_post`}, ""},
	{statement{blog.LikesByUser, `SELECT user_id, post_id, liked_at FROM likes_by_user`}, ""},
}

type copyScan struct {
	statement
	gone column // where it is neither null nor false the row is left out
}

// EachCopy is a method of blog.Auditor. A row that has only some of its cells gives
// the groups that it has some of.
func (s *Store) EachCopy(ctx context.Context, table blog.Table, visit func(blog.Copy) error) error {
	for _, scan := range scanCopies {
		if scan.table == table {
			r := newCopyReader(scan)
			return s.scan(ctx, scan.with(), func(row gocql.Scanner) error { return r.read(row, visit) })
		}
	}
	return nil
}

// copyReader turns rows of a table into copies.
type copyReader struct {
	groups []*blog.Group
	key    []string // of a row
	cells  map[string]*cell
	order  []any // destinations, as the statement has its columns
	gone   *cell
	above  []any // key of the partition whose static cells were visited
}

func newCopyReader(scan copyScan) *copyReader {
	r := &copyReader{groups: groupsOf(scan.table), cells: map[string]*cell{}}
	r.key = rowKey(r.groups)
	for _, name := range scanned(r.groups) {
		r.add(column(name))
	}
	if scan.gone != "" {
		r.gone = r.add(scan.gone)
	}
	return r
}

func (r *copyReader) add(name column) *cell {
	c := name.cell()
	r.cells[string(name)] = c
	r.order = append(r.order, c.destination)
	return c
}

func groupsOf(table blog.Table) []*blog.Group {
	return slices.DeleteFunc(blog.Groups(), func(g *blog.Group) bool { return g.Table != table })
}

// rowKey returns the key of a table's rows; a group of static cells has a shorter one.
func rowKey(groups []*blog.Group) []string {
	return slices.MaxFunc(groups, func(a, b *blog.Group) int { return len(a.Key) - len(b.Key) }).Key
}

// scanned returns the columns that a statement of scanCopies reads, without the last.
func scanned(groups []*blog.Group) []string {
	names := slices.Clone(rowKey(groups))
	for _, g := range groups {
		names = append(names, g.Columns...)
	}
	return names
}

func (r *copyReader) read(row gocql.Scanner, visit func(blog.Copy) error) error {
	if err := row.Scan(r.order...); err != nil {
		return err
	}
	if r.gone != nil && r.gone.stands() && r.gone.value() != false {
		return nil
	}
	for _, g := range r.groups {
		key, complete := r.values(g.Key)
		if !complete || len(g.Key) < len(r.key) && slices.Equal(key, r.above) {
			continue // a partition without rows, or one whose static cells were visited
		}
		if len(g.Key) < len(r.key) {
			r.above = key
		}
		if !slices.ContainsFunc(g.Columns, func(name string) bool { return r.cells[name].stands() }) {
			continue
		}
		values, _ := r.values(g.Columns)
		if err := visit(blog.Copy{Group: g, Key: key, Values: values}); err != nil {
			return err
		}
	}
	return nil
}

// values returns the values of some columns, and whether all of them stand.
func (r *copyReader) values(names []string) (values []any, complete bool) {
	complete = true
	for _, name := range names {
		c := r.cells[name]
		values = append(values, c.value())
		complete = complete && c.stands()
	}
	return values, complete
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
	case "version", "shard", "feed_shard", "comment_count", "like_count":
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
