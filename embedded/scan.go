package embedded

import (
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// errEnough ends a scan early, without an error.
var errEnough = errors.New("enough was read")

// scan visits the cells of a whole table. No query does; operators' tools do.
func (s *Store) scan(ctx context.Context, t *table, visit func(key, value []byte) error) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.convert(s.scanFrom(ctx, t, nil, visit))
}

// scanFrom visits the cells of a table from a key on, nil for all.
func (s *Store) scanFrom(ctx context.Context, t *table, from []byte, visit func(key, value []byte) error) (err error) {
	began, rows := time.Now(), 0
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: later([]byte{t.prefix}, from), UpperBound: []byte{t.prefix + 1}})
	if err != nil {
		return err
	}
	defer func() {
		err = ended(it.Close, recover(), err)
		s.observe(ctx, began, blog.Statement{Table: t.name, Kind: blog.Read, Partitions: 1, Rows: rows, Err: err})
	}()
	for ok := it.First(); ok; ok = it.Next() {
		if rows++; rows%rowsBetweenChecks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = visit(it.Key(), value)
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
