// Package blog is the domain of Broadsheet: users write posts, users comment
// on posts and like them, and a front page shows the newest posts.
//
// # Commands and queries
//
// A command changes one truth: a user, a post, the comments of a post, or the likes of a post. A query reads one
// partition of one table that holds exactly its answer. [Store] is both halves; its two implementations live in the
// packages cassandra and embedded and pass the same suite (package storetest).
//
// # Truths and copies
//
// A truth is stored once. All that a query table holds beside it is a [Copy], and which copies follow from a truth is
// computed by the pure functions of projections.go alone: for both stores, and for package audit, which compares copies
// with truths.
//
//	truth                     copies
//	user        ──────────▶   users_by_username, users_by_email, users_by_subject,
//	                          and the username in every list
//	post        ──────────▶   posts_by_author, feed_by_bucket
//	comments    ──────────▶   other lists of comments, comment_count in three tables
//	likes       ──────────▶   likes_by_post, likes_by_user, like_count in four tables
//
// Every truth carries a stamp, a write time in microseconds that each change raises. Its copies are written at that
// stamp, and of two writes of one cell the one with the higher stamp is right, in whatever order they arrive.
//
// # Words
//
//	truth      what others follow from: a user, a post, a post's comments, its likes
//	copy       a cell that repeats a truth, or is counted from it
//	family      the cells of a row that follow from one truth, written together
//	stamp      a truth's write time, which each change raises; its copies are written at it
//	command    a change of one truth, and query a read of one partition, as in CQRS
//	reaction   a user's to a post, as a like: at most one of a kind, counted exactly
//	claim      a row that says who owns a unique key, or who reacts to a post
//	stands     is there: it was made, and neither deleted nor taken back
//	dead row   a deleted row whose key never comes back; Cassandra keeps it, without its texts
//	gap        a run of dead rows that a reader passes in one step
//	declaration  all that is said about a table, once
//	drift      a copy that is not what its truth says; verify names it, repair mends it
//
// # Ids, pages, time
//
// Ids are UUIDs of version 7 (RFC 9562), so their order is the order of creation and the creation time is read from the
// id. Pages are keyset pages: a cursor is the key of a row, never an offset, so it stays valid whatever is inserted or
// deleted around it.
package blog
