package journal

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/cql"
	"broadsheet/cassandra/job"
	"broadsheet/cassandra/truth"

	"github.com/gocql/gocql"
)

var (
	selectEntries = cql.On(blog.Journal, `SELECT command_id, kind, intent, done FROM journal`+
		` WHERE minute = ? AND shard = ? AND command_id >= ? AND command_id < ?`)
	selectEntry = cql.On(blog.Journal,
		`SELECT kind, intent, done FROM journal WHERE minute = ? AND shard = ? AND command_id = ?`)
)

// eachUndone visits the entries of some partitions of one shard that were made from one time to before another, by the
// clocks of their writers, and are not marked done.
func (j *Journal) eachUndone(ctx context.Context, shard int, minutes []time.Time, from, to time.Time, visit func(entry blog.CommandID, kind, text string) error) error {
	first, last := cql.ID(blog.FirstUUIDAt(from)), cql.ID(blog.FirstUUIDAt(to))
	for _, minute := range minutes {
		err := j.db.Scan(ctx, selectEntries.With(minute, shard, first, last), func(row gocql.Scanner) error {
			var entry blog.CommandID
			var kind, text string
			var done bool
			if err := row.Scan(cql.Into(&entry.UUID), &kind, &text, &done); err != nil || done || kind == "" {
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

var selectPartitions = cql.On(blog.Journal, `SELECT DISTINCT minute, shard FROM journal`)

type partition struct {
	minute time.Time
	shard  int
}

// partitions returns the names of the journal's partitions, in no order: read when they are first asked for, and once.
// They are as many as the minutes of its time to live, in each shard.
func (j *Journal) partitions(ctx context.Context) func() ([]partition, error) {
	return sync.OnceValues(func() (names []partition, err error) {
		err = j.db.Scan(ctx, selectPartitions.With(), func(row gocql.Scanner) error {
			var p partition
			err := row.Scan(&p.minute, &p.shard)
			p.minute = p.minute.UTC()
			names = append(names, p)
			return err
		})
		return names, err
	})
}

// firstMinute returns the oldest minute of the journal, where no server has looked yet.
func firstMinute(names func() ([]partition, error), now time.Time) (time.Time, error) {
	first := now.Add(-grace)
	all, err := names()
	for _, p := range all {
		first = earlier(first, p.minute)
	}
	return first, err
}

// severalMinutes is how many partitions are asked for one by one, whether they hold anything or not.
const severalMinutes = 60

// minutesOf returns the minutes of a stretch of time in which a shard may have entries, in order. Where they are many,
// after a time when no server looked, the names of the journal's partitions say which there are.
func minutesOf(names func() ([]partition, error), shard int, from, to time.Time) (minutes []time.Time, err error) {
	from = from.Truncate(time.Minute)
	if to.Sub(from) <= severalMinutes*time.Minute {
		for minute := from; minute.Before(to); minute = minute.Add(time.Minute) {
			minutes = append(minutes, minute)
		}
		return minutes, nil
	}
	all, err := names()
	for _, p := range all {
		if p.shard == shard && !p.minute.Before(from) && p.minute.Before(to) {
			minutes = append(minutes, p.minute)
		}
	}
	slices.SortFunc(minutes, time.Time.Compare)
	return minutes, err
}

// Last reads the intent of a command's last row, and whether that is done; its zero value where there is none.
func (j *Journal) Last(ctx context.Context, command blog.CommandID) (in Intent, done bool, err error) {
	in, done, err = j.Read(ctx, command)
	for err == nil && !in.Next.IsZero() {
		in, done, err = j.Read(ctx, in.Next)
	}
	return in, done, err
}

// Left returns the last intents of a truth's last commands, of those that have not ended.
func (j *Journal) Left(ctx context.Context, by truth.History) ([]Intent, error) {
	commands := slices.Compact(append([]gocql.UUID{cql.ID(by.Last.UUID)}, by.Recent...))
	left, reads := make([]Intent, len(commands)), make([]func() error, len(commands))
	for i, command := range commands {
		reads[i] = func() error {
			in, done, err := j.Last(ctx, blog.CommandID{UUID: blog.UUID(command)})
			if !done {
				left[i] = in
			}
			return err
		}
	}
	err := cql.Concurrently(reads...)
	return slices.DeleteFunc(left, func(in Intent) bool { return in.Kind == "" }), err
}

// Read reads the intent of an entry, and whether it is done; its zero value where there is none.
func (j *Journal) Read(ctx context.Context, entry blog.CommandID) (in Intent, done bool, err error) {
	var kind, text string
	if j.clock.Now().Sub(entry.Time()) > TTL {
		return in, done, nil
	}
	minute, shard, id := key(entry)
	err = cql.AbsentIsZero(j.db.One(ctx, selectEntry.With(minute, shard, id), &kind, &text, &done))
	if err != nil || kind == "" {
		return in, done, err
	}
	in, err = decodeIntent(kind, text)
	in.Entry = entry
	return in, done, err
}

func decodeIntent(kind, text string) (Intent, error) {
	in := Intent{Kind: kind, Change: edits[kind]}
	if in.Change != "" {
		in.Kind = EditUser
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return in, &blog.Error{Kind: blog.Internal, Message: "an intent can't be read", Err: err}
	}
	return in, nil
}

// Unfinished are the users and parents whose copies may lag, or may be ahead of what was read of their truth: a command
// that names them has not ended.
type Unfinished struct {
	Users   map[blog.UserID]bool
	Parents map[blog.UUID]bool
}

// Unfinished reads the journal for commands that are under way, on any server, or that died and were not recovered
// yet.
func (r *Recovery) Unfinished(ctx context.Context) (Unfinished, error) {
	u := Unfinished{map[blog.UserID]bool{}, map[blog.UUID]bool{}}
	names := r.journal.partitions(ctx)
	for shard := range shards {
		if err := r.unfinishedOf(ctx, shard, names, &u); err != nil {
			return u, err
		}
	}
	return u, nil
}

func (r *Recovery) unfinishedOf(ctx context.Context, shard int, names func() ([]partition, error), u *Unfinished) error {
	at, err := job.Load[position](ctx, r.journal.db, shardName(shard))
	if err != nil {
		return err
	}
	now := r.clocks.Now()
	at.Position.mend(now)
	from := at.Position.Passed
	if from.IsZero() {
		if from, err = firstMinute(names, now); err != nil {
			return err
		}
	}
	for _, open := range at.Position.Open {
		in, done, err := r.journal.Read(ctx, open.Entry)
		switch {
		case done:
		case err != nil && blog.KindOf(err) != blog.Internal:
			return err
		case err == nil && in.Kind != "":
			u.add(in)
		}
	}
	to := now.Add(blog.ClockSkew)
	minutes, err := minutesOf(names, shard, from, to)
	if err != nil {
		return err
	}
	return r.journal.eachUndone(ctx, shard, minutes, from, to, func(_ blog.CommandID, kind, text string) error {
		// One that can't be read names nothing; recovery tells of it.
		if in, err := decodeIntent(kind, text); err == nil {
			u.add(in)
		}
		return nil
	})
}

func (u *Unfinished) add(in Intent) {
	u.Users[in.Actor], u.Users[in.Account()] = true, true
	if parent := in.Parent(); !parent.IsZero() {
		u.Parents[parent] = true
	}
}
