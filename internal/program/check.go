package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/identity"
)

// Run prints what is wrong with a server's configuration. What only looks wrong is a warning.
func (c *checkCommand) Run(ctx context.Context, p *program, k *kong.Context) error {
	for _, doubt := range c.doubts() {
		fmt.Fprintln(p.stdout, "warning:", doubt)
	}
	if err := unknownVariables(k.Model, os.Environ()); err != nil {
		return &contradiction{err}
	}
	if _, err := c.documentFlags.read(&c.limits); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "configuration: understood")
	return errors.Join(c.checkKeys(ctx, p), c.checkStore(ctx, p))
}

// doubts returns what a server would start with, and do something else than is likely meant.
func (c *serveCommand) doubts() (doubts []string) {
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
	return doubts
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

// checkKeys reads the issuer's keys once.
func (c *checkCommand) checkKeys(ctx context.Context, p *program) error {
	if c.Auth != authJWT {
		return nil
	}
	c.JWT.Log = p.log
	verifier, err := identity.New(c.JWT.Config)
	if err == nil {
		err = verifier.Fetch(ctx)
	}
	if err != nil {
		return fmt.Errorf("the issuer's keys: %w", err)
	}
	fmt.Fprintln(p.stdout, "the issuer's keys: there")
	return nil
}

// reachPatience is how long a store may take to be reached.
const reachPatience = 30 * time.Second

func (c *checkCommand) checkStore(ctx context.Context, p *program) error {
	if err := p.store.WantExisting(); err != nil {
		fmt.Fprintln(p.stdout, "the store: none yet, the first start makes it")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	err := p.with(ctx, func(store blog.Store) error {
		before, err := store.Noted(ctx, blog.Authentication)
		if err == nil {
			err = c.maySucceed(before)
		}
		if err == nil {
			err = cmp.Or(store.Ready(ctx), store.Writable(ctx))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	fmt.Fprintln(p.stdout, "the store: ready")
	return nil
}
