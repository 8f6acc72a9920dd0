package program

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/rates"
)

type serveCommand struct {
	Listen          string        `default:"127.0.0.1:8080" help:"The address to listen on. Port 0: any free one."`
	Auth            string        `default:"dev" enum:"dev,jwt" help:"Who a request acts for. dev: its bearer token is the subject itself, so only loopback is listened on; jwt: the sub of a JSON Web Token."`
	Demo            *bool         `negatable:"" help:"Write a small demo dataset where the store is empty. The default is yes for the embedded store with --auth dev, else no."`
	Migrate         bool          `name:"migrate" help:"First create the keyspace and apply the migrations that lack. Only for --store cassandra. The default is no."`
	RequestTimeout  time.Duration `default:"10s" help:"The longest that one operation may take."`
	ShareReads      bool          `default:"true" negatable:"" help:"Let requests that read the same at once share one read, which begins after they came."`
	ShutdownTimeout time.Duration `default:"20s" help:"How long requests in flight may take to finish after SIGTERM."`
	KeepAlive       time.Duration `default:"25s" help:"How often WebSockets and event streams show a sign of life, for proxies between that end silent connections. A WebSocket's client that is silent for two and a half times as long is gone."`
	Playground      *bool         `negatable:"" help:"Serve GraphiQL at /playground. The default is yes, with --trusted-documents-only no."`
	SchemaEndpoint  *bool         `negatable:"" help:"Serve the schema's text at /schema.graphql. The default is yes, with --trusted-documents-only or --no-introspection no."`
	CORSOrigins     []string      `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may use the API: https://app.example.org, https://*.example.org for all below it, or * for any. The default is none."`

	Profile string `default:"" enum:",local,internal,public" placeholder:"NAME" help:"Limits for who comes: local, one person; internal, known programs and their users; public, anybody. docs/limits.md tells what each sets. A limit that is given beside it, by its flag or its variable, is as given. The default is none of them."`

	Operations operationsFlags `embed:"" group:"Operations"`
	Limits     limitFlags      `embed:"" group:"Limits"`
	JWT        jwtFlags        `embed:"" group:"Tokens"`

	documentFlags `embed:""`
}

// checkCommand has the flags of a server, and starts none.
type checkCommand struct {
	serveCommand `embed:""`
}

