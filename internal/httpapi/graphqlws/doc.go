// Package graphqlws speaks graphql-transport-ws, the protocol in which GraphQL's clients send
// operations over a WebSocket (RFC 6455). It knows messages, close codes and time; what an
// operation is, and whether it may be executed, a [Session] knows.
//
//	server.go     the sockets of a server: how one opens, and how all of them end
//	socket.go     one socket: what is read, and how it closes
//	operation.go  one operation of a socket: what is written
//	message.go    messages and close codes
//
// # What a socket costs
//
// A socket that waits is one goroutine in a read, with a buffer of 256 bytes, and one timer;
// each stream is one more goroutine. The HTTP server's own goroutine, its buffers and the
// request are gone as soon as the socket is open. What is written takes its buffer from a pool
// that all sockets share. Messages are not compressed: a compressor's window is 32 KiB and more
// for each socket, or for each message, and most messages are short.
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
// Of the last two, operations that are no streams finish first, and streams may say why they
// end; what the client begins meanwhile is not executed, as the code says. A socket whose
// closing code was sent waits a few seconds for the client's own, as RFC 6455, section 7.1.1,
// asks, so that the code is not lost in a reset.
package graphqlws
