package main

var share = []fault{
	{
		name: "a page backward is one forward", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `backward: request.Backward, `, new: ``,
	},
	{
		name: "a page before a row is one before another", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `		p.before = *request.Before
`, new: `		_ = *request.Before
`,
	},
	{
		name: "a page after a row is one after another", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `		p.after = *request.After
`, new: `		_ = *request.After
`,
	},
	{
		name: "a long page is a short one", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `{limit: request.Limit, `, new: `{`,
	},
	{
		name: "the oldest first are the newest first", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), blog.NewestFirst, q.From, q.To, q.Made}`,
	},
	{
		name: "comments between two times are those of all times", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), q.Order, time.Time{}, time.Time{}, q.Made}`,
	},
	{
		name: "a page that need not tell how many comments were made is one that does", kind: "cache key lacks field", file: "internal/share/store.go",
		old: `pageOf(q.Page), q.Order, q.From, q.To, q.Made}`, new: `pageOf(q.Page), q.Order, q.From, q.To, false}`,
	},
	{
		name: "a comment is found below any post", kind: "cache key lacks field", file: "internal/share/queries_gen.go",
		old: `s.commentByKey.Do(ctx, key, func`, new: `s.commentByKey.Do(ctx, blog.CommentKey{Comment: key.Comment}, func`,
	},
}

// live shares what is read of the change feed, as package share does pages.
var live = []fault{
	{
		name: "a cursor lies behind comments that wait", kind: "stale", file: "internal/live/comments.go",
		old: `	made := CommentCreatedEvent{about: about{c.stream.tail, e}}
	if len(c.waiting) == 0 {
		c.at`, new: `	made := CommentCreatedEvent{about: about{c.stream.tail, e}}
	if c.waiting != nil {
		c.at`,
	},
	{
		name: "what a cursor has passed is told again from the window", kind: "off-by-one", file: "internal/live/stream.go",
		old: `func (s *stream) passed(e *event) bool { return s.skip != nil && e.Number <=`, new: `func (s *stream) passed(e *event) bool { return s.skip != nil && e.Number <`,
	},
	{
		name: "a stream that left stays in its list", kind: "missing release", file: "internal/live/stream.go",
		old: `	if l.streams--; l.streams == 0 {`, new: `	if l.streams--; false {`,
	},
	{
		name: "a slow stream holds back all that follows", kind: "limit", file: "internal/live/tail.go",
		old: `		e.next, e.cut = nil, true
`, new: ``,
	},
	{
		name: "a deleted post is told from memory", kind: "stale", file: "internal/live/tail.go",
		old: `		w.post.drop()
`, new: ``,
	},
	{
		name: "a hub that is not used goes on", kind: "missing release", file: "internal/live/hub.go",
		old: `t.uses == 0 && time.Since(t.used) >= h.Linger`, new: `t.uses < 0`,
	},
	{
		name: "a comment waits for the one before it for ever", kind: "deadline", file: "internal/live/comments.go",
		old: `c.since.Add(c.stream.tail.hub.Patience)`, new: `c.since.Add(100 * c.stream.tail.hub.Patience)`,
	},
	{
		name: "a state that was read is read again by each stream", kind: "concurrency", file: "internal/live/states.go",
		old: `	if version, _ := s.now(); version == s.read {`, new: `	if false {`,
	},
	{
		name: "a state is read as often as streams ask", kind: "limit", file: "internal/live/states.go",
		old: `		if err := waitUntil(ctx, s.tail, s.next); err != nil {
			return event, 0, err
		}
`, new: ``,
	},
	{
		name: "a read that fails ends a stream of states", kind: "error swallowed", file: "internal/live/states.go",
		old: `		case !passes(err) || ctx.Err() != nil:`, new: `		case true:`,
	},
	{
		name: "another post's cursor is taken", kind: "cursor check", file: "internal/live/cursor.go",
		old: `	if blog.UUID(raw[:len(post.UUID)]) != post.UUID {`, new: `	if false {`,
	},
}
