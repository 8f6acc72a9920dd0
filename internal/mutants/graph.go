package main

var graph = []fault{
	{
		name: "a plan does not depend on what is skipped", kind: "cache key lacks field", file: "graph/plan/cache.go",
		old: `			values[i] = 1
`, new: `			values[i] = 0
`,
	},
	{
		name: "mutations are left to gqlgen", kind: "limit", file: "graph/plan/cache.go",
		old: `	if op.never {`, new: `	if op.never || oc.Operation.Operation == ast.Mutation {`, tests: "httpapi",
	},
	{
		name: "an operation has any number of plans", kind: "limit", file: "graph/plan/cache.go",
		old: `len(op.plans) < maxVariants && `, new: ``,
	},
	{
		name: "a plan does not depend on conditions in fragments", kind: "cache key lacks field", file: "graph/plan/cache.go",
		old: `	for _, f := range doc.Fragments {
		op.inspect(f.SelectionSet)
	}
`, new: ``,
	},
	{
		name: "an error does not tell its row", kind: "wrong path", file: "graph/plan/execute.go",
		old: `			*index = i
			there = write(exec, row, w, f, &values[i])
`,
		new: `			_ = index
			there = write(exec, row, w, f, &values[i])
`,
	},
	{
		name: "an error of rows beside each other does not tell its row", kind: "wrong path", file: "graph/plan/execute.go",
		old: `			*index = i
			parts[i] =`,
		new: `			_ = index
			parts[i] =`,
	},
	{
		name: "an object does not look at the room of its answer", kind: "limit", file: "graph/plan/execute.go",
		old: `if !w.mayGrow() {`, new: `if false {`,
	},
	{
		name: "a list goes on after its context ended", kind: "cancellation", file: "graph/plan/execute.go",
		old: `err := ctx.Err(); err != nil`, new: `err := ctx.Err(); false`,
	},
	{
		name: "a pooled writer keeps the contexts of the request before", kind: "stale state", file: "graph/plan/writer.go",
		old: `	clear(w.frames)
`, new: ``,
	},
	{
		name: "a pooled writer keeps what its answer was told", kind: "stale state", file: "graph/plan/writer.go",
		old: `	w.limit, w.told = nil, 0
`, new: `	w.limit = nil
`,
	},
	{
		name: "what was written aside is told twice", kind: "limit", file: "graph/plan/execute.go",
		old: `		w.told += p.to - p.from // its own writer has told
`, new: ``,
	},
	{
		name: "a writer beside another asks for no room", kind: "limit", file: "graph/plan/writer.go",
		old: `	other.limit = w.limit
`, new: ``,
	},
	{
		name: "a large answer keeps its turn", kind: "limit", file: "graph/plan/turns.go",
		old: `t.begun && t.bytes < aTurn`, new: `t.begun`,
	},
	{
		name: "an answer that waits for its client's one before keeps its turn", kind: "missing release", file: "graph/plan/turns.go",
		old: `			t.leave(of) // others go on while the client's answer before is made
`, new: ``,
	},
	{
		name: "what is written beside is not told at its end", kind: "limit", file: "graph/plan/execute.go",
		old: `		defer by.tell()
`, new: ``,
	},
	{
		name: "the end of an answer is not told", kind: "limit", file: "graph/plan/execute.go",
		old: `			defer r.by.tell()
`, new: ``,
	},
	{
		name: "a pooled writer keeps a buffer of any size", kind: "limit", file: "graph/plan/writer.go",
		old: `cap(w.Bytes) > maxIdle`, new: `false`,
	},
	{
		name: "the writer of one row's fields stays lent", kind: "stale state", file: "graph/plan/writer.go",
		old: `			w.lent = false
`, new: ``,
	},
	{
		name: "a null where none may be is written", kind: "wrong null", file: "graph/plan/execute.go",
		old: `	if nonNull {
		return false
	}
	return w.Null()`,
		new: `	return w.Null() || nonNull`,
	},
	{
		name: "all rows of a list are written at once", kind: "limit", file: "graph/plan/execute.go",
		old: `min(len(values), w.limit.beside()) - 1`, new: `len(values) - 1`,
	},
}
