package storetest

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

// Suite is the conformance suite for one store.
type Suite struct {
	// NewStore opens a store for one leaf test and has t close it. Stores may
	// be empty or share their data, as those of one Cassandra keyspace do: a
	// leaf asserts on what it made itself.
	NewStore NewStore

	// KeysExpireByThemselves is set where the database forgets idempotency
	// keys and changes by its own clock. Their expiry is then not tested, for no
	// test waits a day.
	KeysExpireByThemselves bool

	seed  uint64
	epoch time.Time // when the first leaf's clock starts
	first *fixture  // held open; tells whether the stores share their data
}

// Run runs the whole suite.
func Run(t *testing.T, newStore NewStore) {
	Suite{NewStore: newStore}.Run(t)
}

// leaf is one promise, in words, and its test.
type leaf struct {
	name string
	test func(f *fixture)
}

// section is the leaves of one file.
type section struct {
	name   string // the file's base name
	leaves []leaf
}

// Run runs the whole suite: one test of concurrency at a time, each followed by a comparison of all
// copies, while there are few; then queries and commands side by side.
func (s Suite) Run(t *testing.T) {
	s = s.seeded(t)
	s.first = s.fixture(t, 0)
	stranger := s.first.user()

	quiet := s.quiet()
	t.Run("concurrent", func(t *testing.T) {
		s.sections(t, len(quiet), concurrent, func(t *testing.T, fixture func() *fixture, l leaf) {
			f := fixture()
			t.Cleanup(f.verify)
			l.test(f)
		})
	})
	t.Run("quiet", func(t *testing.T) {
		s.sections(t, 0, quiet, func(t *testing.T, fixture func() *fixture, l leaf) {
			t.Parallel()
			f := fixture()
			f.verifyUnlessShared(stranger)
			l.test(f)
		})
	})
	t.Run("verify", func(t *testing.T) { s.first.on(t).verify() })
}

// seeded returns the suite with the seed of this run, and with when its clocks start.
func (s Suite) seeded(t testing.TB) Suite {
	s.seed = Seed(t)
	s.epoch = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(s.seed%40_000) * time.Hour)
	return s
}

// sections runs every leaf. A leaf's fixture has a number that does not depend on
// which tests were selected.
func (s Suite) sections(t *testing.T, first int, sections []section, run func(t *testing.T, fixture func() *fixture, l leaf)) {
	for i, g := range sections {
		for j, l := range g.leaves {
			t.Run(g.name+": "+l.name, func(t *testing.T) {
				run(t, func() *fixture { return s.fixture(t, 1+100*(first+i)+j) }, l)
			})
		}
	}
}

// quiet returns the tests that run side by side.
func (s Suite) quiet() []section {
	sections := append(queries, commands...)
	if !s.KeysExpireByThemselves {
		sections = append(sections, section{"idempotency_expiry", idempotencyExpiry}, section{"changes_expiry", changesExpiry})
	}
	return sections
}

// Seed returns the seed of the test's randomness, which it logs: that of
// STORETEST_SEED, else one from the time. On data that survives a run, each run
// needs a seed of its own, for the names are made from it.
func Seed(t testing.TB) uint64 {
	seed := uint64(time.Now().UnixNano()) & 0xffff_ffff
	if text, ok := os.LookupEnv("STORETEST_SEED"); ok {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("STORETEST_SEED: %v", err)
		}
		seed = parsed
	}
	t.Logf("STORETEST_SEED=%d", seed)
	return seed
}

// verifyUnlessShared compares all copies with their truths when the test ends,
// unless other tests work on the same data meanwhile.
func (f *fixture) verifyUnlessShared(stranger blog.User) {
	f.Cleanup(func() {
		_, err := f.store.UserByID(context.Background(), stranger.ID)
		if blog.IsNotFound(err) {
			f.verify()
		}
	})
}

// verify compares all copies with their truths, where the store lets them be read. Nothing else may work on the data
// meanwhile, so no leaf calls it: its section does, and verifyUnlessShared.
func (f *fixture) verify() {
	auditor, ok := f.raw.(audit.Store)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := f.store.Settle(ctx); err != nil {
		f.Errorf("settle: %v", err)
	}
	found, err := audit.Verifying{}.Run(ctx, auditor)
	if err != nil {
		f.Errorf("verify: %v", err)
	}
	for _, table := range found.Tables {
		for _, drift := range table.Examples {
			f.Errorf("%s, %s: %s", drift.Table, drift.Row, drift.Problem)
		}
	}
}