// limitFlags are what a client may ask for. docs/limits.md says what happens beyond.
type limitFlags struct {
	MaxBody       size `name:"max-body-bytes" default:"1048576" help:"The largest body of a request, in bytes or as 1MiB."`
	MaxTokens     int  `default:"10000" help:"The longest document, in tokens."`
	MaxDepth      int  `default:"20" help:"The most levels of fields in a document."`
	MaxSelections int  `default:"5000" help:"The most fields and fragments of a document, those of fragments counted wherever they are spread."`
	MaxAliases    int  `default:"100" help:"The most aliases of a document, likewise."`
	MaxDirectives int  `default:"100" help:"The most directives of a document, likewise."`
	Introspection bool `default:"true" negatable:"" help:"Answer __schema and __type."`

	CostLimit int    `default:"500" help:"The most partitions that an operation may read, as estimated beforehand: a list counts its page size times. 0: any number."`
	CostMode  string `default:"enforce" enum:"report,enforce" help:"report: execute what costs more, and count it in the metrics; enforce: refuse it."`

	MaxBodies     size `name:"max-bodies-bytes" default:"67108864" help:"What all requests above 4 KiB may take of memory together, in bytes, about: three times each. One client gets as much as it leaves free; others are refused. 0: any size."`
	MaxAnswer     size `name:"max-answer-bytes" default:"16777216" help:"The largest answer of an operation, in bytes of its data as sent. 0: any size."`
	MaxAnswers    size `name:"max-answers-bytes" default:"268435456" help:"What all answers above 256 KiB may take of memory together until they are read, in bytes, about. One client gets as much as it leaves free; others are refused. 0: any size."`
	MinAnswerRate size `name:"min-answer-rate" default:"32768" help:"At how many bytes a second a client has to read an answer, from its eleventh second on, or is cut off. 0: at any rate, within 30s."`

	MaxConcurrent int           `name:"max-concurrent-requests" default:"256" help:"The most requests that are executed at once. 0: any number."`
	MaxQueued     int           `name:"max-queued-requests" default:"1024" help:"The most requests that wait for their turn. Others are refused at once."`
	QueueTimeout  time.Duration `default:"500ms" help:"The longest that a request waits for its turn, or to be read."`

	RateSubject *float64 `name:"rate-limit-subject" help:"Requests a second of one subject, and twice as many at once. 0: any number. The default is 50, with --auth dev 0."`
	RateAddress *float64 `name:"rate-limit-address" help:"Requests a second of one address (IPv6: /56) without a valid token, and twice as many at once. 0: any number. The default is 50, with --auth dev 0."`

	RateWork *float64 `name:"rate-limit-work" help:"Units of work a second of one client, a subject or else an address, and five times as many at once. A unit is a tenth of a millisecond of one core, or a partition that is read. 0: any amount. The default is 1000, with --auth dev 0."`

	RatePosts    *float64 `name:"rate-limit-posts" help:"New posts of one subject a day, and a quarter of them at once. 0: any number. The default is 200, with --auth dev 0."`
	RateComments *float64 `name:"rate-limit-comments" help:"New comments of one subject a day, and a quarter of them at once. 0: any number. The default is 1000, with --auth dev 0."`
	RateLikes    *float64 `name:"rate-limit-likes" help:"Likes that one subject gives or takes back a day, and a quarter of them at once. 0: any number. The default is 5000, with --auth dev 0."`
	RateRenames  *float64 `name:"rate-limit-renames" help:"Changes of its username that one subject tries a day, and a quarter of them at once. 0: any number. The default is 10, with --auth dev 0."`
	RateEmails   *float64 `name:"rate-limit-emails" help:"Changes of its e-mail address that one subject tries a day, and a quarter of them at once. 0: any number. The default is 10, with --auth dev 0."`

	RenameInterval *time.Duration `name:"rename-interval" help:"How long after a change of its username an account may change it again. 0s: at once. The default is 1h, with --auth dev 0s."`

	MaxConnections          int           `default:"10000" help:"The most connections. 0: any number."`
	MaxConnectionsPerClient *int          `help:"The most connections of one address (IPv6: /56). 0: any number. The default is 100, with --auth dev 0."`
	MaxLive                 int           `name:"max-live-connections" default:"8000" help:"The most WebSockets and event streams that are open at once; each is a connection, too. 0: any number."`
	MaxLivePerClient        *int          `name:"max-live-connections-per-client" help:"The most of them of one address (IPv6: /56), also behind a trusted proxy. 0: any number. The default is 100, with --auth dev 0."`
	MaxSubscriptions        int           `name:"max-subscriptions-per-socket" default:"100" help:"The most subscriptions of one WebSocket at once. 0: any number."`
	HeaderTimeout           time.Duration `default:"10s" help:"How long the headers of a request may take to arrive."`
	BodyTimeout             time.Duration `default:"30s" help:"How long a whole request may take to arrive."`
}

const (
	defaultRate                 = 50
	defaultWorkRate             = 1000
	defaultConnectionsPerClient = 100
	defaultLivePerClient        = 100
	defaultRenameInterval       = time.Hour
)

var defaultWrites = rates.Daily{Posts: 200, Comments: 1000, Likes: 5000, Renames: 10, Emails: 10}

// limits returns the limits of requests. Those of single clients are off in dev, where all
// come from one machine.
func (f limitFlags) limits(auth string) httpapi.Limits {
	return httpapi.Limits{
		Body: int64(f.MaxBody), Bodies: int64(f.MaxBodies), Answer: int64(f.MaxAnswer), Answers: int64(f.MaxAnswers), Pace: int64(f.MinAnswerRate),
		Document: f.documents(),
		Cost:     f.CostLimit, ReportCost: f.CostMode == "report",
		Concurrent: f.MaxConcurrent, Queued: f.MaxQueued, Patience: f.QueueTimeout,
		SubjectRate: perClient(f.RateSubject, auth, defaultRate),
		AddressRate: perClient(f.RateAddress, auth, defaultRate),
		WorkRate:    perClient(f.RateWork, auth, defaultWorkRate),
		Writes: rates.Daily{
			Posts:    perClient(f.RatePosts, auth, defaultWrites.Posts),
			Comments: perClient(f.RateComments, auth, defaultWrites.Comments),
			Likes:    perClient(f.RateLikes, auth, defaultWrites.Likes),
			Renames:  perClient(f.RateRenames, auth, defaultWrites.Renames),
			Emails:   perClient(f.RateEmails, auth, defaultWrites.Emails),
		},
		RenameInterval: perClient(f.RenameInterval, auth, defaultRenameInterval),

		Live: f.MaxLive, LivePerClient: perClient(f.MaxLivePerClient, auth, defaultLivePerClient),
		Subscriptions: f.MaxSubscriptions,
	}
}

