package truth

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/counted"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/tables"

	"github.com/gocql/gocql"
)

// countedRow is a row of a table that counts its rows: where statements put it and the header above it.
type countedRow[R any] interface {
	*R
	columns(above *counted.Header) []any
}

// countedTable implements [counted.Table] of a table whose partitions are of one parent each.
type countedTable[R any, P countedRow[R]] struct {
	tables.Counted
	db    *cql.Session
	sized bool // the header says what the partition holds
}

// counting returns a table that counts its rows, and its partitions as a process changes them.
func counting[R any, P countedRow[R]](c Config, of blog.Table, sized bool, full func(field string, rows, bytes int) error, limit *counted.Limit) (
	*counted.Partitions[blog.UUID, R], countedTable[R, P],
) {
	rows := countedTable[R, P]{tables.Counting[of], c.DB, sized}
	return counted.New(counted.Config{
		Name: of, Sized: sized, Full: full, Gone: of.Declaration().About.Parent.ErrAbsent(),
		Clock: c.Clock, Log: c.Log, Limit: limit,
	}, rows), rows
}

func (s countedTable[R, P]) Header(ctx context.Context, parent blog.UUID) (counted.Header, error) {
	return s.header(ctx, s.db.One, parent)
}

func (s countedTable[R, P]) HeaderSerial(ctx context.Context, parent blog.UUID) (counted.Header, error) {
	return s.header(ctx, s.db.OneSerial, parent)
}

func (s countedTable[R, P]) header(ctx context.Context, read cql.Reader, parent blog.UUID) (h counted.Header, err error) {
	err = read(ctx, s.Counted.Header.With(cql.ID(parent)), h.Columns(s.sized)...)
	return h, cql.AbsentIsZero(err)
}

// row reads a row with the header above it, or [cql.ErrAbsent].
func (s countedTable[R, P]) row(ctx context.Context, read cql.Reader, parent blog.UUID, key blog.UUID) (r R, above counted.Header, err error) {
	err = read(ctx, s.Row.With(cql.ID(parent), cql.ID(key)), s.into(&key, &r, &above)...)
	return r, above, err
}

// rowSerial is row at the serial consistency, with a header also if there is no such row.
func (s countedTable[R, P]) rowSerial(ctx context.Context, parent blog.UUID, key blog.UUID) (r R, above counted.Header, err error) {
	if r, above, err = s.row(ctx, s.db.OneSerial, parent, key); err == cql.ErrAbsent {
		above, err = s.HeaderSerial(ctx, parent)
	}
	return r, above, err
}

func (s countedTable[R, P]) into(key *blog.UUID, r P, above *counted.Header) []any {
	return append([]any{cql.Into(key)}, r.columns(above)...)
}

func (s countedTable[R, P]) RowsSerial(ctx context.Context, parent blog.UUID, keys []blog.UUID) (found map[blog.UUID]R, now counted.Header, err error) {
	found = make(map[blog.UUID]R, len(keys))
	err = s.db.EachSerial(ctx, s.Rows.With(cql.ID(parent), cql.IDs(keys)), len(keys), func(row gocql.Scanner) error {
		var key blog.UUID
		var r R
		err := row.Scan(s.into(&key, &r, &now)...)
		if s.sized && now.Closed { // its parent is gone: it is as good as that
			r = *new(R)
		}
		found[key] = r
		return err
	})
	return found, now, err
}

func (s countedTable[R, P]) Replace(ctx context.Context, parent blog.UUID, now, next counted.Header, entries []cql.Bound) (applied bool, err error) {
	args := []any{next.Rows, next.Version, next.Stamp}
	if s.sized {
		args = append(args, next.Size(), next.Bytes)
	}
	version, rows := now.Guard()
	update := s.Update.With(append(args, cql.ID(parent), version, rows)...)
	applied, _, err = s.db.CompareAndSet(ctx, append([]cql.Bound{update}, entries...)...)
	return applied, err
}

func (s countedTable[R, P]) ReplaceByClosed(ctx context.Context, parent blog.UUID, now, next counted.Header) (applied bool, err error) {
	version, _ := now.Guard()
	applied, _, err = s.db.CompareAndSet(ctx, s.Close.With(next.Version, next.Stamp, cql.ID(parent), version))
	return applied, err
}

func (s countedTable[R, P]) Clear(ctx context.Context, parent blog.UUID) error {
	_, _, err := s.db.CompareAndSet(ctx, s.Counted.Clear.With(cql.ID(parent)), s.Delete.With(cql.ID(parent), cql.FirstID, cql.LastID))
	return err
}
