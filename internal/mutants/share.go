package main

var share = []fault{
	{
		name: "a page backward is one forward", kind: "cache key lacks field", file: "share/store.go",
		old: `backward: request.Backward, `, new: ``,
	},
	{
		name: "a page before a row is one before another", kind: "cache key lacks field", file: "share/store.go",
		old: `		p.before = *request.Before
`, new: `		_ = *request.Before
`,
	},
	{
		name: "a page after a row is one after another", kind: "cache key lacks field", file: "share/store.go",
		old: `		p.after = *request.After
`, new: `		_ = *request.After
`,
	},
	{
		name: "a long page is a short one", kind: "cache key lacks field", file: "share/store.go",
		old: `{limit: request.Limit, `, new: `{`,
	},
	{
		name: "the oldest first are the newest first", kind: "cache key lacks field", file: "share/store.go",
		old: `pageOf(q.Page)}, q.Order, q.From, q.To}`, new: `pageOf(q.Page)}, blog.NewestFirst, q.From, q.To}`,
	},
	{
		name: "comments between two times are those of all times", kind: "cache key lacks field", file: "share/store.go",
		old: `pageOf(q.Page)}, q.Order, q.From, q.To}`, new: `pageOf(q.Page)}, q.Order, time.Time{}, time.Time{}}`,
	},
	{
		name: "a comment is found below any post", kind: "cache key lacks field", file: "share/store.go",
		old: `s.commentByKey.Do(ctx, key, func`, new: `s.commentByKey.Do(ctx, blog.CommentKey{Comment: key.Comment}, func`,
	},
	{
		name: "a shared read ends when its first caller leaves", kind: "cancellation", file: "share/reads.go",
		old: `ctx := context.WithoutCancel(n.values)`, new: `ctx := n.values`,
	},
	{
		name: "a shared read has the deadline of its first caller", kind: "deadline", file: "share/reads.go",
		old: `if deadline.After(n.until) {`, new: `if n.until.IsZero() {`,
	},
	{
		name: "a shared read for which nobody waits goes on", kind: "cancellation", file: "share/reads.go",
		old: `n.waiting == 0 && n.cancel != nil {`, new: `false && n.cancel != nil {`,
	},
	{
		name: "a caller fails with another's read", kind: "dropped retry", file: "share/reads.go",
		old: `if err == nil || own || answers(err) || ctx.Err() != nil {`, new: `if true || own {`,
	},
}
