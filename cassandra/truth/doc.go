// Package truth reads truths and writes them: users, posts, the comments and the likes of posts, and the claims on
// unique texts. Every cell named in a conditional statement here is written by conditional statements only: those
// carry the time of their ballot, and a copy that one of them wrote could never be corrected by a write at an older
// stamp.
//
// A user or a post is guarded by its version and stamp, and remembers the commands that edited it last; so an edit
// whose answer was lost is settled by what it reads: [Edit]. Comments and likes are counted partitions, guarded by the
// version of their header.
//
// To raise a truth's stamp makes every write fail that goes by what it read before: a fence. It is also how a copy is
// written above a later write time.
package truth
