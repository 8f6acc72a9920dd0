package cassandra

import (
	"context"

	"broadsheet/blog"
	"broadsheet/cassandra/job"
)

// unfinished are the users and posts whose copies may lag, or may be ahead of what was
// read of their truth: a command that names them has not ended.
type unfinished struct {
	users map[blog.UserID]bool
	posts map[blog.PostID]bool
}

// unfinishedNow reads the journal for commands that are under way, here or on any
// server, or that died and were not recovered yet.
func (s *Store) unfinishedNow(ctx context.Context) (unfinished, error) {
	u := unfinished{map[blog.UserID]bool{}, map[blog.PostID]bool{}}
	names := s.journalNames(ctx)
	for shard := range journalShards {
		if err := s.unfinishedOf(ctx, shard, names, &u); err != nil {
			return u, err
		}
	}
	return u, nil
}

func (s *Store) unfinishedOf(ctx context.Context, shard int, names func() ([]journalPartition, error), u *unfinished) error {
	at, err := job.Load[journalPosition](ctx, s.db, shardName(shard))
	if err != nil {
		return err
	}
	now := s.clocks.Now()
	at.Position.mend(now)
	from := at.Position.Passed
	if from.IsZero() {
		if from, err = firstMinute(names, now); err != nil {
			return err
		}
	}
	for _, open := range at.Position.Open {
		in, undone, err := s.undone(ctx, open.Entry)
		switch {
		case err != nil && blog.KindOf(err) != blog.Internal:
			return err
		case err == nil && undone:
			u.add(in)
		}
	}
	to := now.Add(blog.ClockSkew)
	minutes, err := journalMinutes(names, shard, from, to)
	if err != nil {
		return err
	}
	return s.eachUndone(ctx, shard, minutes, from, to, func(_ blog.CommandID, kind, text string) error {
		// One that can't be read names nothing; recovery tells of it.
		if in, err := decodeIntent(kind, text); err == nil {
			u.add(in)
		}
		return nil
	})
}

func (u *unfinished) add(in intent) {
	u.users[in.Actor] = true
	if in.Post != nil {
		u.posts[*in.Post] = true
	}
}
