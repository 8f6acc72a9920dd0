// Package embedded keeps a blog in one directory of one machine, in Pebble, a log-structured store of ordered keys. It
// is the store that `go run .` opens; it is durable and crash-safe, and a small site can live on it.
//
// # Keys
//
// A table is a range of keys with a prefix of its own (tables.go, keys.go). Within it a partition is a range, static
// cells first, then the rows in clustering order. A value holds the cells of one [blog.Family], or a truth (values.go):
//
//	posts_by_author, partition of alice, two posts
//
//	0x21 │ alice │ 0x00 │ 1              → username               static, once
//	0x21 │ alice │ 0x01 │ ^post 2 │ 1    → title, excerpt, …      the cell that makes the row
//	0x21 │ alice │ 0x01 │ ^post 2 │ 2    → comment_count
//	0x21 │ alice │ 0x01 │ ^post 2 │ 3    → like_count
//	0x21 │ alice │ 0x01 │ ^post 1 │ 1    → title, excerpt, …
//	 │      │       │        │      └ cell
//	 │      │       │        └ clustering columns; bits inverted: newest first
//	 │      │       └ 0x00 static cells, 0x01 rows
//	 │      └ partition columns; texts carry their length, so none is another's prefix
//	 └ table
//
// Rows with the same first clustering columns are neighbours: a slice of the partition.
//
// A page is one seek and a walk of neighbouring keys, in one iterator, so that its
// rows, its names and its counts are of one moment (snapshot.go).
//
// A deleted row is deleted. A page steps over what Pebble keeps of it until a compaction, which is
// soon: deletions have the memory flushed (transaction.go).
//
// # Commands
//
// One command at a time decides, under the writer's lock, on the truths as they are, and puts all that it changes into
// one atomic batch: the truth, every copy that blog's projections name (copies.go), the claims, the outcome under its
// idempotency key. There is nothing to recover, to repair or to do later: a rename and a deleted post's rows are in
// their command's batch. Waiting for the disk is outside the lock, so that concurrent commands share a sync
// (transaction.go).
//
// A query may see a commit a moment before it is on disk; its command is not answered before.
//
// # Disk
//
// The disk is not trusted. A damaged file is distinguished from what a crash leaves (damage.go). A disk that is nearly
// full refuses commands (disk_space.go), and so does one that fails in the background, until it works again. Where the
// log can't be written, the store says that it is unavailable and touches the disk no more, as if the power were cut
// (health.go).
package embedded
