package cassandra

import (
	"context"
	"time"

	"broadsheet/blog"
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
	now := s.clock.Now()
	for shard := range journalShards {
		err := s.eachUndone(ctx, shard, now.Add(-10*time.Minute), now.Add(clockSkew), func(_ blog.CommandID, in intent) error {
			u.users[in.Actor] = true
			if in.Post != nil {
				u.posts[in.Post.ID] = true
			}
			return nil
		})
		if err != nil {
			return u, err
		}
	}
	return u, nil
}

// clockSkew is how far two servers' clocks may be apart.
const clockSkew = 10 * time.Second
