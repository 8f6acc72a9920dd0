package cassandra

import (
	"context"
	"encoding/json"
	"slices"
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
	minutes, err := s.journalMinutes(ctx, shard, from, to)
	if err != nil {
		return err
	}
	first, last := id(blog.FirstUUIDAt(from)), id(blog.FirstUUIDAt(to))
	for _, minute := range minutes {
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

var selectMinutes = statement{blog.Journal, `SELECT DISTINCT minute, shard FROM journal`}

// severalMinutes is how many partitions are asked for one by one, whether they hold
// anything or not.
const severalMinutes = 60

// journalMinutes returns the minutes of a stretch of time in which a shard of the journal
// may have entries, in order. Where they are many, after a time when nobody looked, the
// names of the journal's partitions say which there are.
func (s *Store) journalMinutes(ctx context.Context, shard int, from, to time.Time) (minutes []time.Time, err error) {
	from = from.Truncate(time.Minute)
	if to.Sub(from) <= severalMinutes*time.Minute {
		for minute := from; minute.Before(to); minute = minute.Add(time.Minute) {
			minutes = append(minutes, minute)
		}
		return minutes, nil
	}
	err = s.scan(ctx, selectMinutes.with(), func(row gocql.Scanner) error {
		var minute time.Time
		var of int
		err := row.Scan(&minute, &of)
		if err == nil && of == shard && !minute.Before(from) && minute.Before(to) {
			minutes = append(minutes, minute.UTC())
		}
		return err
	})
	slices.SortFunc(minutes, time.Time.Compare)
	return minutes, err
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
