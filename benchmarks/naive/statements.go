package naive

import (
	"context"
	"errors"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// The tables, as the observer is told of them.
const (
	users           blog.Table = "users"
	posts           blog.Table = "posts"
	postsWithCopies blog.Table = "posts_with_copies"
)

// statement is a prepared statement of one table.
type statement struct {
	table blog.Table
	cql   string
}

// one reads one row into dest. NotFound where there is none.
func (k *Keyspace) one(ctx context.Context, st statement, args []any, dest ...any) error {
	start := time.Now()
	err := k.session.Query(st.cql, args...).WithContext(ctx).Scan(dest...)
	rows := 1
	if errors.Is(err, gocql.ErrNotFound) {
		err, rows = blog.Errorf(blog.NotFound, "%s has no such row", st.table), 0
	}
	k.observe(ctx, st.table, blog.Read, 1, rows, start, err)
	return err
}

// count counts rows of one partition. All of them are read, if not sent.
func (k *Keyspace) count(ctx context.Context, st statement, args ...any) (n int, err error) {
	start := time.Now()
	err = k.session.Query(st.cql, args...).WithContext(ctx).Scan(&n)
	k.observe(ctx, st.table, blog.Read, 1, n, start, err)
	return n, err
}

// list reads rows of one partition.
func (k *Keyspace) list(ctx context.Context, st statement, visit func(gocql.Scanner) error, args ...any) error {
	start := time.Now()
	rows, err := k.rows(ctx, st, visit, args)
	k.observe(ctx, st.table, blog.Read, 1, rows, start, err)
	return err
}

// search reads the rows that an index names: each lies in a partition of its own.
func (k *Keyspace) search(ctx context.Context, st statement, visit func(gocql.Scanner) error, args ...any) error {
	start := time.Now()
	rows, err := k.rows(ctx, st, visit, args)
	k.observe(ctx, st.table, blog.Read, max(rows, 1), rows, start, err)
	return err
}

func (k *Keyspace) rows(ctx context.Context, st statement, visit func(gocql.Scanner) error, args []any) (n int, err error) {
	scanner := k.session.Query(st.cql, args...).WithContext(ctx).Iter().Scanner()
	for scanner.Next() {
		n++
		if verr := visit(scanner); verr != nil {
			err = errors.Join(err, verr)
		}
	}
	return n, errors.Join(err, scanner.Err())
}

func (k *Keyspace) write(ctx context.Context, st statement, args ...any) error {
	start := time.Now()
	err := k.session.Query(st.cql, args...).WithContext(ctx).Exec()
	k.observe(ctx, st.table, blog.Write, 1, 1, start, err)
	return err
}

func (k *Keyspace) observe(ctx context.Context, table blog.Table, kind blog.StatementKind, partitions, rows int, start time.Time, err error) {
	if k.observer != nil {
		k.observer.Statement(ctx, blog.Statement{Table: table, Kind: kind, Partitions: partitions, Rows: rows, Duration: time.Since(start), Err: err})
	}
}

// id makes a UUID an argument.
func id(u blog.UUID) gocql.UUID { return gocql.UUID(u) }

// into makes a UUID a destination.
func into(u *blog.UUID) *gocql.UUID { return (*gocql.UUID)(u) }

// first refuses all but the first page: these versions know no cursors.
func first[K any](page blog.PageRequest[K]) error {
	if page != blog.FirstPage[K](page.Limit) {
		return blog.Errorf(blog.Invalid, "the naive model has first pages only")
	}
	return nil
}
