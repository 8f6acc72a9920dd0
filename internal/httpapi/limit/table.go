// Package limit has the limits on what clients may ask of a server. [Table] describes each of them
// once: what --limit takes, the documentation, the metrics and the errors follow from it.
package limit

// Name names a limit: it is its index in [Table] and in [Values].
type Name int

// The limits.
const (
	Body Name = iota
	BodyTime
	HeaderTime
	Tokens
	Depth
	Selections
	Aliases
	Directives
	Cost
	Deadline
	Bodies
	Answer
	Answers
	AnswerPace
	Concurrency
	Queue
	QueueTime
	Work
	Writes
	RenameInterval
	Connections
	ConnectionsPerClient
	LiveConnections
	LiveConnectionsPerClient
	Subscriptions
	PersistedQueries
	MetricOperations
	ShutdownTime
	count
)

// String returns the name that flags, metrics and errors use.
func (n Name) String() string { return Table[n].Name }

// Unit is what a limit is given in.
type Unit string

// The units.
const (
	Number Unit = "number"   // a whole number
	Bytes  Unit = "bytes"    // as 1048576, 1024KiB or 1MiB
	Time   Unit = "time"     // as 500ms or 1h
	Second Unit = "a second" // a rate
	Day    Unit = "a day"    // a rate
)

// Limit describes one limit.
type Limit struct {
	Name             string
	Unit             Unit
	Default          string
	Internal, Public string // the values of these profiles, where they are others than the default
	PerClient        bool   // there is none with --auth dev and with the profile local, where all come from one machine
	Required         bool   // it can't be 0, which is no limit for the others
	Section          string // of docs/limits.md, about it
	Bounds           string // what it bounds
	Beyond           string // what happens beyond it
}

const (
	tooComplex  = "`QUERY_TOO_COMPLEX`"
	limited     = "429, `RATE_LIMITED`, `Retry-After`"
	unavailable = "503, `UNAVAILABLE`, `Retry-After`"
	closed      = "the connection is closed"
)

