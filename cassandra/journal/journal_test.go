package journal

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
		j := &Journal{ids: blog.NewIDs(blog.SystemClock{}, rand.Reader), server: blog.UUID{15: 3}}
		known := map[blog.CommandID]bool{}
		taken := map[int]bool{}
		for range shards {
			var first int
			for i := range 50 {
				command := j.NewCommand()
				_, shard, _ := key(command)
				if i == 0 {
					first = shard
				}
				if shard != first || known[command] || !command.Valid() {
					t.Errorf("%v is in shard %d, the slice's first in %d", command, shard, first)
				}
				known[command] = true
			}
			taken[first] = true
			time.Sleep(slice)
		}
		if len(taken) != shards {
			t.Errorf("as many slices took the shards %v only", taken)
		}
		other := &Journal{ids: j.ids, server: blog.UUID{15: 4}}
		_, one, _ := key(j.NewCommand())
		if _, another, _ := key(other.NewCommand()); one == another {
			t.Errorf("two servers take turns together")
		}
	})
}
