// Package httpapi is the HTTP face of Broadsheet.
//
//	POST /graphql         any operation, as application/json
//	GET  /graphql         queries only; what is anonymous may be cached
//	     /graphql         any operation over a WebSocket (package graphqlws), or, where it is
//	                      accepted, as an event stream
//	GET  /                the app, and the addresses of its pages
//	GET  /playground      GraphiQL
//	GET  /schema.graphql  the schema
//	GET  /livez           200 while the process runs
//	GET  /readyz          200 while requests should come here, else 503 and the reason
//	GET  /metrics         for Prometheus
//
// Probes and metrics may have a listener of their own: [API.Operators].
//
// Until [API.Serve] gives an [API] a store, and after [API.Drain], GraphQL requests are refused in GraphQL's own form.
//
// A request passes from the outside in: named (X-Request-Id), logged and counted, traced, panics caught, given the
// headers that keep browsers careful, asked for its Host and its Origin, authenticated, its work paid, its body
// bounded, its document found where it is named only, measured and validated, its cost estimated, executed before a
// deadline. An operation of a WebSocket passes all that follows its body. No cookie is read or set.
package httpapi
