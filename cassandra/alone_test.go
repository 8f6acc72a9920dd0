package cassandra_test

import (
	"testing"

	"broadsheet/cassandra"
	"broadsheet/cassandra/testkeyspace"
)

// Tests that damage rows, or look at the whole feed, have a keyspace of their own
// and run one after the other.
func TestAlone(t *testing.T) {
	t.Parallel()
	config := testkeyspace.New(t)
	for _, c := range []struct {
		name string
		test func(t *testing.T, config cassandra.Config)
	}{
		{"statements of the feed", testFeedStatements},
		{"layouts of the feed", testFeedLayouts},
		{"layouts of the feed at once", testFeedLayoutsAtOnce},
		{"many names of the feed's buckets", testManyFeedBuckets},
		{"a feed of an older program", testFeedOfAnOlderProgram},
		{"ghosts in the feed", testFeedGhosts},
		{"a short page of the feed", testShortFeed},
		{"ghosts in a list", testGhosts},
		{"usernames that have not arrived", testMissingUsernames},
		{"former owners of a name", testFormerOwners},
		{"verify finds damage", testVerify},
		{"repair", testRepair},
		{"the loss of a table", testLoss},
		{"claims", testClaims},
		{"contradictions", testContradictions},
		{"verify under writers", testVerifyUnderWriters},
		{"rebuild", testRebuild},
		{"resumed rebuild", testRebuildResumes},
		{"rebuild after a rename", testRebuildAfterRename},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, config) })
	}
}
