package program

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

type serveCommand struct {
	Listen      string   `default:"127.0.0.1:8080" help:"The address to listen on. Port 0: any free one."`
	Auth        string   `default:"dev" enum:"dev,jwt" help:"Who a request acts for. dev: its bearer token is the subject itself, so only loopback is listened on; jwt: the sub of a JSON Web Token."`
	Demo        *bool    `negatable:"" help:"Write a small demo dataset where the store is empty. The default is yes for the embedded store with --auth dev, else no."`
	Migrate     bool     `name:"migrate" help:"First create the keyspace and apply the migrations that lack. Only for --store cassandra. The default is no."`
	Playground  *bool    `negatable:"" help:"Serve GraphiQL at /playground. The default is yes, with --trusted-documents-only no."`
	PublicURL   string   `name:"public-url" placeholder:"URL" help:"Where readers reach the server, as in https://blog.example.org: for feeds, and for links that are shared. The default is the Host of each request."`
	CORSOrigins []string `name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may use the API: https://app.example.org, https://*.example.org for all below it, or * for any. The default is none."`

	Profile string   `default:"" enum:",local,internal,public" placeholder:"NAME" help:"Limits for who comes: local, one person; internal, known programs and their users; public, anybody. docs/limits.md says what each sets. The default is none of them."`
	Limit   []string `placeholder:"NAME=VALUE" help:"A limit on what clients may ask for, whatever the profile says. Those of $BROADSHEET_LIMIT hold where the command line sets others. The names are above, with their defaults."`

	Operations operationsFlags `embed:"" group:"Operations"`
	JWT        jwtFlags        `embed:"" group:"Tokens"`

	documentFlags `embed:""`

	limits   limit.Values
	checking func(*httpapi.Config) error // is called where a server would begin to listen for requests; nil: it does
}

// Help is what --help says below the flags.
func (c *serveCommand) Help() string {
	return "Limits, and their defaults. 0 is no limit, but for the body, the document and times. With --auth dev and with --profile local single clients have none.\n\n" + limit.Help()
}

// checkCommand has the flags of a server, and starts none.
type checkCommand struct {
	serveCommand `embed:""`
}

// documentFlags say how clients may name documents, and how answers travel and are kept.
type documentFlags struct {
	Introspection        bool          `default:"true" negatable:"" help:"Answer __schema and __type, and serve the schema's text at /schema.graphql, but for that with --trusted-documents-only."`
	TrustedDocuments     string        `type:"path" placeholder:"FILE" help:"A manifest of the documents that clients were built with, as Apollo's or Relay's tools write it: clients may name them by id. The default is none."`
	TrustedDocumentsOnly bool          `help:"Execute no other documents than those. The default is no."`
	CacheMaxAge          time.Duration `default:"0s" help:"For how long caches may use the answer to an anonymous GET query without asking again. 0s: they ask each time."`
	CompressFrom         limit.Size    `default:"0" placeholder:"BYTES" help:"Compress answers of at least so many bytes, as in 1400 or 2KiB, for clients that accept gzip. 0: none, as where a proxy does it."`
}

// read returns the documents of --trusted-documents, nil where there are none.
func (f documentFlags) read(limits *limit.Values) (httpapi.TrustedDocuments, error) {
	if f.TrustedDocuments == "" {
		return nil, nil
	}
	trusted, err := httpapi.ReadTrustedDocuments(f.TrustedDocuments, limits, f.Introspection)
	if err != nil {
		return nil, fmt.Errorf("--trusted-documents: %w", err)
	}
	return trusted, nil
}

func (f documentFlags) validate() error {
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

// operationsFlags are for operators: docs/operations.md.
type operationsFlags struct {
	DrainDelay     time.Duration `default:"0s" help:"How long after SIGTERM requests are still accepted while /readyz already says no, for load balancers to notice. It comes before the limit shutdown_time."`
	TrustedProxies []string      `placeholder:"CIDR" help:"Networks of proxies whose X-Forwarded-For is believed, as in 10.0.0.0/8. The default is none: a client's address is its connection's."`
	ProxyProtocol  bool          `help:"Connections of the proxies that --trusted-proxies names begin with a header of the PROXY protocol, version 1 or 2, which tells the client's address; X-Forwarded-For is not read of them. The default is no."`
	AdminListen    string        `placeholder:"ADDRESS" help:"An address to answer probes and to serve metrics on, as in :9090, and, to this machine alone, Go's profiles. They are then nowhere else. The default is none: probes and metrics are on --listen."`
	LogEvery       uint64        `default:"100" help:"Beyond a hundred requests in a second, of so many one has a line in the log; 1: each. Those that failed through the server or its store are not counted: each is a warning, and the log has few of those of one code."`
	Tracing        string        `default:"off" enum:"off,otlp" help:"Where traces go: off, nowhere; otlp, to an OpenTelemetry collector by OTLP over HTTP, as the environment variables OTEL_… say."`

	trusted []netip.Prefix // of TrustedProxies
}

func (f *operationsFlags) validate() error {
	if f.DrainDelay < 0 {
		return errors.New("--drain-delay must be at least zero, as in 15s")
	}
	if f.ProxyProtocol && len(f.TrustedProxies) == 0 {
		return errors.New("--proxy-protocol needs --trusted-proxies, as in 10.0.0.0/8: who is believed to tell clients' addresses")
	}
	for _, text := range f.TrustedProxies {
		network, err := netip.ParsePrefix(text)
		if address, aerr := netip.ParseAddr(text); aerr == nil { // a network of one
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return fmt.Errorf("--trusted-proxies: %q is no network, as in 10.0.0.0/8, and no address", text)
		}
		f.trusted = append(f.trusted, network)
	}
	return nil
}

func (c *serveCommand) validate() error {
	return errors.Join(c.validateAccess(), c.setLimits(), c.documentFlags.validate(), c.Operations.validate())
}

func (c *serveCommand) migrates() bool { return c.Migrate }

// setLimits finds the limits that hold. The command line is read after the variable, which would else
// be ignored where there is any on the command line.
func (c *serveCommand) setLimits() (err error) {
	fromVariable := strings.FieldsFunc(os.Getenv("BROADSHEET_LIMIT"), func(r rune) bool { return r == ',' })
	if c.limits, err = limit.For(c.Profile, c.Auth != authDev, slices.Concat(fromVariable, c.Limit)...); err != nil {
		return fmt.Errorf("--limit: %w", err)
	}
	return nil
}

const authDev = "dev"

// servesPlayground reports whether GraphiQL is served: what it sends is in no list of trusted documents.
func (c *serveCommand) servesPlayground() bool {
	return givenOr(c.Playground, !c.TrustedDocumentsOnly)
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

// unknownVariables returns an error that names an environment's BROADSHEET_ variables that are no flag's.
func unknownVariables(model *kong.Application, environment []string) error {
	var known, unknown []string
	_ = kong.Visit(model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known = append(known, flag.Envs...)
		}
		return next(nil)
	})
	for _, entry := range environment {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "BROADSHEET_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("the environment has variables that mean nothing: %s. Limits are set as in BROADSHEET_LIMIT=tokens=5000,depth=10", strings.Join(unknown, ", "))
}
