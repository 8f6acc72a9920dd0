package main

var audit = []fault{
	{
		name: "what an erasure did not meet stands", kind: "dropped write", file: "internal/audit/verify_erased.go",
		old: `!s.first || name.Username != ""`, new: `true || name.Username != ""`, tests: "cassandra",
	},
	{
		name: "a rebuild leaves the likes of an account that was erased meanwhile", kind: "dropped write", file: "internal/audit/rebuild.go",
		old: `if of := list.Reaction(); of != nil {`, new: `if of := list.Reaction(); of != nil && false {`, tests: "cassandra",
	},
	{
		name: "two readings of a truth that changed meanwhile are the same", kind: "verify", file: "internal/audit/verify_confirm.go",
		old: `a.Group == b.Group && a.Stamp == b.Stamp &&`, new: `a.Group == b.Group &&`,
	},
	{
		name: "what a command is at work on has drifted", kind: "verify", file: "internal/audit/verify_confirm.go",
		old: `, now.expected) || unfinished.touches(now):`, new: `, now.expected) || false && unfinished.touches(now):`,
	},
	{
		name: "what was told is remembered without bound", kind: "limit", file: "internal/audit/verify_confirm.go",
		old: `if len(v.settled) >= maxTold {`, new: `if false {`,
	},
	{
		name: "a wrong count above rows may as well lack", kind: "verify", file: "internal/audit/verify_rows.go",
		old: `case !wants && !has, wants && has && SameValues(want.Values, have.Values), wants && !has && (optional || nameless(want)):`,
		new: `case !wants && !has, wants && has && (optional || SameValues(want.Values, have.Values)), wants && !has && (optional || nameless(want)):`,
	},
	{
		name: "the audit that looks at a repair stays open", kind: "missing close", file: "internal/audit/verify_confirm.go",
		old: `	defer func() { err = errors.Join(err, fresh.Close()) }()
`, new: ``,
	},
	{
		name: "an author who can't be read has no name", kind: "dropped error", file: "internal/audit/verify_rows.go",
		old: `	author, err := t.TrueUser(ctx, r.Comment.Author.ID)
	return commentRows(r.Comment, r.Head.Stamp, author.Name()), err`,
		new: `	author, _ := t.TrueUser(ctx, r.Comment.Author.ID)
	return commentRows(c, stamp, author.Name()), nil`,
	},
	{
		name: "the author of a post who can't be read has no name", kind: "dropped error", file: "internal/audit/verify_rows.go",
		old: `		author, err := t.TrueUser(ctx, p.Author.ID)
		return postRows(p, author.Name()), err`,
		new: `		author, _ := t.TrueUser(ctx, p.Author.ID)
		return postRows(p, author.Name()), nil`,
	},
	{
		name: "who likes and can't be read has no name", kind: "dropped error", file: "internal/audit/verify_rows.go",
		old: `	user, err := t.TrueUser(ctx, key.User)
	return reactionRows(key.Of, r.Reaction, r.Head, user.Name()), err`,
		new: `	user, _ := t.TrueUser(ctx, key.User)
	return likeRows(l, count, user.Name()), nil`,
	},
	{
		name: "a claim is nobody's as soon as two rows lack", kind: "repair", file: "internal/audit/verify_claims.go",
		old: `r.unowned = fate == Unknown`, new: `r.unowned = false`,
	},
}
