package cassandra_test

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest/faultproxy"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// At each statement of each command: it fails, its answer is lost, it comes late, or
// the server dies before it or after it. Each statement suffers one of the five, chosen
// by the seed.
func TestFaultAtEveryStatement(t *testing.T) {
	t.Parallel()
	storetest.UnderFaults(t, storetest.FaultPlan{Seed: storetest.Seed(t), Rounds: 1, Sample: 1}, newBreakable(t))
}

// At each statement of each command: it fails, its answer is lost, or it comes late; and what is
// late arrives when another command has undone what the first one did. Each statement suffers one
// of the three, chosen by the seed.
func TestFaultBeforeTheCommandIsUndone(t *testing.T) {
	t.Parallel()
	storetest.UnderFaults(t, storetest.FaultPlan{Seed: storetest.Seed(t), Rounds: 1, Sample: 1, Undone: true}, newBreakable(t))
}

// TestSoakFaultAtEveryStatement has each statement suffer every fault, several times.
func TestSoakFaultAtEveryStatement(t *testing.T) {
	storetest.Soaks(t)
	storetest.UnderFaults(t, storetest.FaultPlan{Seed: storetest.Seed(t), Rounds: max(1, storetest.SoakFactor(t)/5)}, newBreakable(t))
}

// TestSoakFaultBeforeTheCommandIsUndone has each statement suffer every fault that passes.
func TestSoakFaultBeforeTheCommandIsUndone(t *testing.T) {
	storetest.Soaks(t)
	storetest.UnderFaults(t, storetest.FaultPlan{Seed: storetest.Seed(t), Rounds: max(1, storetest.SoakFactor(t)/5), Undone: true}, newBreakable(t))
}

// breakable is a server behind a proxy. Another recovers what it leaves behind.
type breakable struct {
	t       *testing.T
	config  cassandra.Config // past the proxy
	options blog.Options
	byNodes bool // its clock is beside the nodes'
	proxy   *faultproxy.Proxy
	server  *cassandra.Store
	strike  *faultproxy.Strike
	fault   storetest.StepFault
}

func newBreakable(t *testing.T) *breakable { return &breakable{t: t, config: testkeyspace.New(t)} }

func (b *breakable) Open(t *testing.T, options blog.Options) blog.Store {
	b.options = options
	b.start()
	t.Cleanup(func() {
		if b.server != nil {
			b.end()
		}
	})
	return testkeyspace.Scanned{Store: b.server, Config: b.config}
}

// start starts a server behind a proxy of its own.
func (b *breakable) start() {
	b.t.Helper()
	must(b.t, b.open(b.t.Context()))
}

func (b *breakable) open(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	b.proxy = faultproxy.Start(b.t, b.config.Hosts)
	config := b.config
	config.Hosts = b.proxy.Hosts()
	if !b.byNodes {
		config.ClusterClock = b.options.Clock
	}
	b.server, err = cassandra.Open(ctx, config, b.options)
	return err
}

// end closes a server, or buries it.
func (b *breakable) end() {
	b.t.Helper()
	if b.proxy.Dead() {
		b.bury()
	} else {
		must(b.t, b.server.Close())
		b.server = nil
	}
}

// bury ends a server whose process has died: it waits for nothing.
func (b *breakable) bury() {
	b.t.Helper()
	if !b.proxy.Dead() {
		b.t.Fatal("the server has not died")
	}
	b.server.Crash()
	b.server = nil
}

func (b *breakable) Faults() (all []storetest.StepFault) {
	for _, fault := range faultproxy.Faults {
		all = append(all, storetest.StepFault{Name: fault.String(), Kills: fault.Kills(), Passes: !fault.Kills()})
	}
	return all
}

func (b *breakable) Break(ctx context.Context, fault storetest.StepFault, k int) context.Context {
	b.fault = fault
	for _, f := range faultproxy.Faults {
		if f.String() == fault.Name {
			b.strike = b.proxy.Strike(k, f, nil)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	died := b.proxy.Died() // not that of a later proxy
	go func() {
		defer cancel()
		select {
		case <-died:
		case <-ctx.Done():
		}
	}()
	b.t.Cleanup(cancel)
	return ctx
}

func (b *breakable) Broken() (step string, met bool) {
	request, met := b.strike.Hit()
	return request.String(), met
}

// Passed waits for the connection that was cut. The driver tells of a statement's failure before it
// takes the broken connection out of its pool, and the next statement may go by that one: with one
// node there is no other to try again at.
func (b *breakable) Passed(ctx context.Context) error { return b.connected(ctx) }

// Mend recovers, lets arrive what is late, and recovers again, for that may have
// changed a truth. All servers are started anew: the clock was set forward, and by that others
// end the log of a process that goes on.
func (b *breakable) Mend(ctx context.Context) (blog.Store, error) {
	b.proxy.SetRule(nil)
	healer := testkeyspace.Open(b.t, b.config, b.options)
	defer healer.Close()
	if err := recovered(ctx, healer); err != nil {
		return nil, fmt.Errorf("recovery: %w", err)
	}
	b.proxy.Release()
	if err := recovered(ctx, healer); err != nil {
		return nil, fmt.Errorf("recovery of what came late: %w", err)
	}
	b.end()
	b.start()
	return testkeyspace.Scanned{Store: b.server, Config: b.config}, b.connected(ctx)
}

// recovered has a server recover. As the worker in every server it tries again where a pass was too slow
// to save its position, or a command could not be finished for want of an answer, which a node that is busy
// brings about. What is left undone for any other reason stays so.
func recovered(ctx context.Context, server *cassandra.Store) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := server.Recover(ctx)
		kind := blog.KindOf(err)
		if err == nil || ctx.Err() != nil || kind != blog.Timeout && kind != blog.Unavailable {
			return err
		}
	}
}

// connected waits until the server has all its connections again, and is ready.
func (b *breakable) connected(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	connections := cluster.ConnectionsPerHost*len(b.config.Hosts) + 1 // which hears of the cluster's events
	for {
		err := b.server.Ready(ctx)
		if err == nil && b.proxy.Connections() == connections || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