// Table describes the limits.
var Table = [count]Limit{
	Body: {Name: "body", Unit: Bytes, Default: "1MiB", Public: "512KiB", Required: true,
		Bounds: "a request's body, and a message over a WebSocket", Beyond: "413, `BAD_REQUEST`; a WebSocket is closed with 1009"},
	BodyTime: {Name: "body_time", Unit: Time, Default: "30s", Required: true,
		Bounds: "the arrival of a whole request", Beyond: "408, `BAD_REQUEST`"},
	HeaderTime: {Name: "header_time", Unit: Time, Default: "10s", Required: true,
		Bounds: "the arrival of a request's headers", Beyond: closed},
	Tokens: {Name: "tokens", Unit: Number, Default: "10000", Public: "2000", Required: true,
		Bounds: "tokens of a document", Beyond: tooComplex},
	Depth: {Name: "depth", Unit: Number, Default: "20", Public: "15", Required: true,
		Bounds: "levels of fields", Beyond: tooComplex},
	Selections: {Name: "selections", Unit: Number, Default: "5000", Public: "1000", Required: true,
		Bounds: "selections, directives and values of arguments, in all operations and fragments, and again what a fragment holds wherever it is spread", Beyond: tooComplex},
	Aliases: {Name: "aliases", Unit: Number, Default: "100", Public: "30", Required: true,
		Bounds: "aliases of an operation", Beyond: tooComplex},
	Directives: {Name: "directives", Unit: Number, Default: "100", Public: "50", Required: true,
		Bounds: "directives of an operation", Beyond: tooComplex},
	Cost: {Name: "cost", Unit: Number, Default: "500",
		Section: "cost", Bounds: "partitions that an operation may read, as estimated", Beyond: tooComplex},
	Deadline: {Name: "deadline", Unit: Time, Default: "10s", Required: true,
		Bounds: "the time of an operation", Beyond: "`TIMEOUT` in each field that was not read by then"},
	Bodies: {Name: "bodies", Unit: Bytes, Default: "64MiB",
		Section: "shares", Bounds: "memory for all bodies and messages larger than 4 KiB, three times each, from their first bytes until their answers are made", Beyond: unavailable + "; a WebSocket is closed with 1013"},
	Answer: {Name: "answer", Unit: Bytes, Default: "16MiB", Public: "4MiB",
		Bounds: "an answer's data, as sent, and the texts of comments that are read for it", Beyond: tooComplex + " instead of the answer; a mutation was executed"},
	Answers: {Name: "answers", Unit: Bytes, Default: "256MiB",
		Section: "shares", Bounds: "memory for all answers larger than 256 KiB, while they are made and until they are read", Beyond: unavailable + "; small answers are never refused for it"},
	AnswerPace: {Name: "answer_pace", Unit: Bytes, Default: "32KiB",
		Bounds: "bytes a second at which an answer of more than 4 KiB has to be read, with 10 s to begin; 0: any, within 30 s", Beyond: closed},
	Concurrency: {Name: "concurrency", Unit: Number, Default: "256",
		Bounds: "requests that are executed at once", Beyond: "others wait"},
	Queue: {Name: "queue", Unit: Number, Default: "1024",
		Bounds: "requests that wait; 0: none", Beyond: unavailable + ", at once"},
	QueueTime: {Name: "queue_time", Unit: Time, Default: "500ms", Required: true,
		Bounds: "how long a request waits", Beyond: unavailable},
	Work: {Name: "work", Unit: Second, Default: "1000", Internal: "5000", PerClient: true,
		Section: "work", Bounds: "units of work of one client, a subject or else an address, and five times as many at once", Beyond: limited},
	Writes: {Name: "writes", Unit: Day, Default: "5000", Internal: "50000", PerClient: true,
		Section: "writes", Bounds: "units of what one subject writes, and a quarter of them at once: a post or group is 25, a comment or follow 5, a like or a joining 1, a change of name or address 500", Beyond: limited + "; nothing was executed"},
	RenameInterval: {Name: "rename_interval", Unit: Time, Default: "1h", PerClient: true,
		Bounds: "the time between two changes of an account's username, at least", Beyond: "`userErrors`: `FORBIDDEN` on `username`, with the time from which on it may be changed"},
	Connections: {Name: "connections", Unit: Number, Default: "10000",
		Bounds: "connections", Beyond: closed},
	ConnectionsPerClient: {Name: "connections_per_client", Unit: Number, Default: "100", Internal: "1000", PerClient: true,
		Bounds: "connections of one address", Beyond: closed},
	LiveConnections: {Name: "live_connections", Unit: Number, Default: "8000",
		Bounds: "WebSockets and event streams that are open; each is a connection, too", Beyond: unavailable},
	LiveConnectionsPerClient: {Name: "live_connections_per_client", Unit: Number, Default: "100", Internal: "1000", Public: "20", PerClient: true,
		Bounds: "those of one address, also behind a trusted proxy", Beyond: "429, `RATE_LIMITED`"},
	PersistedQueries: {Name: "persisted_queries", Unit: Number, Default: "1000",
		Bounds: "queries that are kept of those that clients persist automatically; 0: none", Beyond: "the longest unused is forgotten"},
	MetricOperations: {Name: "metric_operations", Unit: Number, Default: "100", Required: true,
		Bounds: "operations that /metrics counts by their names, which clients choose", Beyond: "counted as `other`"},
	ShutdownTime: {Name: "shutdown_time", Unit: Time, Default: "20s", Required: true,
		Bounds: "how long requests in flight may take to finish after SIGTERM", Beyond: closed},
	Subscriptions: {Name: "subscriptions", Unit: Number, Default: "100", Public: "20",
		Bounds: "subscriptions of one WebSocket at once", Beyond: "an `error` message, `RATE_LIMITED`; the others go on"},
}
