// Package cassandra keeps a blog in an Apache Cassandra cluster. The driver, gocql, is used here and nowhere else.
//
// Below the store are floors that know nothing of it, and of those below them only what they need:
//
//	auditor  copies compared with truths, and mended; tables built anew
//	cascade  renames and deletions, which many rows follow
//	journal  intents of commands, and the recovery of those that were left behind
//	truth    truths: how they are read, written under a guard, and raised
//	counted  a partition that counts its rows: group commit, lost answers
//	gap      long runs of dead rows that readers pass in one step
//	changelog  what commands did, in a log for each process
//	feed     the feed's buckets, their index, and a page over many of them
//	job      work behind a reply: the background, jobs, their leases and checkpoints
//	tables   the statements that write copies, compare them and read lists
//	move     tables that change their keys while servers run
//	migrate  the schema and its history
//	cluster  where the cluster is, its replicas, its nodes' time
//	cql      statements, how they are bound, batched and repeated
//
// The store is the queries, each in the file of its table, the commands, each in a file of its name, and:
//
//	open.go, config.go, store.go    a store and its parts
//	upkeep.go                       what a server does beside its commands
//	listing.go, idlist.go           pages of rows; of ids, whose dead rows are passed by gaps
//	command.go, idempotency.go      the steps of a command; one that comes again with its key
//	move_key.go                     a step of a table that changes its key
//	edit_account.go                 edits of others' accounts
//	react.go, reactions.go          reactions of every kind, given and read
//	follow.go                       what follows from a truth that stands
//	finish.go                       how recovery ends what a command left
//
// # Reading
//
// Each query of the product is one prepared statement on one partition of its own table, whatever the size of the
// data. Package tables makes the statements that list columns, or read pages, of the declarations at the start.
//
// # Writing
//
// Cassandra has no transactions over partitions, and a conditional write (an LWT) can't span tables. A command
// therefore has one truth, in one partition of one table, and is three steps:
//
//	1 journal   the intent: what will be touched
//	2 truth     one conditional batch in one partition, guarded by a version that
//	            it raises: the linearization point
//	3 copies    every duplicated table, in unlogged batches, at the truth's stamp
//	── reply ──
//	4 told      the change log, together with the next intents
//	  name      beside it, the author's account is read again, for a rename or an erasure
//	5 done      the journal's row is marked, together with the next intents
//
// Each command is a value that run takes through these steps (command.go).
//
// The reply leaves after the copies, and reads and writes go by quorums that overlap, so a client that was told of a
// success sees it in every query. A crash between the steps leaves an intent that is not marked done. The journal is
// the log of the copies' batch, which is why that one may be unlogged.
//
// Commands that run at once share batches: the changes of one post's comments or likes a conditional one, each with a
// result of its own (package counted); intents, copies and marks plain ones (package cql).
//
// A worker in every server finishes what the journal says was left behind, from the truth alone: package journal,
// finish.go. What grows with the data is a job that another server can go on with: package job.
//
// # What keeps the copies right
//
// A cell is either a truth or a copy, never both. Truths are written by conditional statements only, which Cassandra
// stamps with the time of their ballot. Copies are written by plain statements only, USING TIMESTAMP the stamp of
// their truth, so that a batch that comes late, or twice, changes nothing:
//
//	rename to "ann", stamp 200 ─────────────▶ username = ann  @200
//	rename to "amy", stamp 300 ──▶ username = amy @300
//	                               the row holds amy, whichever came last
//
// Each truth has a stamp of its own: a post, a user, the comments of a post, the likes of a post. A row of a list
// holds cells of several truths, each at its own stamp.
//
// Rows whose key never comes back (of posts and of comments) are deleted 19 hours ahead of every clock, so that
// nothing late revives them. They stay, dead, with empty texts, and readers pass long runs of them in one step: package
// gap. Rows whose key may come back (likes, usernames) are deleted at their truth's stamp, and written again above it.
// posts_by_id holds truths and copies in one row, so it is never deleted: deleted_at says that it is gone, and readers
// skip rows without their mandatory cells.
//
// # Unknown outcomes
//
// A conditional write whose answer is lost may have been applied, or be applied later, even after a serial read has
// shown it absent. Package counted tells how the version decides that, and package truth how an edit is known that
// others followed: no outcome is guessed.
//
// # Words
//
// Beside those of package blog:
//
//	intent             a journal's row: what a command is about to do
//	counted partition  one that counts its rows: a post's comments, a post's likes
//	header             its static row: count, version, stamp, whether it is closed
//	change, batch      a command's part of a conditional write, and those that share it
//	settle             to find out what became of a write whose answer was lost
//	fence              to raise a version or stamp, so that what went by the one before fails
//	contest            a loop of conditional writes that others keep winning, and its bound
//	job                paged, paced work behind a reply, which another server can go on with
//	lease, checkpoint  who does a job, and how far it has come
//	placeholder        a users_by_id row that keeps an abandoned creation from coming late
//	coalescing         waiting for the next read or batch, and sharing it
package cassandra
