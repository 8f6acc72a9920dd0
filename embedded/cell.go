package embedded

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"broadsheet/blog"
)

// read reads one cell, empty where it lacks. A filter shows without the disk
// that it does, and nothing is opened to walk along the partition.
func (s *Store) read(ctx context.Context, t *table, key []byte) (string, error) {
	began := time.Now()
	value, err := lookUp(s.db, key)
	s.observe(ctx, began, blog.Statement{Table: t.name, Kind: blog.Read, Partitions: 1, Rows: min(len(value), 1), Err: err})
	return value, err
}

// lookUp reads one cell of a database or of a snapshot, empty where it lacks.
func lookUp(of interface {
	Get(key []byte) ([]byte, io.Closer, error)
}, key []byte) (string, error) {
	found, closer, err := of.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	value := string(found) // a copy: what was found is Pebble's again once closer is closed
	err = closer.Close()
	return value, err
}
