package counted

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"

	"github.com/gocql/gocql"
)

// Statements are those of one table of partitions. They implement [Table].
type Statements[P comparable, R any] struct {
	DB     *cql.Session
	Key    func(parent P) gocql.UUID
	Sized  bool          // the header tells what the partition holds
	Select cql.Statement // the header
	Update cql.Statement // the header, under the guard of the one before
	Close  cql.Statement // no update passes any more
	Clear  cql.Statement // the count of a closed partition
	Delete cql.Statement // the rows between two keys
	Span   [2]gocql.UUID // of the keys of all rows
	Rows   cql.Statement // those with some keys, each with the header
	Scan   RowScanner[R] // reads one of Rows
}

// RowScanner reads a row with its key and the header above it.
type RowScanner[R any] func(row gocql.Scanner) (key blog.UUID, read R, above Header, err error)

// Header is a method of [Table].
func (s *Statements[P, R]) Header(ctx context.Context, parent P) (Header, error) {
	return s.header(ctx, s.DB.One, parent)
}

// HeaderSerial is a method of [Table].
func (s *Statements[P, R]) HeaderSerial(ctx context.Context, parent P) (Header, error) {
	return s.header(ctx, s.DB.OneSerial, parent)
}

func (s *Statements[P, R]) header(ctx context.Context, read cql.Reader, parent P) (Header, error) {
	var h Header
	err := read(ctx, s.Select.With(s.Key(parent)), h.Columns(s.Sized)...)
	return h, cql.AbsentIsZero(err)
}

// RowsSerial is a method of [Table].
func (s *Statements[P, R]) RowsSerial(ctx context.Context, parent P, keys []blog.UUID) (found map[blog.UUID]R, now Header, err error) {
	found = make(map[blog.UUID]R, len(keys))
	ids := make([]gocql.UUID, len(keys))
	for i, key := range keys {
		ids[i] = cql.ID(key)
	}
	err = s.DB.EachSerial(ctx, s.Rows.With(s.Key(parent), ids), len(keys), func(row gocql.Scanner) error {
		key, read, above, err := s.Scan(row)
		found[key], now = read, above
		return err
	})
	return found, now, err
}

// Replace is a method of [Table].
func (s *Statements[P, R]) Replace(ctx context.Context, parent P, now, next Header, entries []cql.Bound) (applied bool, err error) {
	args := []any{next.Rows, next.Version, next.Stamp}
	if s.Sized {
		args = append(args, next.Size(), next.Bytes)
	}
	version, rows := now.Guard()
	update := s.Update.With(append(args, s.Key(parent), version, rows)...)
	applied, _, err = s.DB.CompareAndSet(ctx, append([]cql.Bound{update}, entries...)...)
	return applied, err
}

// ReplaceByClosed is a method of [Table].
func (s *Statements[P, R]) ReplaceByClosed(ctx context.Context, parent P, now, next Header) (applied bool, err error) {
	version, _ := now.Guard()
	applied, _, err = s.DB.CompareAndSet(ctx, s.Close.With(next.Version, next.Stamp, s.Key(parent), version))
	return applied, err
}

// DeleteRows is a method of [Table].
func (s *Statements[P, R]) DeleteRows(ctx context.Context, parent P) error {
	key := s.Key(parent)
	_, _, err := s.DB.CompareAndSet(ctx, s.Clear.With(key), s.Delete.With(key, s.Span[0], s.Span[1]))
	return err
}
