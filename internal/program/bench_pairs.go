package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/procfs"

	"broadsheet/bench"
)

// stores loads the same server on the embedded store and on Cassandra in turn, each a
// process of its own, with the same dataset.
func (c *benchCommand) stores(ctx context.Context, p *program, line *kong.Context) (err error) {
	run := bench.Pairs{Store: "embedded and cassandra store"}
	for i, store := range []string{storeEmbedded, storeCassandra} {
		on := *p
		on.store.Store = store
		var target *benchTarget
		if target, err = c.open(ctx, &on, "_bench", c.Users, &bench.Meter{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, target.close()) }()
		if run.Contenders[i], err = target.contender(ctx, line); err != nil {
			return err
		}
	}
	return c.measurePairs(ctx, p, run)
}

// contender starts the server on the store, and says how it is loaded.
func (b *benchTarget) contender(ctx context.Context, line *kong.Context) (bench.Contender, error) {
	server, err := b.serve(ctx, line)
	if err != nil {
		return bench.Contender{}, err
	}
	store := b.program.store
	contender := bench.Contender{Name: store.Store, Server: bench.GraphQL(server.url, slices.Max(b.command.Connections)), CPU: server.cpu}
	if store.Store == storeCassandra {
		contender.Node = nodeCPU(store.Hosts)
	}
	contender.Sample, err = contender.Server.Sample(ctx)
	return contender, err
}

// serve starts a server, as a process of its own, and hands the store over to it.
func (b *benchTarget) serve(ctx context.Context, line *kong.Context) (*subprocess, error) {
	if err := b.handOver(); err != nil {
		return nil, err
	}
	server, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+/graphql`), b.environment(line), "serve", "--listen", "127.0.0.1:0", "--no-demo", "--auth", "dev")
	if err == nil {
		b.undo = append(b.undo, func(context.Context) error { return server.stop() })
	}
	return server, err
}

// environment returns the store's flags as they are for the process of a server.
func (b *benchTarget) environment(line *kong.Context) []string {
	store := b.program.store
	all := append(storeEnvironment(line), "BROADSHEET_STORE="+store.Store, "BROADSHEET_DATA_DIR="+store.DataDir, "BROADSHEET_CASSANDRA_KEYSPACE="+store.Keyspace)
	if store.Store == storeEmbedded {
		all = append(all, "BROADSHEET_CASSANDRA_HOSTS=") // which are refused then
	}
	return all
}

// measurePairs measures, and prints what it finds.
func (c *benchCommand) measurePairs(ctx context.Context, p *program, run bench.Pairs) error {
	for _, contender := range run.Contenders {
		defer contender.Close()
	}
	run.Writes, run.Only = !c.UseExisting || c.Writes, c.Requests
	run.Connections, run.Rounds, run.Load = c.Connections, c.Rounds, c.load()
	bar := progress(p.stderr, "measuring", "pairs", run.Steps())
	run.Step = func() { _ = bar.Add(1) }
	report, err := run.Run(ctx)
	if err != nil {
		return err
	}
	return c.print(p, report)
}

// nodeCPU returns what tells the CPU time of the only node of a cluster; nil where there
// are several, or it is no process of this machine that may be looked at.
func nodeCPU(hosts []string) bench.CPU {
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
