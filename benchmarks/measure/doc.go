// Package measure measures a blog as the guides that it follows do: each request of
// their table, on several models of the same data, in a closed loop.
//
//	requests.go     the requests, Q1 to Q6 and C1 to C4, and what they are asked for
//	load.go         the closed loop: so many callers, each with one request at a time
//	meter.go        statements, partitions, rows and bytes
//	compare.go      a table of all requests on all models
//	scale.go        the same requests at several sizes of the data
//	http.go         the requests as GraphQL documents, to a running server
//	connections.go  its connections
//	pairs.go        such a server beside another one
//	markdown.go     tables as text
package measure
