package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/rates"
)

// Config is what an [API] is made with.
type Config struct {
	Log             *slog.Logger            // nil: the default
	RequestTimeout  time.Duration           // of one operation; default 10 s
	SDL             string                  // the schema's text, for /schema.graphql; empty: that is not served
	NoPlayground    bool                    // /playground is not served
	OperatorsApart  bool                    // probes and metrics are served by [API.Operators] alone
	Authenticate    Authenticate            // nil: no token is accepted
	KnownToken      func(token string) bool // which tokens Authenticate takes without verifying their signatures; nil: none
	Limits          Limits                  // zero: [DefaultLimits]
	Live            Live                    // WebSockets and event streams
	NoIntrospection bool                    // __schema and __type are refused
	InProcess       bool                    // the store's reads are work of this process, which else waits for them
	ShareReads      bool                    // those who read the same at once share one read
	DevSubject      string                  // fills the playground's Authorization header, and the app's sign-in; empty: none

	PersistedQueries     int               // how many are kept of those that clients persist automatically; 0: none, they are told so
	TrustedDocuments     *TrustedDocuments // nil: none
	TrustedDocumentsOnly bool              // no other document is executed
	CacheMaxAge          time.Duration     // for which an anonymous GET's answer needn't be asked for again; below 1 s: none
	CompressFrom         int               // bytes of an answer that is compressed where the client accepts gzip; 0: none

	TrustedProxies   peer.Proxies // whose X-Forwarded-For is believed; nil: none's
	ProxyProtocol    bool         // connections tell their clients, and no X-Forwarded-For is looked for
	MetricOperations int          // how many operations are counted by name; default 100
	Tracer           trace.Tracer // makes the spans of requests and statements; nil: none
	StoreSystem      string       // the store's name in spans: OpenTelemetry's db.system.name

	Keys         func() Keys  // by which tokens are judged; nil: they do not change
	AuthReady    func() error // why no token can be judged yet, for /readyz; nil: they can
	LoopbackOnly bool         // refuse requests whose Host header names another host than loopback
	CORSOrigins  []string     // whose pages may read answers: see [CheckOrigin]; none: no other's
}

// Limits bound what a client may ask for. A zero limit is none, but for those of the
// document and the body, which are always bounded.
type Limits struct {
	Body     int64           // bytes of a request
	Bodies   int64           // bytes that all requests larger than 4 KiB take of memory, about
	Document document.Limits // of a request's text

	Answer     int64 // bytes of an operation's data
	Answers    int64 // bytes of all that are larger than 256 KiB, until they are written, about
	Pace       int64 // bytes a second, at which an answer is to be read
	Cost       int   // partitions that an operation may read, as [resolvers.Cost] has it
	ReportCost bool  // an operation beyond Cost is executed, and only counted

	Concurrent int           // requests that are executed at once
	Queued     int           // requests that wait for their turn
	Patience   time.Duration // how long one waits, or has waited when it is read

	SubjectRate float64 // requests a second of one subject, and twice as many at once
	AddressRate float64 // of one address, of requests without a valid token
	WorkRate    float64 // units of work a second of one client, and [rates.WorkAtOnce] times as many at once

	Writes         rates.Daily
	RenameInterval time.Duration // that is to lie between two changes of a username

	Live          int // WebSockets and event streams that are open at once
	LivePerClient int // of them, those of one address
	Subscriptions int // of one WebSocket at once
}

// DefaultLimits have no rates: what is right depends on who the clients are.
var DefaultLimits = Limits{
	Body: 1 << 20, Bodies: 64 << 20, Answer: 16 << 20, Answers: 256 << 20, Pace: 32 << 10, Document: document.DefaultLimits, Cost: 500,
	Concurrent: 256, Queued: 1024, Patience: 500 * time.Millisecond,
	Live: 8000, Subscriptions: 100,
}

// Authenticate returns whom a token stands for. Its error is shown to the client: of kind
// Unavailable where the token can't be judged now, which is no fault of the token's, and of any
// other kind where the token is bad.
type Authenticate func(ctx context.Context, token string) (blog.Bearer, error)

// Live is how connections are kept that stay open: WebSockets and event streams. Zero values
// stand for the defaults.
type Live struct {
	InitTimeout  time.Duration // for a WebSocket's connection_init to come; default 10 s
	KeepAlive    time.Duration // between two signs of life from the server; default 25 s
	WriteTimeout time.Duration // for a message or an event to be taken; default [WriteTimeout]
}

func (l Live) withDefaults() Live {
	return Live{
		InitTimeout:  cmp.Or(l.InitTimeout, 10*time.Second),
		KeepAlive:    cmp.Or(l.KeepAlive, 25*time.Second),
		WriteTimeout: cmp.Or(l.WriteTimeout, WriteTimeout),
	}
}

const (
	graphqlPath = "/graphql"
	schemaPath  = "/schema.graphql"
)
