package main

var coalesce = []fault{
	{
		name: "a batch ends when its first caller leaves", kind: "cancellation", file: "internal/coalesce/coalesce.go",
		old: `context.WithoutCancel(b.calls[0].values)`, new: `b.calls[0].values`,
	},
	{
		name: "a shared call has the deadline of its first caller", kind: "deadline", file: "internal/coalesce/coalesce.go",
		old: `if deadline.After(p.until) {`, new: `if p.until.IsZero() {`,
	},
	{
		name: "a batch has the deadline of its first call", kind: "deadline", file: "internal/coalesce/coalesce.go",
		old: `if p.until.After(until) {`, new: `if until.IsZero() {`,
	},
	{
		name: "a batch without callers goes on", kind: "cancellation", file: "internal/coalesce/coalesce.go",
		old: `b.callers == 0 && n.Limit == 0 {`, new: `false {`,
	},
	{
		name: "a batch with a limit ends with its callers", kind: "cancellation", file: "internal/coalesce/coalesce.go",
		old: `b.callers == 0 && n.Limit == 0 {`, new: `b.callers == 0 {`,
	},
	{
		name: "a call without callers is made", kind: "cancellation", file: "internal/coalesce/coalesce.go",
		old: `	case p.callers == 0:
`, new: `	case false:
`,
	},
	{
		name: "a caller fails with another's call", kind: "dropped retry", file: "internal/coalesce/coalesce.go",
		old: `if err == nil || own || !n.again(err) || ctx.Err() != nil {`, new: `if true || own {`,
	},
	{
		name: "the first caller of a batch that failed is told of it", kind: "dropped retry", file: "internal/coalesce/coalesce.go",
		old: `first && len(p.batch.calls) == 1, p.err`, new: `first, p.err`,
	},
	{
		name: "a call that stalled gives back the slot of another", kind: "concurrency", file: "internal/coalesce/coalesce.go",
		old: `	if s.run != run {
`, new: `	if false {
`,
	},
	{
		name: "a batch has any number of keys", kind: "limit", file: "internal/coalesce/coalesce.go",
		old: `size.Count > n.Most.Count || `, new: ``,
	},
	{
		name: "a batch has any number of bytes", kind: "limit", file: "internal/coalesce/coalesce.go",
		old: ` || size.Bytes > n.Most.Bytes`, new: ``,
	},
	{
		name: "a slot has no pause", kind: "limit", file: "internal/coalesce/coalesce.go",
		old: `n.Pause > 0 && n.Many != nil`, new: `false`,
	},
	{
		name: "a key is kept for which nothing is under way", kind: "missing release", file: "internal/coalesce/coalesce.go",
		old: `		delete(n.byKey, key)
		n.idle.Put(q)
`, new: ``,
	},
}