func (f limitFlags) documents() document.Limits {
	return document.Limits{Tokens: f.MaxTokens, Depth: f.MaxDepth, Selections: f.MaxSelections, Aliases: f.MaxAliases, Directives: f.MaxDirectives}
}

// perClient returns a limit of single clients: as it was given, or the default.
func perClient[T int | float64 | time.Duration](given *T, auth string, otherwise T) T {
	switch {
	case given != nil:
		return *given
	case auth == authDev:
		return 0
	default:
		return otherwise
	}
}

func (f limitFlags) validate() error {
	for _, n := range []int64{int64(f.MaxBody), int64(f.MaxTokens), int64(f.MaxDepth), int64(f.MaxSelections), int64(f.MaxAliases), int64(f.MaxDirectives)} {
		if n < 1 {
			return errors.New("--max-body-bytes, --max-tokens, --max-depth, --max-selections, --max-aliases and --max-directives must be at least 1")
		}
	}
	if f.CostLimit < 0 || f.MaxBodies < 0 || f.MaxAnswer < 0 || f.MaxAnswers < 0 || f.MinAnswerRate < 0 || f.MaxConcurrent < 0 || f.MaxQueued < 0 || f.MaxConnections < 0 || f.MaxLive < 0 || f.MaxSubscriptions < 0 ||
		f.MaxConnectionsPerClient != nil && *f.MaxConnectionsPerClient < 0 || f.MaxLivePerClient != nil && *f.MaxLivePerClient < 0 ||
		f.RateSubject != nil && *f.RateSubject < 0 || f.RateAddress != nil && *f.RateAddress < 0 ||
		f.RateWork != nil && *f.RateWork < 0 {
		return errors.New("limits of costs, bodies, answers, requests, rates, connections and subscriptions must not be below 0, which is no limit")
	}
	for _, rate := range []*float64{f.RatePosts, f.RateComments, f.RateLikes, f.RateRenames, f.RateEmails} {
		if rate != nil && *rate < 0 {
			return errors.New("--rate-limit-posts and the other rates of writes must not be below 0, which is no limit")
		}
	}
	if f.RenameInterval != nil && *f.RenameInterval < 0 {
		return errors.New("--rename-interval must not be below 0s, which is none")
	}
	if f.QueueTimeout <= 0 || f.HeaderTimeout <= 0 || f.BodyTimeout <= 0 {
		return errors.New("--queue-timeout, --header-timeout and --body-timeout must be above zero, as in 10s")
	}
	return nil
}

// documentFlags say how clients may name documents, and how answers travel and are kept.
type documentFlags struct {
	PersistedQueries     int           `default:"1000" help:"How many queries are kept that clients persist automatically, by hash. 0: none."`
	TrustedDocuments     string        `type:"path" placeholder:"FILE" help:"A manifest of the documents that clients were built with, as Apollo's or Relay's tools write it: clients may name them by id. The default is none."`
	TrustedDocumentsOnly bool          `help:"Execute no other documents than those. The default is no."`
	CacheMaxAge          time.Duration `default:"0s" help:"For how long caches may use the answer to an anonymous GET query without asking again. 0s: they ask each time."`
	CompressFrom         size          `default:"0" placeholder:"BYTES" help:"Compress answers of at least so many bytes, as in 1400 or 2KiB, for clients that accept gzip. 0: none, as where a proxy does it."`
}

// read returns the documents of --trusted-documents, nil where there are none.
func (f documentFlags) read(limits limitFlags) (*httpapi.TrustedDocuments, error) {
	if f.TrustedDocuments == "" {
		return nil, nil
	}
	trusted, err := httpapi.ReadTrustedDocuments(f.TrustedDocuments, limits.documents(), limits.Introspection)
	if err != nil {
		return nil, fmt.Errorf("--trusted-documents: %w", err)
	}
	return trusted, nil
}

