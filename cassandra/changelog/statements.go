package changelog

import (
	"broadsheet/blog"
	"broadsheet/cassandra/cql"
)

var (
	renewLog = cql.On(blog.ChangeLogs,
		`INSERT INTO change_logs (bucket, log, server, seen, last, kept) VALUES (0, ?, ?, ?, ?, ?)`+
			` USING TTL ? AND TIMESTAMP ?`)
	closeLog = cql.On(blog.ChangeLogs,
		`UPDATE change_logs USING TTL ? SET closing = true WHERE bucket = 0 AND log = ?`)
	endedLog = cql.On(blog.ChangeLogs,
		`UPDATE change_logs USING TTL ? SET ended = ? WHERE bucket = 0 AND log = ?`)
	selectLogs = cql.On(blog.ChangeLogs,
		`SELECT log, server, seen, last, kept, closing, ended FROM change_logs WHERE bucket = 0`)
	selectLog = cql.On(blog.ChangeLogs,
		`SELECT log, server, seen, last, kept, closing, ended FROM change_logs WHERE bucket = 0 AND log = ?`)

	insertChange = cql.On(blog.ChangesByLog,
		`INSERT INTO changes_by_log (log, slice, number, at, kind, command_id, actor_id, post_id,`+
			` comment_id, comments, user_id, followed_id, group_id)`+
			` VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) USING TTL ?`)
	selectAfter = cql.On(blog.ChangesByLog,
		`SELECT number, at, kind, actor_id, post_id, comment_id, comments, user_id, followed_id, group_id`+
			` FROM changes_by_log`+
			` WHERE log = ? AND slice = ? AND number > ? LIMIT ?`)
	selectNewest = cql.On(blog.ChangesByLog,
		`SELECT number FROM changes_by_log WHERE log = ? AND slice = ? ORDER BY number DESC LIMIT 1`)
	selectFirstTime = cql.On(blog.ChangesByLog,
		`SELECT at FROM changes_by_log WHERE log = ? AND slice = ? LIMIT 1`)
	selectCommands = cql.On(blog.ChangesByLog,
		`SELECT number, command_id FROM changes_by_log WHERE log = ? AND slice = ?`)

	endLog = cql.On(blog.ChangeLogEnds,
		`INSERT INTO change_log_ends (log, last) VALUES (?, ?) IF NOT EXISTS USING TTL ?`)
	selectEnd = cql.On(blog.ChangeLogEnds, `SELECT last FROM change_log_ends WHERE log = ?`)

	insertClaim = cql.On(blog.ChangeClaims,
		`INSERT INTO change_claims (command_id, log, claim) VALUES (?, ?, ?) IF NOT EXISTS USING TTL ?`)
	replaceClaim = cql.On(blog.ChangeClaims,
		`UPDATE change_claims USING TTL ? SET log = ?, claim = ? WHERE command_id = ? IF claim = ?`)
	selectClaim = cql.On(blog.ChangeClaims, `SELECT log, claim FROM change_claims WHERE command_id = ?`)
)

// sliceSize is how many numbers a partition of changes_by_log holds: what a follower has missed
// is mostly in one. It never changes, for it is in the keys.
const sliceSize = 4096

// sliceOf returns the slice of a number. Numbers begin at 1.
func sliceOf(number int64) int64 { return (number - 1) / sliceSize }
