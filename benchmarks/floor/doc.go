// Package floor answers the product's queries, and comments and likes, from the store's
// tables by a bare HTTP handler: the same statements, by the same driver with the same
// settings, and plain JSON by encoding/json. There is no GraphQL, no identity, no limit,
// no metric, no recovery, and nothing is shared or combined: what a request costs here is
// what it costs at least without them, and what the server costs is told beside it. It is
// for measurements, on loopback, of a store made for the purpose.
package floor
