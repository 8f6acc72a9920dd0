package main

import "slices"

// faults are all that are kept.
func faults() []fault {
	return slices.Concat(embedded, cassandra, graph, blog, audit, resolvers, httpapi, identity, relay, share, live, coalesce, memory)
}
