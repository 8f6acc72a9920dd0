// Package changelog keeps the change feed in Cassandra: a log for each process of a server, and
// a directory of the logs.
//
//	change_logs      all logs: when each was last seen, how far it has come
//	changes_by_log   (log, slice) │ number → a change
//	change_log_ends  log → its last number for ever
//	change_claims    command → the log that recovery tells of it
//
// # One writer
//
// A log has one writer, which writes one batch after the other and begins the next when a
// majority has the one before. So numbers have no holes, and a reader of a number can read all
// before it. A slice is some thousand numbers: a follower asks one partition for what follows a
// number, however old the log is.
//
//	change 7 ─ waits ─┐
//	change 8 ─ waits ─┼─ batch: 7, 8 ──▶ told ─┐
//	change 9 ───────────── waits ──────────────┴─ batch: 9 ──▶ told
//
// A batch whose outcome is not known is repeated as it is, which is harmless. Where that takes
// too long the log is left, and its process begins another.
//
// # The end of a log
//
// A process that dies may have written its last change, or not, or to a minority, which would
// show it to some readers and not to others. So a log is ended before a follower passes it, and
// before recovery relies on what it lacks: its newest number, as a majority has it, becomes its
// last one, by a conditional write, and nothing behind that is ever read.
//
//	closing ──▶ newest number? 7 ──▶ IF NOT EXISTS: ends at 7 ──▶ ended = 7, for followers
//
// The first step is for readers that have just read 8: see settled.
//
// # Whose log it is
//
// A process keeps itself from writing to a log that was ended without its knowledge by time. It
// renews the log's row in the directory; it writes nothing to a log that it could not renew lately,
// and takes nothing for told that a majority has only after that; and none ends a log that was
// renewed lately:
//
//	renewed ────── 12 s ──────▶ writes no more ──────── 40 s ───────▶ may be ended
//
// which leaves 28 s for what differs between the times that servers were told by the nodes. What
// was not renewed in time is left for good: a process that was paused does not know whether its
// log was ended meanwhile.
//
// A process that is alive, and renewed its log long after it began a command, has told of that
// command in this log, or never will: a batch that fails has the log left, one that hangs keeps it
// from being renewed, and of a command of long ago nothing is told (settledAfter).
//
// # Once
//
// A command is told of by the process that ran it, or where that could not, by one that recovers it, as
// [Writer.Recover] says.
package changelog
