package main

var resolvers = []fault{
	{
		name: "that an account is suspended is told everybody", kind: "authorization", file: "resolvers/users_by_id.go",
		old: `own || asker.Role != blog.Member {`, new: `own || asker.Role >= blog.Member {`, tests: "identity",
	},
	{
		name: "an account is remembered for ever", kind: "stale", file: "resolvers/request.go",
		old: `ok && time.Now().Before(known.until) {`, new: `ok {`,
	},
	{
		name: "an answer brings back whose account it was", kind: "authorization", file: "resolvers/request.go",
		old: `if account.Subject != subject {`, new: `if false {`,
	},
	{
		name: "a page has 101 rows", kind: "off-by-one", file: "resolvers/pages.go",
		old: `request.Limit > blog.MaxPage`, new: `request.Limit > blog.MaxPage+1`,
	},
	{
		name: "a page has no rows", kind: "off-by-one", file: "resolvers/pages.go",
		old: `request.Limit < 1`, new: `request.Limit < 0`,
	},
	{
		name: "createdFrom after createdTo is taken", kind: "validation", file: "resolvers/arguments.go",
		old: `from != nil && to != nil && from.After(*to)`, new: `false`,
	},
	{
		name: "expectedVersion null is any version", kind: "null check", file: "resolvers/arguments.go",
		old: `	if set && value == nil {
		return nil, blog.FieldErrorf(blog.Invalid, "expectedVersion"`,
		new: `	if false && set {
		return nil, blog.FieldErrorf(blog.Invalid, "expectedVersion"`,
	},
	{
		name: "any number of nodes is read", kind: "limit", file: "resolvers/node.go",
		old: `if len(ids) > maxNodes {`, new: `if false {`,
	},
	{
		name: "viewerHasLiked costs nothing", kind: "wrong cost", file: "resolvers/cost.go",
		old: `		return reads[name] * at.lists
`, new: `		return 0
`,
	},
	{
		name: "the costs of pages of pages don't multiply", kind: "wrong cost", file: "resolvers/cost.go",
		old: `nodes: min(at.nodes*at.page, beyondCost)`, new: `nodes: at.page`, tests: "httpapi",
	},
	{
		name: "a cost is kept that a variable decides", kind: "cache key lacks field", file: "resolvers/cost.go",
		old: `!slices.ContainsFunc(variables, decides)`, new: `true`, tests: "httpapi",
	},
	{
		name: "root fields of a mutation share what they read", kind: "stale", file: "resolvers/request.go",
		old: `next(context.WithValue(ctx, scopeKey, r.newScope(scopeOf(ctx).request)))`, new: `next(ctx)`,
	},
	{
		name: "a payload's comment count is older than its command", kind: "stale", file: "resolvers/writing.go",
		old: `	whole.Comments = p.Comments.Newer(known.Comments)
`, new: ``,
	},
	{
		name: "a payload's like count is older than its command", kind: "stale", file: "resolvers/writing.go",
		old: `		*k.Count(&whole) = k.Count(p).Newer(*k.Count(&known))
`, new: `		_ = k
`,
	},
	{
		name: "the cause of an internal error is shown", kind: "leak", file: "resolvers/errors.go",
		old: `code != codeInternal && errors.As(err, &domain) && domain.Message != ""`, new: `errors.As(err, &domain) && domain.Message != ""`,
	},
	{
		name: "a copy without a name is shown as empty", kind: "null check", file: "resolvers/ahead.go",
		old: `whole || named && held.Username == ""`, new: `whole`,
	},
	{
		name: "totalCount is told though a time bounds the list", kind: "wrong null", file: "resolvers/comments_by_post.go",
		old: `createdFrom == nil && createdTo == nil`, new: `createdFrom == nil`,
	},
	{
		name: "the rows that were read are not given back", kind: "missing release", file: "resolvers/answer.go",
		old: `	defer reservation.EndRows(rows)
`, new: ``,
	},
	{
		name: "an answer that was made keeps its reservation", kind: "missing release", file: "resolvers/request.go",
		old: `	defer q.reservation.Release()
`, new: ``,
	},
	{
		name: "the bytes of a page of comments are not counted", kind: "limit", file: "resolvers/answer.go",
		old: `	if !reservation.Hold(held) {`, new: `	if false {`,
	},
	{
		name: "the bytes of a post's text are not reserved", kind: "limit", file: "resolvers/answer.go",
		old: `err == nil && !reservation.Hold(len(post.Content))`, new: `err == nil && !reservation.Hold(0)`,
	},
	{
		name: "what an event answers is not paid", kind: "limit", file: "resolvers/follow.go",
		old: `			f.work.Pay(f.cost)
`, new: ``, tests: "httpapi",
	},
	{
		name: "what is read of the feed is not paid", kind: "limit", file: "resolvers/live.go",
		old: `asker.work().Pay(1 + changes/changesOfAUnit)`, new: `asker.work().Pay(0)`, tests: "httpapi",
	},
	{
		name: "what a mutation costs is kept from its first sender", kind: "cache key lacks field", file: "resolvers/cost.go",
		old: `op.Operation.Operation != ast.Mutation && `, new: ``, tests: "httpapi",
	},
	{
		name: "a mutation that was executed is to be tried again", kind: "wrong answer", file: "resolvers/answer.go",
		old: `		refusal.Extensions[Executed] = true
`, new: ``, tests: "httpapi",
	},
	{
		name: "viewerHasLiked of a page is read row by row", kind: "concurrency", file: "resolvers/ahead.go",
		old: `				aheadOfViewer(ctx, of.kind, keysOf(posts, postID))
`, new: `				_ = of
`,
	},
	{
		name: "an account made by the request is not known in it", kind: "stale", file: "resolvers/request.go",
		old: `	q.known, q.account = true, &account
`, new: ``,
	},
	{
		name: "an answer is shared with the cursor of the stream that made it", kind: "cache key lacks field", file: "resolvers/follow.go",
		old: `toldOf{f.asked, f.cursor}`, new: `toldOf{f.asked, ""}`,
	},
	{
		name: "an edit of a user leaves a field out", kind: "forgotten field", file: "resolvers/update_user.go",
		old: `			Bio:             edit(input.Bio),
`, new: ``,
	},
	{
		name: "an edit of a user goes by any version", kind: "forgotten field", file: "resolvers/update_user.go",
		old: `		version, err := expected(input.ExpectedVersion)
`, new: `		version, err := expected(input.ExpectedVersion)
		version = nil
`,
	},
	{
		name: "an edit of a post leaves a field out", kind: "forgotten field", file: "resolvers/update_post.go",
		old: `			Content:         edit(input.Content),
`, new: ``,
	},
	{
		name: "a comment's idempotency key is left out", kind: "forgotten field", file: "resolvers/create_comment.go",
		old: `			IdempotencyKey: input.IdempotencyKey.Value(),
`, new: ``,
	},
	{
		name: "all clients share the reads of operations of many", kind: "limit", file: "resolvers/large_reads.go",
		old: `Enter(asker.Client, ctx.Done())`, new: `Enter(memory.Client{}, ctx.Done())`,
	},
	{
		name: "a large operation begins all rows of a list", kind: "limit", file: "resolvers/request.go",
		old: `, q.limit.Beside = true, r.config.InProcess, r.beside`, new: ` = true, r.config.InProcess`,
	},
	{
		name: "who waits for its reads holds room for comments", kind: "lock order", file: "resolvers/answer.go",
		old: `	ctx, end := scopeOf(ctx).by.reads.begin(ctx)
	defer end()
`, new: ``,
	},
	{
		name: "operations of few reads wait for those of many", kind: "limit", file: "resolvers/large_reads.go",
		old: `|| !asker.large() `, new: ``,
	},
}
