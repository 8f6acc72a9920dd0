package main

// Of the Cassandra store mostly what package counted's own tests see has its list: those of the
// whole store, on a node in their own process, take minutes for each fault.
var cassandra = []fault{
	{
		name: "a table that is new is read before it is built", kind: "stale", file: "cassandra/upkeep.go",
		old: `if !u.isUnbuilt(table) {`, new: `if true || !u.isUnbuilt(table) {`,
	},
	{
		name: "a migration leaves no word of what is to be built", kind: "dropped write", file: "cassandra/migrate/migrate.go",
		old: `if err := m.markUnbuilt(ctx, step); err != nil {`, new: `if err := m.markUnbuilt(ctx, Migration{}); err != nil {`, tests: "cassandra",
	},
	{
		name: "a suspended account writes", kind: "authorization", file: "cassandra/truth/users.go",
		old: `case a.suspended:`, new: `case false:`, tests: "cassandra",
	},
	{
		name: "a demoted account moderates", kind: "authorization", file: "cassandra/truth/users.go",
		old: `*role = role.Of(a.moderator)`, new: `*role = role.Of(true)`, tests: "cassandra",
	},
	{
		name: "what is written beside an erasure stays", kind: "race", file: "cassandra/follow.go",
		old: `if account.Gone() {`, new: `if false {`, tests: "cassandra",
	},
	{
		name: "an erased account keeps its claims", kind: "missing release", file: "cassandra/delete_account.go",
		old: `for _, held := range in.Held {`, new: `for _, held := range in.Held[:0] {`, tests: "cassandra",
	},
	{
		name: "an erasure passes a post whose deletion was left behind", kind: "crash", file: "cassandra/delete_account.go",
		old: `if !now.Deleted {`, new: `if true {`, tests: "cassandra",
	},
	{
		name: "an erasure passes a comment whose deletion was left behind", kind: "crash", file: "cassandra/delete_account.go",
		old: `if !blog.IsNotFound(err) || author.IsZero() {`, new: `if true {`, tests: "cassandra",
	},
	{
		name: "an erased account is found by what an edit that was left had ended", kind: "crash", file: "cassandra/delete_account.go",
		old: `if e.former, err = e.store.formerNames(ctx, e.Now); err != nil {`, new: `if err != nil {`, tests: "cassandra",
	},
	{
		name: "a deletion that another made is told twice", kind: "crash", file: "cassandra/tell.go",
		old: `stood && in.Kind == journal.CreatePost || now.By.Has(in.Command)`, new: `stood && in.Kind != journal.UpdatePost`, tests: "cassandra",
	},
	{
		name: "a reaction that another command gave is told twice", kind: "crash", file: "cassandra/tell.go",
		old: `len(now.By.Recent) == 0 // by`, new: `true // by`, tests: "cassandra",
	},
	{
		name: "a comment whose post is deleted before it was told is never told", kind: "crash", file: "cassandra/journal/note.go",
		old: `in.Number = number
	return`, new: `return`, tests: "cassandra",
	},
	{
		name: "a claim is made again under the id that a late release names", kind: "guess", file: "cassandra/update_user.go",
		old: `e.Now.Guard(), newClaims(old, next, token)`, new: `e.Now.Guard(), newClaims(old, next, e.Command)`, tests: "cassandra",
	},
	{
		name: "a repair goes on with what was deleted meanwhile", kind: "guess", file: "cassandra/auditor/repair.go",
		old: `if len(expected) == 0 { // deleted meanwhile`, new: `if false { // deleted meanwhile`, tests: "cassandra",
	},
	{
		name: "the name of a dead comment outlives its account", kind: "clock", file: "cassandra/follow.go",
		old: `if state.Gone != 0 { // emptied`, new: `if false { // emptied`, tests: "cassandra",
	},
	{
		name: "the name of a deleted post outlives its account", kind: "dropped write", file: "cassandra/cascade/sweep.go",
		old: `below = []cql.Bound{tables.Clears[blog.PostsByID].With(stamp, cql.ID(p.ID.UUID))}`, new: `below = make([]cql.Bound, 0, len(tables.BelowPost))`, tests: "cassandra",
	},
	{
		name: "an address of an earlier program's is kept from who proves it", kind: "compatibility", file: "cassandra/truth/claims.go",
		old: `if held.In.Field != EmailClaims.Field {`, new: `if true {`, tests: "cassandra",
	},
	{
		name: "a suspended account edits itself", kind: "authorization", file: "blog/edits.go",
		old: `if u.Suspended {`, new: `if false {`,
		tests: "cassandra",
	},
	{
		name: "a lost answer counts as a refusal", kind: "guess", file: "cassandra/counted/leader.go",
		old: `l.notApplied(ctx, trying, err != nil, `, new: `l.notApplied(ctx, trying, false, `,
	},
	{
		name: "absence is final though the version has not moved", kind: "guess", file: "cassandra/counted/settle.go",
		old: `		if exists || err != nil {
`, new: `		if !exists && err == nil && m.maybe && m.Delta > 0 {
			err = blog.ErrNoPost("")
		}
		if exists || err != nil {
`,
	},
	{
		name: "a retry goes by the version that its batch may have made", kind: "guess", file: "cassandra/counted/leader.go",
		old: `	case unsure:
`, new: `	case unsure:
		l.now.Version++
`,
	},
	{
		name: "a batch that was refused is told as applied", kind: "dropped check", file: "cassandra/counted/leader.go",
		old: `	case applied && err == nil:`, new: `	case (applied || true) && err == nil:`,
	},
	{
		name: "the header is not the one that was read with the rows", kind: "stale", file: "cassandra/counted/settle.go",
		old: `			now = *above
`, new: `			_ = *above
`,
	},
	{
		name: "all of a batch are told its last count", kind: "wrong count", file: "cassandra/counted/leader.go",
		old: `Outcome{next, m.own.Rows}, nil)`, new: `Outcome{next, next.Rows}, nil)`,
	},
	{
		name: "two changes of one row share a batch", kind: "race", file: "cassandra/counted/leader.go",
		old: `if full || rows[m.Row] {`, new: `if full {`,
	},
	{
		name: "a full partition refuses what was made before", kind: "dropped check", file: "cassandra/counted/leader.go",
		old: `if l.overflows(batch) {`, new: `if false {`,
	},
	{
		name: "a new row of an attempt whose answer was lost is not read", kind: "guess", file: "cassandra/counted/change.go",
		old: `return m.maybe || !m.Fresh`, new: `return !m.Fresh`,
	},
	{
		name: "a row that has refused is not read", kind: "stale", file: "cassandra/counted/settle.go",
		old: `if all || m.needsLook() {`, new: `if m.maybe {`,
	},
	{
		name: "a row that refuses for ever is tried for ever", kind: "dropped check", file: "cassandra/counted/leader.go",
		old: `if m.blamed == cql.MaxRefusals && `, new: `if false && `,
	},
	{
		name: "a change that is slow to begin holds up its batch", kind: "deadline", file: "cassandra/counted/leader.go",
		old: `context.WithTimeout(m.ctx, askLimit)`, new: `context.WithTimeout(m.ctx, time.Hour)`,
	},
	{
		name: "a batch takes as many changes as wait", kind: "bound", file: "cassandra/counted/leader.go",
		old: `len(l.batch) >= maxBatch || `, new: ``,
	},
	{
		name: "a batch is as large as what waits", kind: "bound", file: "cassandra/counted/leader.go",
		old: ` || size+m.size > maxBatchBytes`, new: ``,
	},
	{
		name: "a closed partition takes changes", kind: "dropped check", file: "cassandra/counted/leader.go",
		old: `case l.now.Closed:`, new: `case false:`,
	},
	{
		name: "a stamp stays below its floor", kind: "stale", file: "cassandra/counted/partition.go",
		old: `max(next.Stamp, floor+1)`, new: `next.Stamp`,
	},
	{
		name: "a process that lost a race goes by what it kept", kind: "stale", file: "cassandra/counted/leader.go",
		old: `l.raced.Store(time.Now().UnixNano())`, new: `l.raced.Store(0)`,
	},
	{
		name: "a contest never ends", kind: "dropped check", file: "cassandra/cql/contest.go",
		old: `if c.same++; c.same == MaxRefusals {`, new: `if c.same++; c.same < 0 {`,
	},
	{
		name: "what another does is waited for", kind: "dropped check", file: "cassandra/cql/insist.go",
		old: ` || err == ErrHeld`, new: ``,
	},
	{
		name: "a command whose claim may come late is done", kind: "dropped check", file: "cassandra/follow.go",
		old: `if v.late {`, new: `if false {`,
	},
	{
		name: "a claim that may come late is looked for once", kind: "dropped check", file: "cassandra/finish.go",
		old: `return looks > 1 || !in.MayCome, `, new: `return true, `,
	},
	{
		name: "a rename's claim that may come late is looked for once", kind: "dropped check", file: "cassandra/finish.go",
		old: `looks > 1 || !in.MayCome && (`, new: `looks > 1 || (`,
	},
	{
		name: "a log that was not renewed in time is renewed", kind: "stale", file: "cassandra/changelog/hold.go",
		old: `	case !held && w.log.id == id:
		w.log.id = blog.LogID{}
	case held && err == nil:`, new: `	case err == nil:`,
	},
	{
		name: "a log that is not renewed is written", kind: "dropped check", file: "cassandra/changelog/hold.go",
		old: ` && elapsed(w.log.renewed) < renewedFor`, new: ``,
	},
	{
		name: "what a majority has behind a log's end counts as told", kind: "race", file: "cassandra/changelog/log.go",
		old: `	if err := w.DB.WriteParts(ctx, entries); err != nil {
		return err
	}
	if !w.holds(log) {
		return errNotHeld
	}
	return nil`, new: `	return w.DB.WriteParts(ctx, entries)`,
	},
	{
		name: "a change whose outcome is not known is told again", kind: "guess", file: "cassandra/changelog/log.go",
		old: `&blog.Error{Kind: blog.Timeout, Message: "it is not known`, new: `&blog.Error{Kind: blog.Unavailable, Message: "it is not known`,
	},
	{
		name: "a command of long ago is told", kind: "dropped check", file: "cassandra/changelog/log.go",
		old: `e.late() || `, new: ``,
	},
	{
		name: "a command is told to another log than is claimed", kind: "race", file: "cassandra/changelog/log.go",
		old: `e.late() || !e.only.IsZero() && e.only != log`, new: `e.late()`,
	},
	{
		name: "a log is looked into if it was seen after the command", kind: "edge", file: "cassandra/changelog/recover.go",
		old: `log.Seen.Before(began.Add(-aside))`, new: `log.Seen.Before(began)`,
	},
	{
		name: "recovery does not wait for what is under way", kind: "race", file: "cassandra/changelog/recover.go",
		old: `!wrong && now.Before(began.Add(settledAfter))`, new: `false && now.Before(began)`,
	},
	{
		name: "recovery ends a log that is written", kind: "race", file: "cassandra/changelog/recover.go",
		old: `!w.over(log.ChangeLog) && !wrong`, new: `false`,
	},
	{
		name: "recovery looks into a log that has no end", kind: "race", file: "cassandra/changelog/recover.go",
		old: `if log.ChangeLog, err = w.seal(ctx, log); err != nil {`, new: `if err != nil {`,
	},
	{
		name: "a claim is replaced without a look", kind: "race", file: "cassandra/changelog/recover.go",
		old: `if told, err = w.has(ctx, before, command, claim.Time(), false); err != nil || told {`, new: `if err != nil {`,
	},
	{
		name: "a change is found behind its log's end", kind: "edge", file: "cassandra/changelog/recover.go",
		old: `found = found || of == command && number <= last`, new: `found = found || of == command`,
	},
	{
		name: "the slice before the first that begins later is left out", kind: "edge", file: "cassandra/changelog/recover.go",
		old: `.After(from) }))-1, 0)`, new: `.After(from) })), 0)`,
	},
	{
		name: "a reader relies on a log that is being ended", kind: "race", file: "cassandra/changelog/read.go",
		old: `if now.closing && !now.Ended {`, new: `if false {`,
	},
	{
		name: "a reader relies on what it knew of a log", kind: "race", file: "cassandra/changelog/read.go",
		old: `for now.Ended && len(found) > 0 &&`, new: `for log.Ended && len(found) > 0 &&`,
	},
	{
		name: "a dead process' log is never ended for followers", kind: "leak", file: "cassandra/changelog/read.go",
		old: `	if w.over(log) {`, new: `	if false {`,
	},
	{
		name: "changes are read as long as they stand", kind: "dropped check", file: "cassandra/changelog/read.go",
		old: `if found[0].At.Before(w.Cluster.Now().Add(-w.Keep)) {`, new: `if false {`,
	},
	{
		name: "a command that comes again tells too", kind: "race", file: "cassandra/command.go",
		old: `	if ids.again {`, new: `	if false {`,
	},
	{
		name: "recovery asks the process that ran a command again", kind: "race", file: "cassandra/tell.go",
		old: `if in.Entry == in.Command {`, new: `if true {`,
	},
	{
		name: "a wait that was cancelled is paid for", kind: "cancellation", file: "internal/pace/pace.go",
		old: `p.next = p.next.Add(-time.Duration(units) * p.Every)`, new: `p.next = p.next.Add(0)`,
	},
	{
		name: "accounts' jobs each have the whole pace", kind: "limit", file: "internal/pace/shared.go",
		old: ` * time.Duration(len(s.until))`, new: ``,
	},
	{
		name: "an account's jobs take every slot", kind: "limit", file: "cassandra/job/runner.go",
		old: `left < j.of[one.Account]`, new: `left < 0`,
	},
	{
		name: "a rename may follow at once where another server made the last one", kind: "race", file: "cassandra/update_user.go",
		old: `return decide(u.User, s.clock)`,
		new: `next, changed, err := decide(u.User, s.clock)
		if len(e.of.Old) > 0 {
			err = nil
		}
		return next, changed, err`,
	},
	{
		name: "a rename that is refused for its haste keeps its claim", kind: "missing close", file: "cassandra/update_user.go",
		old: ` || blog.KindOf(err) == blog.Forbidden`, new: ``,
	},
	{
		name: "a job's lease is everybody's", kind: "mechanism", file: "cassandra/job/leases.go",
		old: `return held || current["owner"] == l.me, err`, new: `return held || current["owner"] != "", err`, tests: "cassandra",
	},
	{
		name: "a like is given again below its row's deletion", kind: "mechanism", file: "cassandra/react.go",
		old: `if t.given && t.claim.Made() && t.actor.Stamp <= now.Stamp {`, new: `if false {`,
	},
	{
		name: "a like that was taken back is not deleted above a rename", kind: "mechanism", file: "cassandra/react.go",
		old: `		v.afterReply = t.deleteAgain
`, new: `		_ = t.deleteAgain
`,
	},
	{
		name: "an abandoned creation leaves no placeholder", kind: "mechanism", file: "cassandra/finish.go",
		old: `standing, err := s.truths.Users.Hold(ctx, in.Actor, in.Command, false)`, new: `standing, err := (*blog.User)(nil), error(nil)`,
	},
	{
		name: "a command that was held up writes no second intent", kind: "mechanism", file: "cassandra/journal/note.go",
		old: `	return waited > cql.CommandDeadline/2
`, new: `	return waited > 1000*cql.CommandDeadline
`, tests: "cassandra",
	},
	{
		name: "recovery reads the journal once", kind: "mechanism", file: "cassandra/journal/recovery.go",
		old: `{&p.Reread, now.Add(-rereadAfter)}, `, new: ``, tests: "cassandra",
	},
}