func (f documentFlags) validate() error {
	if f.PersistedQueries < 0 {
		return errors.New("--persisted-queries must be at least 0")
	}
	if f.TrustedDocumentsOnly && f.TrustedDocuments == "" {
		return errors.New("--trusted-documents-only needs --trusted-documents, as in --trusted-documents manifest.json")
	}
	if f.CacheMaxAge < 0 || f.CacheMaxAge%time.Second != 0 {
		return errors.New("--cache-max-age must be whole seconds, as in 30s, and not below zero")
	}
	if f.CompressFrom < 0 {
		return errors.New("--compress-from must be at least 0, as in 1400")
	}
	return nil
}

// operationsFlags are for those who run a server: docs/operations.md.
type operationsFlags struct {
	DrainDelay       time.Duration `default:"0s" help:"How long after SIGTERM requests are still accepted while /readyz already says no, for load balancers to notice. It comes before --shutdown-timeout."`
	TrustedProxies   []string      `placeholder:"CIDR" help:"Networks of proxies whose X-Forwarded-For is believed, as in 10.0.0.0/8. The default is none: a client's address is its connection's."`
	ProxyProtocol    bool          `help:"Connections of the proxies that --trusted-proxies names begin with a header of the PROXY protocol, version 1 or 2, which tells the client's address; X-Forwarded-For is not read of them. The default is no."`
	AdminListen      string        `placeholder:"ADDRESS" help:"An address to answer probes and to serve metrics on, as in :9090, and to loopback profiles. They are then nowhere else. The default is none: probes and metrics are on --listen."`
	MetricOperations int           `default:"100" help:"How many operations /metrics counts by their names, which clients choose; the others are counted as other."`
	Tracing          string        `default:"off" enum:"off,otlp" help:"Where traces go: off, nowhere; otlp, to an OpenTelemetry collector by OTLP over HTTP, as the environment variables OTEL_… say."`
	PprofListen      string        `placeholder:"ADDRESS" help:"A loopback address to serve Go's profiles on, as in 127.0.0.1:6060. The default is none."`
}

func (f *operationsFlags) validate() error {
	if f.DrainDelay < 0 {
		return errors.New("--drain-delay must be at least zero, as in 15s")
	}
	if f.MetricOperations < 1 {
		return errors.New("--metric-operations must be at least 1")
	}
	if f.ProxyProtocol && len(f.TrustedProxies) == 0 {
		return errors.New("--proxy-protocol needs --trusted-proxies, as in 10.0.0.0/8: who is believed to tell clients' addresses")
	}
	_, err := f.trustedProxies()
	return err
}

// trustedProxies returns the networks that the flag names; an address is a network of
// one.
func (f *operationsFlags) trustedProxies() ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range f.TrustedProxies {
		network, err := netip.ParsePrefix(text)
		if address, aerr := netip.ParseAddr(text); aerr == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return nil, fmt.Errorf("--trusted-proxies: %q is no network, as in 10.0.0.0/8, and no address", text)
		}
		networks = append(networks, network)
	}
	return networks, nil
}

func (c *serveCommand) validate() error {
	if c.RequestTimeout <= 0 || c.ShutdownTimeout <= 0 || c.KeepAlive <= 0 {
		return errors.New("--request-timeout, --shutdown-timeout and --keep-alive must be above zero, as in 10s")
	}
	return errors.Join(c.validateAccess(), c.Limits.validate(), c.documentFlags.validate(), c.Operations.validate())
}

const authDev = "dev"

// servesPlayground reports whether GraphiQL is served: what it sends is in no list of trusted
// documents.
func (c *serveCommand) servesPlayground() bool {
	return givenOr(c.Playground, !c.TrustedDocumentsOnly)
}

// servesSchema reports whether the schema is served, for tools that could not ask for it either.
func (c *serveCommand) servesSchema() bool {
	return givenOr(c.SchemaEndpoint, !c.TrustedDocumentsOnly && c.Limits.Introspection)
}

func givenOr(given *bool, otherwise bool) bool {
	if given != nil {
		return *given
	}
	return otherwise
}

// wantsDemo reports whether an empty store is to be filled with the demo dataset.
func (c *serveCommand) wantsDemo(store string) bool {
	return givenOr(c.Demo, store == StoreEmbedded && c.Auth == authDev)
}
