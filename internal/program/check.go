package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/blog"
	"broadsheet/cassandra/migrate"
	"broadsheet/embedded"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// Run takes the steps of a server up to its first request, and undoes them. What only looks wrong is a warning.
func (c *checkCommand) Run(ctx context.Context, p *program, k *kong.Context) error {
	for _, doubt := range c.doubts(&p.store) {
		fmt.Fprintln(p.stdout, "warning:", doubt)
	}
	if err := unknownVariables(k.Model, os.Environ()); err != nil {
		return &contradiction{err}
	}
	c.checking = func(config *httpapi.Config) error {
		fmt.Fprintln(p.stdout, "configuration: understood")
		return errors.Join(c.checkKeys(ctx, p, config), c.checkStore(ctx, p))
	}
	return c.serveCommand.Run(ctx, p, k)
}

// doubts returns what a server would start with, and do something else than is likely meant.
func (c *serveCommand) doubts(store *StoreFlags) (doubts []string) {
	doubt := func(is bool, text string) {
		if is {
			doubts = append(doubts, text)
		}
	}
	l, tokens := &c.limits, c.Auth == authJWT
	listen, err := netip.ParseAddrPort(c.Listen)
	doubt(tokens && err == nil && listen.Addr().IsLoopback() && len(c.Operations.TrustedProxies) == 0,
		"--listen is of this machine alone, so clients come by a proxy: without --trusted-proxies all share the limits of one address")
	doubt(tokens && c.Operations.AdminListen == "", "metrics and probes are for whoever reaches --listen: --admin-listen takes them elsewhere")
	doubt(tokens && c.Operations.DrainDelay == 0, "--drain-delay is 0s: balancers that ask /readyz send requests to a server that has stopped")
	doubt(tokens && c.Profile == "local", "--profile local has no limits for single clients, and --auth jwt is for several")
	doubt(l[limit.Bodies] > 0 && 3*l[limit.Body] > l[limit.Bodies]/2, "the largest body (the limit body) takes three times that, which is more than a client's share of the limit bodies, a half")
	doubt(l[limit.Answers] > 0 && (l[limit.Answer] == 0 || l[limit.Answer] > l[limit.Answers]/2), "the largest answer (the limit answer) is more than a client's share of the limit answers, a half")
	doubt(l[limit.Connections] > 0 && (l[limit.LiveConnections] == 0 || l[limit.LiveConnections] >= l[limit.Connections]), "the limit live_connections leaves none of the connections to requests")
	doubt(l[limit.Deadline] > l[limit.ShutdownTime], "the limit deadline is longer than shutdown_time: a request may be cut off when the server stops")
	doubt(store.Store == StoreCassandra && store.Timeout > l.Time(limit.Deadline), "--cassandra-timeout is longer than the limit deadline: a statement that hangs takes all of a request's time")
	most, used := debug.SetMemoryLimit(-1), int64(l[limit.Answers]+l[limit.Bodies])+64<<20
	doubt(most < used, fmt.Sprintf("GOMEMLIMIT is %d MiB, and by the limits answers and bodies a server may use %d: raise it, or lower them", most>>20, used>>20))
	usual, _ := limit.For(c.Profile, tokens)
	usual[limit.Queue], usual[limit.PersistedQueries] = 0, 0 // of these 0 is the least
	for n, is := range l {
		doubt(is == 0 && usual[n] != 0, "the limit "+limit.Name(n).String()+" is 0, so there is none: is that meant?")
	}
	return doubts
}

// checkKeys reads the issuer's keys once.
func (c *checkCommand) checkKeys(ctx context.Context, p *program, config *httpapi.Config) error {
	issuers, are := config.Tokens.(tokens)
	if !are {
		return nil
	}
	if err := issuers.Fetch(ctx); err != nil {
		return fmt.Errorf("the issuer's keys: %w", err)
	}
	fmt.Fprintln(p.stdout, "the issuer's keys: there")
	return nil
}

func (c *checkCommand) checkStore(ctx context.Context, p *program) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	state, plan := "ready", []migrate.Migration(nil)
	if c.Migrate {
		plan, err = migrate.Plan(ctx, p.store.Cassandra(p.log).Config)
	}
	switch {
	case err != nil:
	case len(plan) > 0:
		state = fmt.Sprintf("the start makes what it lacks, by %d steps (migrate plan prints them)", len(plan))
		if p.store.Behind = plan[0].Version > lastWithoutNotes; p.store.Behind {
			err = p.with(ctx, func(store blog.Store) error { return c.checkNotes(ctx, p, store) })
		}
	case p.store.WantExisting() != nil:
		state = "none yet, the first start makes it"
	default:
		p.store.ReadOnly = true
		err = p.with(ctx, func(store blog.Store) error { return c.checkOpen(ctx, p, store) })
	}
	if err == nil && p.store.Store == StoreEmbedded {
		err = tryDirectory(ctx, p.store.DataDir, p.log)
	}
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	fmt.Fprintln(p.stdout, "the store:", state)
	return nil
}

// tryDirectory makes a directory, and a store in one of its own below it, and removes what it made.
func tryDirectory(ctx context.Context, dir string, log *slog.Logger) error {
	own := filepath.Join(dir, fmt.Sprint("check-", os.Getpid()))
	var made []string
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(dir) {
		made, dir = append(made, dir), filepath.Dir(dir)
	}
	store, err := embedded.Open(own, embedded.Options{Log: log})
	if err == nil {
		err = errors.Join(store.Writable(ctx), store.Close())
	}
	err = errors.Join(err, os.RemoveAll(own))
	for _, empty := range made {
		_ = os.Remove(empty)
	}
	return err
}

// lastWithoutNotes is the last migration before a keyspace has what an open store can be asked of who served it.
const lastWithoutNotes = 19

// checkOpen looks for what keeps a server from serving an open store.
func (c *checkCommand) checkOpen(ctx context.Context, p *program, store blog.Store) error {
	if c.Auth == authJWT && p.store.Store == StoreEmbedded && store.Upkeep().LastBackup.Unix() == 0 {
		fmt.Fprintln(p.stdout, "warning: the store was never backed up: broadsheet backup does so, also while a server runs")
	}
	return cmp.Or(c.checkNotes(ctx, p, store), store.Ready(ctx), store.Writable(ctx))
}

// checkNotes looks at who served the store.
func (c *checkCommand) checkNotes(ctx context.Context, p *program, store blog.Store) error {
	before, err := store.Noted(ctx, blog.Authentication)
	if err == nil {
		err = c.maySucceed(ctx, before, store)
	}
	if own, noted := store.Noted(ctx, blog.Issuer); noted == nil && own != "" && c.Auth == authJWT && own != c.JWT.Issuer && c.JWT.Adopt == "" {
		fmt.Fprintf(p.stdout, "warning: the store's accounts are those of %s: whoever has a token of %s gets a new one, unless --jwt-adopt-accounts issuer says that it is the same\n", own, c.JWT.Issuer)
	}
	return err
}
