package httpapi

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/peer"
	"broadsheet/internal/httpapi/record"
	"broadsheet/web"
)

// Config is what an [API] is made with.
type Config struct {
	Log             *slog.Logger     // nil: the default
	LogEvery        uint64           // beyond a hundred in a second, of so many requests that did not fail one has a line; 0: each
	SDL             string           // the schema's text, for /schema.graphql; empty: that is not served
	NoPlayground    bool             // /playground is not served
	OperatorsApart  bool             // probes and metrics are served by [API.Operators] alone
	Tokens          Tokens           // nil: no token is accepted
	Limits          limit.Values     // all zero: [limit.Default]
	Live            graphqlws.Config // WebSockets and event streams; their bounds follow from the limits
	NoIntrospection bool             // __schema and __type are refused
	InProcess       bool             // the store's reads are work of this process, which else waits for them
	SignIn          web.SignIn       // how readers of the app get a token; its subject fills the playground's Authorization header

	TrustedDocuments     TrustedDocuments // nil: none
	TrustedDocumentsOnly bool             // no other document is executed
	CacheMaxAge          time.Duration    // for which an anonymous GET's answer needn't be asked for again; below 1 s: none
	AccountAge           time.Duration    // see [resolvers.Config]
	CompressFrom         int              // bytes of an answer that is compressed where the client accepts gzip; 0: none

	TrustedProxies peer.Proxies // whose X-Forwarded-For is believed; nil: none's
	ProxyProtocol  bool         // connections name their clients, and no X-Forwarded-For is looked for
	Tracer         trace.Tracer // makes the spans of requests and statements; nil: none
	StoreSystem    string       // the store's name in spans: OpenTelemetry's db.system.name

	PublicURL    string   // where readers reach the server, see [CheckPublicURL]; empty: as each request has it
	LoopbackOnly bool     // refuse requests whose Host header names another host than loopback
	CORSOrigins  []string // whose pages may read answers: see [CheckOrigin]; none: no other's
}

// Tokens verifies bearer tokens.
type Tokens interface {
	// Bearer returns whom a token stands for. Its error is shown to the client: of kind Unavailable
	// where the token can't be judged now, which is no fault of the token's, and of any other kind
	// where the token is bad.
	Bearer(ctx context.Context, token string) (blog.Bearer, error)
	// Known reports whether Bearer accepts a token without verifying its signature.
	Known(token string) bool
	// Ready returns why no token can be judged now, for /readyz; nil: they can.
	Ready() error
	record.Keys
}

const (
	graphqlPath = "/graphql"
	schemaPath  = "/schema.graphql"
)
