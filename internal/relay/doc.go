// Package relay is how ids, cursors and times look to a client.
//
// # Ids
//
// An id is a byte that names the type, then the UUIDs of the key, written in
// base64url without padding. There is one spelling for each object, so clients
// may compare ids as text.
//
//	user     u ┃ user UUID
//	post     p ┃ post UUID
//	comment  c ┃ post UUID ┃ comment UUID      the post is the comment's partition
//	like     l ┃ post UUID ┃ user UUID
//
// # Cursors
//
// A cursor is the key of a row, with the list that the row stands in: what a
// client gets from one list another refuses. Four bytes of SHA-256 find typing
// errors and truncation; they are no secret, for a cursor gives no right.
//
//	list ┃ parent UUID, but for the feed ┃ key ┃ check
//
// # Scalars
//
// The Marshal and Unmarshal functions are what gqlgen.yml binds the scalars of
// the schema to. They are stricter than gqlgen's own: a string is no Int, a
// number is no String.
package relay
