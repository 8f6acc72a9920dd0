package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/blog"
	"broadsheet/internal/dataset"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// Run listens at once, answers GraphQL as soon as the store is there, and finishes what is in flight when ctx ends.
func (c *serveCommand) Run(ctx context.Context, p *program, k *kong.Context) error {
	allowGarbage()
	if err := unknownVariables(k.Model, os.Environ()); err != nil {
		p.log.Warn(err.Error())
	}
	trusted, err := c.documentFlags.read(&c.limits)
	if err != nil {
		return err
	}
	config := httpapi.Config{
		Log: p.log, NoPlayground: !c.servesPlayground(),
		CORSOrigins: c.CORSOrigins, PublicURL: c.PublicURL,
		Limits: c.limits, InProcess: p.store.Store == StoreEmbedded, NoIntrospection: !c.Introspection,
		CacheMaxAge: c.CacheMaxAge, CompressFrom: int(c.CompressFrom),
		TrustedDocuments: trusted, TrustedDocumentsOnly: c.TrustedDocumentsOnly,
	}
	if p.store.Store == StoreCassandra { // the embedded one reads an account in microseconds, and answers an edit at once
		config.AccountAge = blog.AccountAge
	}
	if c.Introspection && !c.TrustedDocumentsOnly {
		config.SDL = p.sdl
	}
	closeTraces, err := c.Operations.configure(ctx, p, &config)
	if err != nil {
		return err
	}
	defer closeTraces()
	verifying, err := c.access(ctx, p, &config)
	if err != nil {
		return err
	}
	defer verifying()
	listener, err := c.listen(ctx, "--listen", c.Listen, 8080)
	if err != nil {
		return err
	}
	defer listener.Close() // where it does not come to drain

	url := "http://" + listener.Addr().String()
	if c.Operations.ProxyProtocol {
		listener = config.TrustedProxies.Listen(listener, c.limits.Time(limit.HeaderTime))
		config.TrustedProxies = nil // a client that a proxy names is no proxy, though its address be in their networks
	}
	api := httpapi.New(config)
	stopAdmin, err := c.startAdmin(ctx, p, api)
	if err != nil {
		return err
	}
	defer stopAdmin()
	if c.checking != nil {
		return c.checking(&config)
	}
	server := c.server(api, p.log)
	ended := make(chan error, 1)
	connections := api.Connections(listener)
	go func() { ended <- server.Serve(connections) }()
	p.log.Info("listening", "url", url, "store", p.store.Store, "auth", c.Auth)

	opening := p.startOpening(ctx, c, api, url)
	select {
	case <-ctx.Done():
	case err = <-ended:
	case err = <-opening.failed:
	}
	if err == nil && ctx.Err() != nil {
		err = c.leave(p, api, ended)
	}
	return errors.Join(err, c.drain(p, api, listener, server), opening.close())
}

// listen listens on the address that a flag names, whose usual port is given. With dev auth it refuses one that
// other machines reach, for they would be believed.
func (c *serveCommand) listen(ctx context.Context, flag, address string, port int) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s; another address is set by %s: %w", address, flag, err)
	}
	if c.Auth == authDev && !httpapi.NamesLoopback(listener.Addr().String()) {
		return nil, errors.Join(
			fmt.Errorf("%s can be reached from other machines, and --auth dev believes whoever asks: listen on loopback, as in %s 127.0.0.1:%d", listener.Addr(), flag, port),
			listener.Close())
	}
	return listener, nil
}

func (c *serveCommand) server(handler http.Handler, log *slog.Logger) *http.Server {
	body := c.limits.Time(limit.BodyTime)
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: c.limits.Time(limit.HeaderTime),
		ReadTimeout:       body,
		WriteTimeout:      body + c.limits.Time(limit.QueueTime) + c.limits.Time(limit.Deadline) + httpapi.WriteTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func (c *serveCommand) welcome(w io.Writer, url string) {
	page := ""
	if c.servesPlayground() {
		page = "  playground   " + url + "/playground\n"
	}
	fmt.Fprintf(w, `Broadsheet is ready.
  app          %[1]s/
%[3]s  GraphQL      %[1]s/graphql
  who you are  Authorization: Bearer %[2]s
`, url, c.whoYouAre(), page)
}

// opening is the way to a store that answers, taken while the server listens, and what runs beside the requests.
type opening struct {
	cancel  context.CancelFunc
	failed  chan error // gets why there is no store, unless a signal came first
	running sync.WaitGroup
	store   blog.Store // nil: it could not be opened. close reads it once nothing runs
}

func (p *program) startOpening(ctx context.Context, c *serveCommand, api *httpapi.API, url string) *opening {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	o := &opening{cancel: stop, failed: make(chan error, 1)}
	opening, cancel := context.WithCancel(ctx)
	context.AfterFunc(serving, cancel)
	o.running.Go(func() {
		err := blog.Safely(func() (err error) { o.store, err = p.openPatiently(opening, c, api); return err })
		if err == nil {
			o.running.Go(func() { o.store.Maintain(serving) })
			p.takeCommands(serving, o.store, &o.running)
			api.Serve(o.store)
		}
		switch {
		case ctx.Err() != nil: // where a signal stops it, it may well have failed
		case err != nil:
			o.failed <- err
		default:
			c.welcome(p.stdout, url)
		}
	})
	return o
}

// close gives up opening where it still lasts, and closes the store where there is one.
func (o *opening) close() error {
	o.cancel()
	o.running.Wait()
	if o.store == nil {
		return nil
	}
	return o.store.Close()
}

// fill writes the demo dataset where it is wanted and the store is empty. A signal does not cut it off: the next start
// would find a store that holds something, and leave the half.
func (c *serveCommand) fill(ctx context.Context, p *program, store blog.Store, api *httpapi.API) error {
	if !c.wantsDemo(p.store.Store) {
		return nil
	}
	empty, err := store.Empty(ctx)
	if err != nil || !empty {
		return err
	}
	if err := store.Writable(ctx); err != nil {
		return err
	}
	api.Wait("the demo dataset is being written")
	began := time.Now()
	plan := dataset.NewPlan(dataset.DemoSize, dataset.DemoSeed)
	err = plan.Write(context.WithoutCancel(ctx), store, dataset.Writing{Clock: &p.clock})
	if blog.KindOf(err) == blog.Taken {
		p.log.Info("another server is writing the demo dataset")
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the demo dataset (--no-demo does without): %v", err) // its kind is lost: half of it is not tried again
	}
	totals := plan.Totals()
	p.log.Info("wrote the demo dataset", "users", totals.Users, "posts", totals.Posts,
		"comments", totals.Comments, "likes", totals.Likes, "follows", totals.Follows, "took", time.Since(began).Round(time.Millisecond))
	return nil
}
