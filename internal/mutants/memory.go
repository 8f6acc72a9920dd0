package main

var memory = []fault{
	{
		name: "the rows that all may read at once are not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `	m.budget.rows.Release(weight(rows))
`, new: ``, tests: "resolvers",
	},
	{
		name: "the rows that one may read at once are not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `	m.budget.rows.Release(weight(rows))
	m.rows.Release(weight(rows))
`, new: `	m.budget.rows.Release(weight(rows))
`, tests: "resolvers",
	},
	{
		name: "a read that gives up keeps the rows of its answer", kind: "missing release", file: "internal/memory/budget.go",
		old: `		m.rows.Release(weight(rows))
		return err
`, new: `		return err
`,
	},
	{
		name: "one answer reads any number of rows at once", kind: "limit", file: "internal/memory/budget.go",
		old: `semaphore.NewWeighted(rowsAtOnce) })`, new: `semaphore.NewWeighted(rowsAtOnce * rowsAtOnce) })`, tests: "resolvers",
	},
	{
		name: "what was reserved is not given back", kind: "missing release", file: "internal/memory/room.go",
		old: `		r.room.take(r.client, r.free-r.reserved, r.fair)
`, new: ``, tests: "resolvers",
	},
	{
		name: "small reservations of one client are any number", kind: "limit", file: "internal/memory/room.go",
		old: `	if r.free[client] == freeOfAClient {`, new: `	if false {`,
	},
	{
		name: "what is refused is not given back", kind: "missing release", file: "internal/memory/room.go",
		old: `		r.full = true
		r.release()
`, new: `		r.full = true
`,
	},
	{
		name: "a client takes all that there is", kind: "limit", file: "internal/memory/room.go",
		old: `|| fair && held > r.bytes-taken`, new: ``,
	},
	{
		name: "an answer that was made asks for its client's share", kind: "limit", file: "internal/memory/budget.go",
		old: `	r.fair = false
`, new: ``,
	},
	{
		name: "an answer has any number of bytes", kind: "limit", file: "internal/memory/budget.go",
		old: `limit > 0 && max(m.spent, m.held) > limit`, new: `limit < 0`, tests: "resolvers",
	},
}
