package cassandra

import (
	"crypto/rand"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
)

// What a server begins within a slice of time stands in one partition of the journal, and
// all partitions of a minute have their turn.
func TestCommandsShareAPartitionOfTheJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Store{ids: blog.NewIDs(blog.SystemClock{}, rand.Reader), server: blog.UUID{15: 3}}
		known := map[blog.CommandID]bool{}
		shards := map[int]bool{}
		for range journalShards {
			var first int
			for i := range 50 {
				command := s.newCommand()
				_, shard, _ := journalKey(command)
				if i == 0 {
					first = shard
				}
				if shard != first || known[command] || !command.Valid() {
					t.Errorf("%v is in shard %d, the slice's first in %d", command, shard, first)
				}
				known[command] = true
			}
			shards[first] = true
			time.Sleep(journalSlice)
		}
		if len(shards) != journalShards {
			t.Errorf("as many slices took the shards %v only", shards)
		}
		other := &Store{ids: s.ids, server: blog.UUID{15: 4}}
		_, one, _ := journalKey(s.newCommand())
		if _, another, _ := journalKey(other.newCommand()); one == another {
			t.Errorf("two servers take turns together")
		}
	})
}
