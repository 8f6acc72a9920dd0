package embedded

import (
	"cmp"
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
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.inside.leave()
	return s.convert(s.scanFrom(ctx, t, nil, visit))
}

// scanFrom visits the cells of a table from a key on, nil for all.
func (s *Store) scanFrom(ctx context.Context, t *table, from []byte, visit func(key, value []byte) error) error {
	began, rows := time.Now(), 0
	err := eachCell(s.db, later([]byte{t.prefix}, from), []byte{t.prefix + 1}, ctx.Err, func(key, value []byte) error {
		rows++
		return visit(key, value)
	})
	s.observe(ctx, began, blog.Statement{Table: t.name, Kind: blog.Read, Partitions: 1, Rows: rows, Err: err})
	return err
}

// eachCell visits the cells of a database or a snapshot, of keys from lower on, below upper, until
// visit returns an error or goesOn does.
func eachCell(of pebble.Reader, lower, upper []byte, goesOn func() error, visit func(key, value []byte) error) (err error) {
	it, err := of.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = visit(it.Key(), value)
		}
		if err == nil {
			err = goesOn()
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
