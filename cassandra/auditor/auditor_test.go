package auditor_test

import (
	"os"
	"testing"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/testkeyspace"
)

var shared testkeyspace.Shared

func TestMain(m *testing.M) { os.Exit(shared.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a row is whose cells have other write times than its own is Cassandra's to say.
func TestAuditOnANode(t *testing.T) {
	t.Parallel()
	cassandratest.OnNode(t)
	inTurn := testkeyspace.InTurn(t)
	inTurn("ghosts in the feed", testFeedGhosts)
	inTurn("ghosts in a list", testGhosts)
	inTurn("verify finds damage", testVerify)
	inTurn("repair", testRepair)
	inTurn("verify under writers", testVerifyUnderWriters)
}

func TestDamage(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("usernames that have not arrived", testMissingUsernames)
	inTurn("former owners of a name", testFormerOwners)
	inTurn("the loss of a table", testLoss)
	inTurn("counts newer than what is counted", testNewerCounts)
	inTurn("claims", testClaims)
	inTurn("contradictions", testContradictions)
	inTurn("homes", testHomes)
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	inTurn := testkeyspace.InTurn(t)
	inTurn("rebuild", testRebuild)
	inTurn("resumed rebuild", testRebuildResumes)
	inTurn("rebuild after a rename", testRebuildAfterRename)
}
