package storetest

import (
	"time"

	"broadsheet/blog"
)

// checkTimes reads a list of six rows or more, given oldest first, between times.
func checkTimes[K, T any](f *fixture, l list[K, T], rows []T) {
	f.Helper()
	at := func(i int) time.Time { return madeAt(l.key(rows[i])) }
	const ms = time.Millisecond
	end := len(rows) - 1
	for _, c := range []struct {
		name        string
		from, to    time.Time
		first, last int // of the rows that lie between, oldest first
	}{
		{"no bound", time.Time{}, time.Time{}, 0, end},
		{"from a row's time", at(2), time.Time{}, 2, end},
		{"from a millisecond later", at(2).Add(ms), time.Time{}, 3, end},
		{"from a microsecond later", at(2).Add(time.Microsecond), time.Time{}, 3, end},
		{"from a microsecond earlier", at(2).Add(-time.Microsecond), time.Time{}, 2, end},
		{"to a row's time", time.Time{}, at(4), 0, 3},
		{"to a millisecond later", time.Time{}, at(4).Add(ms), 0, 4},
		{"between two rows' times", at(1), at(3), 1, 2},
		{"one millisecond that holds one", at(3), at(3).Add(ms), 3, 3},
		{"equal bounds", at(3), at(3), 0, -1},
		{"all of time", f.start.AddDate(-60, 0, 0), f.start.AddDate(5_000, 0, 0), 0, end},
		{"before all", time.Time{}, at(0), 0, -1},
		{"after all", at(end).Add(ms), time.Time{}, 0, -1},
		{"in another time zone", at(1).In(time.FixedZone("", 3600)), at(2).In(time.FixedZone("", -3600)), 1, 1},
	} {
		between := l.between(c.from, c.to)
		want := keysOf(rows[c.first:c.last+1], l.key)
		equal(f, c.name+", oldest first", keysOf(walk(f, between.inOrder(blog.OldestFirst), 2, forward), l.key), want)
		equal(f, c.name+", newest first", keysOf(walk(f, between, 2, backward), l.key), newestFirst(want))
	}
}

// checkPagesBetween reads pages of all rows of a list but the outer ones, two on each side of many, also with
// cursors that lie outside of the times.
func checkPagesBetween[K, T any](f *fixture, l list[K, T], rows []T) {
	f.Helper()
	keys := keysOf(rows, l.key)
	end := len(keys) - 2
	checkPages(f, l.between(madeAt(keys[2]), madeAt(keys[end])), keys[2:end], append(keys[:2:2], keys[end:]...))
}
