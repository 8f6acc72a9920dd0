// Package changes follows a store's change feed: it merges the logs that the feed consists of (blog.Changes), and gives
// each change a cursor from which a follower can go on, on any server.
//
// # What is promised
//
// A follower of the feed gets each change after its cursor once. The changes of one log, which one process appends,
// come in the order of their numbers; those of several logs are merged by their times, about, for servers' clocks
// differ. In the embedded store, where a change is in its command's commit, that is the order of the truths. In
// Cassandra a change is appended after the answer, so the second of two commands may be first, and what recovery
// appends comes later than all that followed it. A post's comments have numbers, by which package live orders them.
//
// # Cursors
//
//	cursor = for each log the number of the last change that was passed
//
// A log that is not in a cursor was begun later, so all of it follows; unless it is long over,
// then all of it was passed. Cursors are opaque, and bear no secret.
//
// # What is kept
//
// Changes are kept for a time. A cursor of before that is refused with [blog.Expired], never answered with a part: the
// number of the first change that is there tells. So is a cursor ahead of a log's end, where a backup was restored.
package changes
