// Package floor answers the product's queries from the store's tables by a bare HTTP
// handler: the same statements, by the same driver with the same settings, and plain
// JSON by encoding/json. There is no GraphQL, no identity, no limit, no metric and no
// sharing: what a request costs here is what it costs at least without them, and what
// the server costs is told beside it. It is for measurements, on loopback.
package floor
