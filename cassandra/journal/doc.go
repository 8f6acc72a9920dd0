// Package journal keeps what commands are about to do. A command appends its intent before it touches a truth, and
// completes it when everything that follows is written; what a server left behind that died, or gave up, another one
// finds there: [Recovery]. No row is ever deleted, so no tombstones are read; all expire.
//
// Recovery knows no truths: it is given one function that finishes an intent.
package journal
