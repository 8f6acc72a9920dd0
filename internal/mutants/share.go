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
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), blog.NewestFirst, q.From, q.To, q.Made}`,
	},
	{
		name: "comments between two times are those of all times", kind: "cache key lacks field", file: "share/store.go",
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), q.Order, time.Time{}, time.Time{}, q.Made}`,
	},
	{
		name: "a page that need not tell how many comments were made is one that does", kind: "cache key lacks field", file: "share/store.go",
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), q.Order, q.From, q.To, false}`,
	},
	{
		name: "a comment is found below any post", kind: "cache key lacks field", file: "share/queries_gen.go",
		old: `s.commentByKey.Do(ctx, key, func`, new: `s.commentByKey.Do(ctx, blog.CommentKey{Comment: key.Comment}, func`,
	},
}
