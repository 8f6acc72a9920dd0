// Package graphqlws speaks graphql-transport-ws, the protocol in which GraphQL's clients send operations over a
// WebSocket (RFC 6455). It knows messages, close codes and time; a [Session] knows what an operation is, and whether it
// may be executed.
//
// A socket that waits is one goroutine in a read, with a buffer of 256 bytes, and one timer; each stream is one more
// goroutine. The HTTP server's own goroutine, its buffers and the request are gone as soon as the socket is open.
//
// # How a socket ends
//
//	the client closes it           operations end with [ErrLeft]
//	a message breaks the protocol  the same; the close code says which rule
//	a write is late                [ErrSlow]; the connection is cut, for half a frame was sent
//	nothing was heard              [ErrLeft]; the connection is cut
//	its time is over               [ErrExpired] for streams; then 4403
//	the server leaves              [ErrLeaving] for streams; then 1001
//
// Before the last two, operations that are no streams finish, and streams say why they end; what the client begins
// meanwhile is not executed. A socket that has sent its closing code waits a few seconds for the client's own (RFC
// 6455, section 7.1.1), so that the code is not lost in a reset.
package graphqlws
