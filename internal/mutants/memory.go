package main

var memory = []fault{
	{
		name: "the rows that all may read at once are not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `	r.budget.rows.Release(weight(rows))
`, new: ``, tests: "resolvers",
	},
	{
		name: "the rows that one may read at once are not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `	r.budget.rows.Release(weight(rows))
	r.rows.Release(weight(rows))
`, new: `	r.budget.rows.Release(weight(rows))
`, tests: "resolvers",
	},
	{
		name: "a read that gives up keeps the rows of its answer", kind: "missing release", file: "internal/memory/budget.go",
		old: `		r.rows.Release(weight(rows))
		return err
`, new: `		return err
`,
	},
	{
		name: "one answer reads any number of rows at once", kind: "limit", file: "internal/memory/budget.go",
		old: `semaphore.NewWeighted(rowsAtOnce) })`, new: `semaphore.NewWeighted(rowsAtOnce * rowsAtOnce) })`, tests: "resolvers",
	},
	{
		name: "what was reserved is not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `		r.budget.reserved.Add(small - r.reserved)
`, new: ``, tests: "resolvers",
	},
	{
		name: "what is refused is not given back", kind: "missing release", file: "internal/memory/budget.go",
		old: `		r.full = true
		r.release()
`, new: `		r.full = true
`,
	},
	{
		name: "answers that are made leave no memory to send them", kind: "limit", file: "internal/memory/budget.go",
		old: `most: b.answers / 2`, new: `most: b.answers`,
	},
	{
		name: "an answer has any number of bytes", kind: "limit", file: "internal/memory/budget.go",
		old: `r.limit > 0 && r.spent > r.limit`, new: `false`, tests: "resolvers",
	},
}
