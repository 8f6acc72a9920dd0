package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"time"

	"github.com/prometheus/procfs"

	"broadsheet/benchmarks/measure"
	"broadsheet/internal/program"
)

// stores loads the same server on the embedded store and on Cassandra in turn, each a
// process of its own, with the same dataset.
func (b *benchmark) stores(ctx context.Context) (err error) {
	run := measure.Pairs{Store: "embedded and cassandra store"}
	for i, store := range []string{program.StoreEmbedded, program.StoreCassandra} {
		on := *b
		on.Store.Store = store
		var t *target
		if t, err = on.open(ctx, "_bench", b.Users, &measure.Meter{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.close()) }()
		if run.Contenders[i], err = t.contender(ctx); err != nil {
			return err
		}
	}
	return b.measurePairs(ctx, run)
}

// contender starts the server on the store, and says how it is loaded.
func (t *target) contender(ctx context.Context) (measure.Contender, error) {
	server, err := t.serve(ctx)
	if err != nil {
		return measure.Contender{}, err
	}
	store := t.Store
	contender := measure.Contender{Name: store.Store, Server: t.graphQL(server.url), CPU: server.cpu}
	if store.Store == program.StoreCassandra {
		contender.Node = nodeCPU(store.Hosts)
	}
	contender.Sample, err = contender.Server.Sample(ctx)
	return contender, err
}

// serve starts a server, as a process of its own, and hands the store over to it.
func (t *target) serve(ctx context.Context, more ...string) (*subprocess, error) {
	if err := t.handOver(); err != nil {
		return nil, err
	}
	server, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+/graphql`), t.environment(), append([]string{serveWord, "--listen", "127.0.0.1:0", "--no-demo", "--auth", "dev"}, more...)...)
	if err == nil {
		t.undo = append(t.undo, func(context.Context) error { return server.stop() })
	}
	return server, err
}

// environment returns the store's flags as they are for the process of a server.
func (t *target) environment() []string {
	store := t.Store
	all := append(storeEnvironment(t.line), "BROADSHEET_STORE="+store.Store, "BROADSHEET_DATA_DIR="+store.DataDir, "BROADSHEET_CASSANDRA_KEYSPACE="+store.Keyspace)
	if store.Store == program.StoreEmbedded {
		all = append(all, "BROADSHEET_CASSANDRA_HOSTS=") // which are refused then
	}
	return all
}

// measurePairs measures, and prints what it finds.
func (b *benchmark) measurePairs(ctx context.Context, run measure.Pairs) error {
	for _, contender := range run.Contenders {
		defer contender.Close()
	}
	run.Writes, run.Only = !b.UseExisting || b.Writes, b.Requests
	run.Connections, run.Rounds, run.Load = b.Connections, b.Rounds, b.load()
	bar := program.Progress(b.stderr, "measuring", "pairs", run.Steps())
	run.Progress = bar
	report, err := run.Run(ctx)
	if err != nil {
		return err
	}
	return b.print(report)
}

// nodeCPU returns what tells the CPU time of the only node of a cluster; nil where there
// are several, or it is no process of this machine that may be looked at.
func nodeCPU(hosts []string) measure.CPU {
	if len(hosts) != 1 {
		return nil
	}
	socket := listeningAt(hosts[0])
	processes, _ := procfs.AllProcs() // none but on Linux
	for _, process := range processes {
		descriptors, _ := process.FileDescriptorTargets() // none where it is another user's
		if slices.Contains(descriptors, socket) {
			return func() (time.Duration, error) { return cpuTime(process.PID) }
		}
	}
	return nil
}

const listens = 0x0a // the state of a socket, as /proc/net/tcp tells it

// listeningAt returns the socket that listens at an address of this machine, as /proc
// names it; empty: none does.
func listeningAt(host string) string {
	at, err := net.ResolveTCPAddr("tcp", host)
	if err != nil {
		return ""
	}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return ""
	}
	four, _ := fs.NetTCP()
	six, _ := fs.NetTCP6()
	for _, socket := range slices.Concat(four, procfs.NetTCP(six)) {
		if socket.St == listens && socket.LocalPort == uint64(at.Port) && (socket.LocalAddr.IsUnspecified() || socket.LocalAddr.Equal(at.IP)) {
			return fmt.Sprintf("socket:[%d]", socket.Inode)
		}
	}
	return ""
}
