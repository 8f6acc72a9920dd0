package main

var httpapi = []fault{
	{
		name: "anybody may keep the answer to a token", kind: "cache header", file: "internal/httpapi/caching.go",
		old: `isSafe(r.Method) && anonymous && `, new: `isSafe(r.Method) && (anonymous || true) && `,
	},
	{
		name: "anybody may keep an error", kind: "cache header", file: "internal/httpapi/caching.go",
		old: ` && len(response.Errors) == 0 && response.Extensions["budget"] == nil`, new: ` && response.Extensions["budget"] == nil`,
	},
	{
		name: "anybody may keep another's budget", kind: "cache header", file: "internal/httpapi/caching.go",
		old: ` && response.Extensions["budget"] == nil`, new: ``,
	},
	{
		name: "Vary lacks Authorization", kind: "cache header", file: "internal/httpapi/response.go",
		old: `{"Accept, Authorization"}`, new: `{"Accept"}`,
	},
	{
		name: "Vary loses Origin", kind: "cache header", file: "internal/httpapi/response.go",
		old: `append(others, vary...)`, new: `append(others[:0:0], vary...)`,
	},
	{
		name: "who has a token shares answers", kind: "cache key lacks field", file: "internal/httpapi/graphql.go",
		old: ` || resolvers.AskerOf(ctx).Subject != "" {`, new: ` {`,
	},
	{
		name: "a body and a URL that say the same are one question", kind: "cache key lacks field", file: "internal/httpapi/sharing.go",
		old: `question{true, string(body)}`, new: `question{false, string(body)}`,
	},
	{
		name: "any number of requests wait", kind: "limit", file: "internal/httpapi/gate.go",
		old: `if g.waiting.Add(1) > g.queued {`, new: `if g.waiting.Add(1) > 1<<40 {`,
	},
	{
		name: "the queue is never full", kind: "limit", file: "internal/httpapi/gate.go",
		old: `g.slots == nil || g.waiting.Load() < g.queued`, new: `true`,
	},
	{
		name: "who is refused by a rate pays for it", kind: "limit", file: "internal/httpapi/rates/buckets.go", tests: "httpapi",
		old: `		reserved.CancelAt(now)
`, new: `		_ = reserved
`,
	},
	{
		name: "bad tokens are free", kind: "limit", file: "internal/httpapi/auth.go",
		old: `	judged(err == nil ||`, new: `	judged(true || err == nil ||`,
	},
	{
		name: "good tokens are paid for as bad ones", kind: "limit", file: "internal/httpapi/auth.go",
		old: `		if good {`, new: `		if false {`,
	},
	{
		name: "a mutation that is refused by one rate pays for the others", kind: "limit", file: "internal/httpapi/rates/writes.go", tests: "httpapi",
		old: `				one.CancelAt(now)
`, new: `				_ = one
`,
	},
	{
		name: "an operation's writes count once, however many they are", kind: "limit", file: "internal/httpapi/rates/writes.go", tests: "httpapi",
		old: `ReserveN(now, n)`, new: `ReserveN(now, 1)`,
	},
	{
		name: "each address of IPv6 is a client", kind: "limit", file: "internal/httpapi/peer/peer.go",
		old: `		bits = 56
`, new: `		bits = 128
`,
	},
	{
		name: "several Authorization headers are taken", kind: "authentication", file: "internal/httpapi/auth.go",
		old: `if len(values) > 1 {`, new: `if false {`,
	},
	{
		name: "X-Forwarded-For is believed of anybody", kind: "trust", file: "internal/httpapi/peer/peer.go",
		old: `for p.Trust(address) && hops != "" {`, new: `for hops != "" {`,
	},
	{
		name: "metrics stay where clients are answered", kind: "exposure", file: "internal/httpapi/routes.go",
		old: `if !a.config.OperatorsApart {`, new: `if true {`,
	},
	{
		name: "userErrors are not counted", kind: "count", file: "internal/httpapi/record/metrics.go", tests: "httpapi",
		old: `		m.refused.WithLabelValues(e.Mutation, e.Code).Inc()
`, new: `		_ = e
`,
	},
	{
		name: "a body of unknown length has no end", kind: "limit", file: "internal/httpapi/request.go",
		old: `http.MaxBytesReader(w, r.Body, maxBody)`, new: `http.MaxBytesReader(w, r.Body, 1<<40)`,
	},
	{
		name: "a GET mutates", kind: "authorization", file: "internal/httpapi/graphql.go",
		old: `isSafe(r.Method) && kind == ast.Mutation`, new: `false`,
	},
	{
		name: "a text is persisted under another's hash", kind: "poisoning", file: "internal/httpapi/documents.go",
		old: `case hashOf(p.Query) != hash:`, new: `case false:`,
	},
	{
		name: "a text of any length is persisted", kind: "limit", file: "internal/httpapi/documents.go",
		old: ` && len(text) <= maxPersistedText {`, new: ` {`,
	},
	{
		name: "a text that is not trusted is executed with its hash", kind: "trust", file: "internal/httpapi/documents.go",
		old: `	case d.only && !d.trusted.holds(p.Query):
		return "", errUntrustedDocument
`, new: ``,
	},
	{
		name: "the highest cost is refused", kind: "off-by-one", file: "internal/httpapi/limits.go",
		old: `limit > 0 && cost > limit`, new: `limit > 0 && cost >= limit`,
	},
	{
		name: "an answer has any number of errors", kind: "limit", file: "internal/httpapi/record/bound.go", tests: "httpapi",
		old: `if len(response.Errors) > refusal.MaxErrors {`, new: `if false {`,
	},
	{
		name: "requests that share an answer share its errors", kind: "race", file: "internal/httpapi/graphql.go",
		old: `slices.Clone(own.Errors)`, new: `slices.Clip(own.Errors)`,
		accepted: "each of them shortens the errors to the same ones: what is written at once is the same, and only the race detector sees it",
	},
	{
		name: "an answer that failed is shared", kind: "dropped retry", file: "internal/httpapi/graphql.go",
		old: `if slices.ContainsFunc(response.Errors, passes) {`, new: `if false {`,
	},
	{
		name: "the tag of an answer is that of another media type", kind: "cache header", file: "internal/httpapi/caching.go",
		old: `	sum.Write([]byte(mediaType + "\n"))
`, new: ``,
	},
	{
		name: "a socket's token is judged once", kind: "authentication", file: "internal/httpapi/websocket.go",
		old: `	_, err := c.judged()
`, new: `	var err error
`,
	},
	{
		name: "a body is paid by what it says of itself", kind: "limit", file: "internal/httpapi/request.go",
		old: `case !r.budget.Receive(n):`, new: `case false:`,
	},
	{
		name: "the room of a written answer is not given back", kind: "missing release", file: "internal/httpapi/graphql.go",
		old: `		defer release()
`, new: ``,
	},
	{
		name: "a document repeats itself without end", kind: "limit", file: "internal/httpapi/document/document.go",
		old: `compared > maxComparisons`, new: `compared < 0`,
	},
	{
		name: "aliases in a fragment count once", kind: "limit", file: "internal/httpapi/document/size.go",
		old: `		aliases:     sum(s.aliases, t.aliases),
`, new: `		aliases:     max(s.aliases, t.aliases),
`,
	},
	{
		name: "pages of other origins read every path", kind: "CORS", file: "internal/httpapi/browser.go",
		old: `r.URL.Path == graphqlPath || r.URL.Path == schemaPath`, new: `true`,
	},
	{
		name: "a closed connection keeps its place", kind: "missing release", file: "internal/httpapi/connections.go",
		old: `	c.leave()
	return c.Conn.Close()`, new: `	return c.Conn.Close()`,
	},
	{
		name: "a request keeps its place in the gate", kind: "missing release", file: "internal/httpapi/graphql.go",
		old: `	defer leave()
	return respond(), true`, new: `	_ = leave
	return respond(), true`,
	},
	{
		name: "the time for reading is not lifted when the body is there", kind: "deadline", file: "internal/httpapi/request.go",
		old: `	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a recorder in tests has none
`, new: `	_ = time.Time{}
`,
	},
	{
		name: "a large answer has no more time than the request had", kind: "deadline", file: "internal/httpapi/pace.go",
		old: `if bytes <= smallAnswer {`, new: `if bytes > 0 {`,
	},
	{
		name: "a client reads as slowly as it likes", kind: "deadline", file: "internal/httpapi/pace.go",
		old: `	_ = p.control.SetWriteDeadline(p.began.Add(paceGrace + reading))`, new: `	_ = p.control.SetWriteDeadline(p.began.Add(time.Hour + reading))`,
	},
	{
		name: "large bodies take no memory", kind: "limit", file: "internal/httpapi/request.go",
		old: `case !r.by.Reserve(bodyCopies * n):`, new: `case false:`,
	},
	{
		name: "a document is kept as a part of a longer text", kind: "aliasing", file: "internal/httpapi/document/document.go",
		old: `		text = strings.Clone(text) // it may be a part of a long URL
`, new: ``,
	},
	{
		name: "a persisted text is kept as a part of a longer one", kind: "aliasing", file: "internal/httpapi/documents.go",
		old: `strings.Clone(text), len(text)) //`, new: `strings.TrimSpace(text), len(text)) //`,
	},
	{
		name: "work begins for a client in debt", kind: "limit", file: "internal/httpapi/rates/budget.go", tests: "httpapi",
		old: `b.Limiter.TokensAt(now) >= 0`, new: `b.Limiter.TokensAt(now) >= -1e9`,
	},
	{
		name: "an answer is written however deep in debt its client is", kind: "limit", file: "internal/httpapi/rates/budget.go", tests: "httpapi",
		old: `return b.Limiter.TokensAt(now) > -float64(b.Limiter.Burst())`, new: `return true`,
	},
	{
		name: "a debt that one request has is all others' who share its answer", kind: "dropped retry", file: "internal/httpapi/sharing.go",
		old: `	case refusal.CodeRateLimited: // of the client for which it was made
		return true
`, new: ``,
	},
	{
		name: "new documents cost nothing", kind: "limit", file: "internal/httpapi/document/work.go",
		old: `if begin == nil || begin(units) {`, new: `if true || begin(units) {`, tests: "httpapi",
	},
	{
		name: "validation finds every error", kind: "limit", file: "internal/httpapi/document/validate.go",
		old: `len(errs) == maxErrors`, new: `len(errs) == -1`,
	},
	{
		name: "long names are suggested for", kind: "limit", file: "internal/httpapi/document/validate.go",
		old: `if name > maxSuggestingName {`, new: `if false {`,
	},
	{
		name: "429 does not say how long to wait", kind: "limit", file: "internal/httpapi/limits.go",
		old: `	w.Header().Set("Retry-After", strconv.Itoa(seconds))
`, new: ``,
	},
	{
		name: "a bad token is nobody's", kind: "authentication", file: "internal/httpapi/auth.go",
		old: `		case err != nil:
			w.Header().Set("WWW-Authenticate"`, new: `		case false:
			w.Header().Set("WWW-Authenticate"`,
	},
	{
		name: "a second connection_init is taken", kind: "protocol", file: "internal/httpapi/graphqlws/socket.go",
		old: `	if s.asked {
		return false
	}
`, new: ``,
	},
	{
		name: "a socket has as many streams as it likes", kind: "limit", file: "internal/httpapi/graphqlws/operation.go",
		old: `most > 0 && s.streams >= most`, new: `most < 0`,
	},
	{
		name: "streams outlive their token", kind: "authentication", file: "internal/httpapi/graphqlws/socket.go",
		old: `	if !expires.IsZero() {`, new: `	if false {`,
	},
	{
		name: "a stream that can go on elsewhere is complete", kind: "protocol", file: "internal/httpapi/events.go",
		old: `	if !slices.Contains(comeBack, refusal.CodeOf(errs[0])) {`, new: `	if comeBack != nil || slices.Contains(comeBack, "") {`,
	},
}
