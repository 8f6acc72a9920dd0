package journal

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/job"
)

// Unfinished are the users and posts whose copies may lag, or may be ahead of what was
// read of their truth: a command that names them has not ended.
type Unfinished struct {
	Users map[blog.UserID]bool
	Posts map[blog.PostID]bool
}

// Unfinished reads the journal for commands that are under way, here or on any
// server, or that died and were not recovered yet.
func (r *Recovery) Unfinished(ctx context.Context) (Unfinished, error) {
	u := Unfinished{map[blog.UserID]bool{}, map[blog.PostID]bool{}}
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
		in, undone, err := r.journal.undone(ctx, open.Entry)
		switch {
		case err != nil && blog.KindOf(err) != blog.Internal:
			return err
		case err == nil && undone:
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
	if in.Post != nil {
		u.Posts[*in.Post] = true
	}
}
