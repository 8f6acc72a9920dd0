package main

var embedded = []fault{
	{
		name: "a table that is new is read before it is built", kind: "stale", file: "embedded/building.go",
		old: `left != nil && slices.Contains(*left, t.name)`, new: `left != nil && false`,
	},
	{
		name: "an older program's writes leave new tables whole", kind: "stale", file: "embedded/format.go",
		old: `min(found.tables, revision)}`, new: `max(found.tables, revision)}`,
	},
	{
		name: "a cell is copied after Pebble has it back", kind: "missing copy", file: "embedded/cell.go",
		old: `	value := string(found) // a copy: what was found is Pebble's again once closer is closed
	err = closer.Close()
`,
		new: `	err = closer.Close()
	value := string(found)
`,
	},
	{
		name: "a page reads no row beyond its limit", kind: "off-by-one", file: "embedded/snapshot.go",
		old: `if len(items) > request.Limit {`, new: `if len(items) >= request.Limit {`,
	},
	{
		name: "a value is not copied from the iterator", kind: "missing copy", file: "embedded/snapshot.go",
		old: `	return snap.values.keep(value)`, new: `	return unsafe.String(unsafe.SliceData(value), len(value))`, imports: "unsafe",
	},
	{
		name: "a commit does not wait for the log", kind: "durability", file: "embedded/transaction.go",
		old: `	if err := tx.batch.SyncWait(); err != nil {
		return s.health.die(err)
	}
`,
		new: `	go func() { _ = tx.batch.SyncWait() }()
	if true {
		return nil
	}
`,
	},
	{
		name: "an answer without a write does not wait for the commit that it tells of", kind: "durability", file: "embedded/transaction.go",
		old: `if tx.batch.Empty() && s.durable.Load() < s.applied {`, new: `if false {`,
	},
	{
		name: "the directory is not synced when it was marked", kind: "durability", file: "embedded/format.go",
		old: `errors.Join(d.Sync(), d.Close())`, new: `d.Close()`,
	},
	{
		name: "the mark is not synced", kind: "durability", file: "embedded/format.go",
		old: `errors.Join(err, file.Sync(), file.Close())`, new: `errors.Join(err, file.Close())`,
	},
	{
		name: "an expired key still repeats", kind: "expiry", file: "embedded/idempotency.go",
		old: `known && tx.clock.Now().Before(used.expires)`, new: `known`,
	},
	{
		name: "a key is taken with another input", kind: "idempotency", file: "embedded/idempotency.go",
		old: `case used.input != input:`, new: `case false:`,
	},
	{
		name: "the clean-up forgets the key that was just used again", kind: "idempotency", file: "embedded/idempotency.go",
		old: `	if err := tx.forgetSome(); err != nil {
		return err
	}
	o.input, o.expires = input, tx.clock.Now().Add(keysLive)
	tx.remember(scope, o)
	return nil
`,
		new: `	o.input, o.expires = input, tx.clock.Now().Add(keysLive)
	tx.remember(scope, o)
	return tx.forgetSome()
`,
	},
	{
		name: "the end of a key stays when the key is used again", kind: "idempotency", file: "embedded/idempotency.go",
		old: `		tx.forget(scope, used.expires)
`, new: ``,
	},
	{
		name: "the clean-up of one command has no end", kind: "limit", file: "embedded/idempotency.go",
		old: `expired == forgottenAtOnce || !at.Before(longAgo)`, new: `!at.Before(longAgo)`,
	},
	{
		name: "a refused command with a key commits what it wrote", kind: "idempotency", file: "embedded/idempotency.go",
		old: `		tx.reset()
`, new: ``,
	},
	{
		name: "one comment too many is taken", kind: "off-by-one", file: "blog/commands.go",
		old: `rows > MaxCommentsOfPost`, new: `rows > MaxCommentsOfPost+1`, tests: "embedded",
	},
	{
		name: "the likes of a post have no bound", kind: "limit", file: "embedded/react.go",
		old: `if err := r.of.Full("postId", r.count.N+1, 0); err != nil {`, new: `if err := r.of.Full("postId", 0, 0); err != nil {`,
	},
	{
		name: "likes stay when their post is deleted", kind: "projection", file: "embedded/delete_post.go",
		old: `	tx.deletePartition(tables[of.ByPost], post)
`, new: ``,
	},
	{
		name: "an address of an earlier program's is kept from who proves it", kind: "compatibility", file: "embedded/claims.go",
		old: `case err != nil || !held.YieldsEmail(key):`, new: `default:`,
	},
	{
		name: "who gives an address up gives another's claim up", kind: "uniqueness", file: "embedded/claims.go",
		old: `	if holder == old.ID {
		tx.deleteRow(emailClaims, email)
	}
`, new: `	tx.deleteRow(emailClaims, email)
`,
	},
	{
		name: "the names of before stay taken", kind: "uniqueness", file: "embedded/update_user.go",
		old: `	if err := tx.releaseNames(old, u); err != nil {`, new: `	if err := error(nil); err != nil {`,
	},
	{
		name: "Close does not wait for the calls inside", kind: "lock", file: "embedded/store.go",
		old: `		<-s.inside.empty
`, new: ``,
	},
	{
		name: "an iterator is left open where its reader fails", kind: "missing close", file: "embedded/snapshot.go",
		old: `errors.Join(snap.gaps.close(), snap.it.Close())`, new: `func() error { if *err != nil { return nil }; return errors.Join(snap.gaps.close(), snap.it.Close()) }()`,
	},
	{
		name: "a long walk does not look whether the caller has left", kind: "cancellation", file: "embedded/snapshot.go",
		old: `snap.err = snap.ctx.Err(); snap.err != nil`, new: `snap.err != nil`,
	},
	{
		name: "a long scan does not look whether the caller has left", kind: "cancellation", file: "embedded/scan.go",
		old: `rows%rowsBetweenChecks == 0 && ctx.Err() != nil`, new: `false`,
	},
	{
		name: "commands are taken until the disk is full", kind: "limit", file: "embedded/disk_space.go",
		old: `d.lacking(leastSpace)`, new: `d.lacking(0)`,
	},
	{
		name: "the space of the disk is looked at by time alone", kind: "limit", file: "embedded/disk_space.go",
		old: ` && d.wrote < spaceCheckedAfter`, new: ``,
	},
	{
		name: "what is durable goes back", kind: "race", file: "embedded/transaction.go",
		old: `if durable >= number || s.durable.CompareAndSwap(durable, number) {`, new: `if s.durable.CompareAndSwap(durable, number) {`,
	},
	{
		name: "the writer's lock is kept where a batch is not applied", kind: "missing unlock", file: "embedded/transaction.go",
		old: `pebble.Sync); err != nil {
		<-s.writer
`,
		new: `pebble.Sync); err != nil {
`,
	},
	{
		name: "the writer's lock is kept where commands are refused", kind: "missing unlock", file: "embedded/transaction.go",
		old: `	if err != nil {
		<-s.writer
	}
	return err
}

// reset`,
		new: `	return err
}

// reset`,
	},
	{
		name: "the directory stays locked where Pebble does not open", kind: "missing close", file: "embedded/open.go",
		old: `	if err != nil {
		return errors.Join(openError(dir, err), s.lock.Close())
	}
`,
		new: `	if err != nil {
		return openError(dir, err)
	}
`,
	},
	{
		name: "the directory stays locked where there is no space", kind: "missing close", file: "embedded/open.go",
		old: `errors.Join(no, s.lock.Close())`, new: `error(no)`,
	},
	{
		name: "a call comes in while the store closes", kind: "race", file: "embedded/gate.go",
		old: `	if g.inside.Add(1) > 0 {
		return true
	}
	g.leave()
	return false
`,
		new: `	g.inside.Add(1)
	return true
`,
	},
	{
		name: "an edit of a comment takes any version for the expected one", kind: "dropped error", file: "embedded/update_comment.go",
		old: `blog.CheckVersion(c.ExpectedVersion, old.Version); err != nil`, new: `blog.CheckVersion(c.ExpectedVersion, old.Version); false`,
	},
	{
		name: "an erased account writes", kind: "authorization", file: "embedded/users_by_id.go",
		old: `	if err == nil && u.IsErased() {
		return blog.User{}, blog.ErrNoUser()
	}
	return u, err
`, new: `	return u, err
`,
	},
	{
		name: "a suspended account writes", kind: "authorization", file: "embedded/users_by_id.go",
		old: `case err == nil && u.Suspended:`, new: `case err == nil && u.Suspended && false:`,
	},
	{
		name: "anybody edits a comment", kind: "authorization", file: "embedded/comments_by_post.go",
		old: `if c.Author.ID != actor {`, new: `if false {`,
	},
	{
		name: "anybody changes a post", kind: "authorization", file: "embedded/update_post.go",
		old: `ID != actor {`, new: `ID != actor && false {`,
	},
	{
		name: "the batch of a command that commits nothing is not closed", kind: "missing close", file: "embedded/transaction.go",
		old: `			_ = tx.batch.Close()
`, new: ``,
		accepted: "a batch that is not closed is garbage: the next command makes one where it would have found this one",
	},
	{
		name: "who likes again has liked now", kind: "projection", file: "embedded/react.go",
		old: `if !r.claim.known {`, new: `if true {`,
	},
	{
		name: "a change that is dated ahead stops the retention", kind: "clock", file: "embedded/changes.go",
		old: `case at.After(now):`, new: `case false:`,
	},
	{
		name: "a clock that was behind has changes dropped early", kind: "clock", file: "embedded/changes.go",
		old: `if !now.Before(r.ahead) {`, new: `if false {`,
	},
	{
		name: "a command looks past all changes that are dated ahead", kind: "limit", file: "embedded/changes.go",
		old: `n < droppedAtOnce && r.looked+1 < l.last`, new: `r.looked+1 < l.last`,
	},
	{
		name: "a command drops all changes that may go", kind: "limit", file: "embedded/changes.go",
		old: `n < droppedAtOnce && r.oldest <= r.due`, new: `r.oldest <= r.due`,
	},
}
