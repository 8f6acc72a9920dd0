package cassandra_test

import (
	"testing"

	"broadsheet/internal/cassandratest/testkeyspace"
)

func TestWholeFeed(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("statements of the feed", testFeedStatements)
	inTurn("layouts of the feed", testFeedLayouts)
	inTurn("layouts of the feed at once", testFeedLayoutsAtOnce)
	inTurn("many names of the feed's buckets", testManyFeedBuckets)
	inTurn("a feed of an older program", testFeedOfAnOlderProgram)
}
