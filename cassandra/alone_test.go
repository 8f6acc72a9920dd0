package cassandra_test

import (
	"testing"

	"broadsheet/cassandra"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/testkeyspace"
)

// aloneTest is a test that damages rows, or looks at the whole feed or journal. Those of a group
// have a keyspace of their own and run one after the other.
type aloneTest struct {
	name string
	test func(t *testing.T, config cassandra.Config)
}

func alone(t *testing.T, tests []aloneTest) {
	config := testkeyspace.New(t)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) { c.test(t, config) })
	}
}

func TestWholeFeed(t *testing.T) {
	t.Parallel()
	alone(t, []aloneTest{
		{"statements of the feed", testFeedStatements},
		{"layouts of the feed", testFeedLayouts},
		{"layouts of the feed at once", testFeedLayoutsAtOnce},
		{"many names of the feed's buckets", testManyFeedBuckets},
		{"a feed of an older program", testFeedOfAnOlderProgram},
	})
}

// What a row is whose cells have other write times than its own is Cassandra's to say.
func TestAuditOnANode(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	alone(t, []aloneTest{
		{"ghosts in the feed", testFeedGhosts},
		{"ghosts in a list", testGhosts},
		{"verify finds damage", testVerify},
		{"repair", testRepair},
		{"verify under writers", testVerifyUnderWriters},
	})
}

func TestDamage(t *testing.T) {
	t.Parallel()
	alone(t, []aloneTest{
		{"usernames that have not arrived", testMissingUsernames},
		{"former owners of a name", testFormerOwners},
		{"the loss of a table", testLoss},
		{"claims", testClaims},
		{"contradictions", testContradictions},
	})
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	alone(t, []aloneTest{
		{"rebuild", testRebuild},
		{"resumed rebuild", testRebuildResumes},
		{"rebuild after a rename", testRebuildAfterRename},
	})
}
