package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"broadsheet/blog"
)

// checkPages reads pages of a list in every way and compares them with what
// follows from the keys that stand. gone are keys that stood there and do no
// more: cursors that stay valid.
func checkPages[K, T any](f *fixture, l list[K, T], standing, gone []K) {
	f.Helper()
	standing = slices.SortedFunc(slices.Values(standing), l.order)
	for _, direction := range []bool{forward, backward} {
		rows := walk(f, l, 7, direction)
		equal(f, fmt.Sprintf("%s in pages of 7, backward %v", l.name, direction), keysOf(rows, l.key), standing)
	}
	for _, c := range pageCases(len(standing)) {
		checkPage(f, l, c.name, requestOf(c, standing), standing)
	}
	bounds := append(slices.Clone(standing), gone...)
	for range 15 {
		checkPage(f, l, "random bounds", randomRequest(f.random, bounds), standing)
	}
}

func checkPage[K, T any](f *fixture, l list[K, T], name string, request blog.PageRequest[K], standing []K) {
	f.Helper()
	page, err := l.page(request)
	f.ok(err, l.name+", "+name)
	self := func(key K) K { return key }
	want := pageOf(slices.Clone(standing), self, l.newest, l.within(request))
	what := fmt.Sprintf("%s, %s, %s", l.name, name, asText(request))
	equal(f, what, append([]K{}, keysOf(page.Items, l.key)...), append([]K{}, want.Items...))
	equal(f, what+": HasNext", page.HasNext, want.HasNext)
	equal(f, what+": HasPrevious", page.HasPrevious, want.HasPrevious)
}

// pageCase is a request by the places of its bounds in the list; none is no bound.
type pageCase struct {
	name          string
	limit         int
	backward      bool
	after, before int
}

const none = -1

func pageCases(n int) []pageCase {
	return []pageCase{
		{"the first row", 1, forward, none, none},
		{"the last row", 1, backward, none, none},
		{"as many as there are", n, forward, none, none},
		{"as many as there are, backward", n, backward, none, none},
		{"one fewer than there are", n - 1, forward, none, none},
		{"one fewer than there are, backward", n - 1, backward, none, none},
		{"one more than there are", n + 1, forward, none, none},
		{"the most that may be asked for, backward", blog.MaxPage, backward, none, none},
		{"after the first", n, forward, 0, none},
		{"after the last", 3, forward, n - 1, none},
		{"before the first", 3, backward, none, 0},
		{"before the last", 3, backward, none, n - 1},
		{"the last ones after a row", 3, backward, 1, none},
		{"the first ones before a row", 3, forward, none, n - 2},
		{"between two rows, all", n, forward, 1, n - 2},
		{"between two rows, some", 2, forward, 1, n - 2},
		{"between two rows, some, backward", 2, backward, 1, n - 2},
		{"between neighbours", 3, forward, 2, 3},
		{"between a row and itself", 3, forward, 2, 2},
		{"between crossed bounds", 3, backward, 4, 2},
	}
}

func requestOf[K any](c pageCase, standing []K) blog.PageRequest[K] {
	request := blog.PageRequest[K]{Limit: c.limit, Backward: c.backward}
	if c.after != none {
		request.After = &standing[c.after]
	}
	if c.before != none {
		request.Before = &standing[c.before]
	}
	return request
}

// randomRequest returns a request with each bound, where it has one, at any key.
func randomRequest[K any](r *rand.Rand, keys []K) blog.PageRequest[K] {
	request := blog.PageRequest[K]{Limit: 1 + r.IntN(len(keys)+2), Backward: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		request.After = &keys[r.IntN(len(keys))]
	}
	if r.IntN(2) == 0 {
		request.Before = &keys[r.IntN(len(keys))]
	}
	return request
}
