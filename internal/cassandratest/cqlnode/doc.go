// Package cqlnode is a node of Cassandra as a driver sees it, in the test's own process: a server
// of CQL's native protocol, version 4, on a loopback port. The program's own code connects to it
// with its own driver, and nothing of it is replaced.
//
//	store ── gocql ── tcp ──▶ connection ──▶ faults ──▶ engine
//	                          frames         lost,      parse, resolve, read or write
//	                                         late, …    cells by their write times
//
// # What it is
//
// An interpreter of the CQL that this project uses, with Cassandra's semantics where a store
// depends on them:
//
//   - a cell has a write time; the later one stands, at the same time a deletion, then the larger
//     value. Rows, ranges of rows and partitions have tombstones, which hide what is not later.
//   - an INSERT leaves a marker, so its row stands without a cell; an UPDATE does not.
//   - static columns stand once above the rows, and are an answer where no row is.
//   - conditional writes are all of it or nothing in one partition, at a ballot's time, which is
//     later than any before. A refusal returns what the conditions' columns hold. What a
//     conditional batch deletes as rows stands a microsecond before what it writes.
//   - time to live, pages, slices, IN, tokens, sets whose elements are written one by one.
//
// # What it is not
//
// It is no database. Nothing outlives the process, no statement is checked beyond what is used
// here, one node is all there is, and one statement is executed at a time. A text of a form that
// it does not know is an error that names the text.
//
// How true it is is shown by a test that gives the same random statements to it and to a real
// Cassandra, and compares the answers: differential_test.go. What is true of Cassandra remains for
// Cassandra to say: every test of a store runs on one too.
//
// # Where to look
//
//	lex.go, parse.go, define.go, syntax.go   a text becomes a tree
//	resolve.go                               its names are found, its markers typed
//	cell.go, partition.go, schema.go         what is kept, and what a reader sees of it
//	read.go, write.go, condition.go          what a tree does
//	engine.go, system.go                     statements, schema, the system's tables
//	node.go, connection.go, answer.go        the protocol; its frames are a library's
//	fault.go                                 what becomes of a statement under faults
package cqlnode
