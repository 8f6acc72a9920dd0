// Package live delivers changes to subscribers as they happen: a server has one reader of the change
// feed, however many subscribers it has.
//
//	this process' commands ──── pushed ────▶ ┌─────┐ ──▶ posts created ──▶ streams
//	                                         │ hub │ ──▶ comments of a post, changes of a post …
//	logs of all processes ── asked 2 × a s ─▶ └─────┘
//	                                            └ window: the newest events
//
// # A stream
//
// What is recent stands in memory, a list of events for each topic that has streams: an event
// wakes only the streams that wait for it, and a stream is a pointer into a list. One whose cursor is
// older than the window reads the feed by itself until it has come to the window, a bounded
// number of them at once, and goes on there without a hole and with nothing twice.
//
// # Bounds
//
// The window is bounded, and lists end where it ends. A stream that is behind that has been too
// slow ([ErrSlow]): it is cut, and may be resumed from its cursor.
//
// # When the hub runs
//
// From the first use on, until nothing was used for a while: where nothing is listened to, the
// store is asked nothing.
package live
