package cassandra

import (
	"context"
	"encoding/json"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

var (
	selectEntries = statement{blog.Journal, `SELECT command_id, kind, intent, done FROM journal WHERE minute = ? AND shard = ? AND command_id >= ? AND command_id < ?`}
	selectEntry   = statement{blog.Journal, `SELECT kind, intent, done FROM journal WHERE minute = ? AND shard = ? AND command_id = ?`}
)

// eachUndone visits the entries of one shard of the journal that were made from one
// time to before another, by the clocks of their writers, and are not marked done.
// Nothing is ever deleted from the journal, so no tombstones are read.
func (s *Store) eachUndone(ctx context.Context, shard int, from, to time.Time, visit func(entry blog.CommandID, kind, text string) error) error {
	first, last := id(blog.FirstUUIDAt(from)), id(blog.FirstUUIDAt(to))
	for minute := from.Truncate(time.Minute); minute.Before(to); minute = minute.Add(time.Minute) {
		err := s.scan(ctx, selectEntries.with(minute, shard, first, last), func(row gocql.Scanner) error {
			var entry blog.CommandID
			var kind, text string
			var done bool
			if err := row.Scan(into(&entry.UUID), &kind, &text, &done); err != nil || done || kind == "" {
				return err
			}
			return visit(entry, kind, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// undone reads one entry. It reports false where it is done or has expired.
func (s *Store) undone(ctx context.Context, entry blog.CommandID) (in intent, open bool, err error) {
	var kind, text string
	var done bool
	minute, shard, key := journalKey(entry)
	err = absentIsZero(s.one(ctx, selectEntry.with(minute, shard, key), &kind, &text, &done))
	if err != nil || done || kind == "" {
		return in, false, err
	}
	in, err = decodeIntent(kind, text)
	return in, err == nil, err
}

func decodeIntent(kind, text string) (intent, error) {
	in := intent{Kind: kind}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return in, &blog.Error{Kind: blog.Internal, Message: "an intent can't be read", Err: err}
	}
	return in, nil
}
