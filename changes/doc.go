// Package changes follows a store's change feed: it merges the logs of which the feed consists
// (blog.Changes), and gives each change a cursor from which a follower can go on, on any server.
//
// # What is promised
//
// A follower of the feed gets each change after its cursor once. The changes of one log
// come in the order of their numbers; those of several logs are merged by their times, about,
// for servers' clocks differ. A log is what one process of a server appends, so what a client
// did through one server is in its order.
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
// Changes are kept for a time. A cursor of before that is refused with [blog.Expired], never
// answered with a part: the number of the first change that is there tells.
package changes
