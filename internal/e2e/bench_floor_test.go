//go:build floor

package e2e

import (
	"path/filepath"
	"testing"

	"broadsheet/bench"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/cassandratest/testkeyspace"
)

func TestBenchWithTheFloor(t *testing.T) {
	cassandratest.Real(t, "its indexes")
	c := testkeyspace.Name(t)
	t.Setenv(beProgram, "1") // of the server and the floor that it starts
	file := filepath.Join(t.TempDir(), "bench.json")
	want(t, 0, "GraphQL ÷ floor", on(c, benchmark("--floor", "--rounds", "2", "--requests", "Q1,nested,C3,C4", "--json", file)...)...)
	checkPairs(t, figures[bench.PairsReport](t, file))
}

func TestBenchRefusesTheFloorWhereItCannotBe(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"--floor is for --store cassandra":            {"--floor"},
		"--floor and --stores are two comparisons":    {"--floor", "--stores", "--store", "cassandra"},
		"--requests names none that is measured so":   {"--floor", "--store", "cassandra", "--requests", "C1"},
		"leave --use-existing, --floor, --stores and": {"--http", "http://127.0.0.1/graphql", "--floor"},
	} {
		want(t, 2, says, append([]string{"bench"}, args...)...)
	}
	want(t, 1, "floor is for --store cassandra", "floor", "--data-dir", t.TempDir())
}
