// Package httpapi is the HTTP face of Broadsheet.
//
//	POST /graphql         any operation, as application/json
//	GET  /graphql         queries only
//	GET  /playground      GraphiQL; / leads there
//	GET  /schema.graphql  the schema
//	GET  /livez           200 while the process runs
//	GET  /readyz          200 while GraphQL is answered, else 503 and the reason
//	GET  /metrics         for Prometheus
//
// An [API] listens before it has a store: until [API.Serve] gives it one, and again
// after [API.Drain], GraphQL requests are refused in GraphQL's own form.
//
// A request passes from the outside in: panics caught, named (X-Request-Id), logged
// and counted, given the headers that keep browsers careful, asked for its Host and
// its Origin, authenticated, its body bounded, executed before a deadline. No cookie is
// read or set anywhere.
package httpapi
