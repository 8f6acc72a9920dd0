//go:build floor

package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"broadsheet/bench"
	"broadsheet/cassandra/floor"
)

// The floor is for who works on the server, and in no program that is shipped: it takes the
// build tag floor. Without it bench_shipped.go stands in this file's place.

// floorCommands are the commands that the tag adds.
type floorCommands struct {
	Floor floorCommand `cmd:"" hidden:"" help:"Answer the same reads without GraphQL, for bench --floor. Only for --store cassandra."`
}

// floorFlags are the flags of bench that it adds.
type floorFlags struct {
	WithFloor bool `name:"floor" help:"Compare the server, as a process of its own, with the floor: a bare handler that makes the same reads and writes plain JSON. Only for --store cassandra, on Linux. The default is not to."`
}

// pairFlags name what compares two servers.
const pairFlags = "--floor, --stores"

func (f floorFlags) wanted() bool { return f.WithFloor }

func (f floorFlags) validate(store string, stores bool) error {
	switch {
	case f.WithFloor && store != storeCassandra:
		return errors.New("--floor is for --store cassandra: the floor makes the driver's reads")
	case f.WithFloor && stores:
		return errors.New("--floor and --stores are two comparisons: leave one out")
	}
	return nil
}

type floorCommand struct {
	Listen string `default:"127.0.0.1:0" help:"The loopback address to listen on. Port 0: any free one."`
}

// Run serves the floor until ctx ends: what bench --floor compares the server with.
func (c *floorCommand) Run(ctx context.Context, p *program) error {
	if p.store.Store != storeCassandra {
		return errors.New("floor is for --store cassandra")
	}
	config, err := p.store.cassandra(p.log)
	if err != nil {
		return err
	}
	handler, err := floor.Open(ctx, config)
	if err != nil {
		return err
	}
	defer handler.Close()
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	if !isLoopback(listener) {
		return errors.Join(errors.New("the floor knows nobody and refuses nothing: it listens on loopback only"), listener.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(p.stdout, "floor at http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// floor loads the server and the floor in turn, each a process of its own on the same
// store.
func (c *benchCommand) floor(ctx context.Context, p *program, line *kong.Context) (err error) {
	target, err := c.open(ctx, p, "_bench", c.Users, &bench.Meter{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close()) }()
	sample, err := bench.TakeSample(ctx, target.store)
	if err != nil {
		return err
	}
	graphQL, err := target.serve(ctx, line)
	if err != nil {
		return err
	}
	bare, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+`), target.environment(line), "floor", "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()

	most := slices.Max(c.Connections)
	return c.measurePairs(ctx, p, bench.Pairs{
		Store: "cassandra store", OneStore: true,
		Contenders: [2]bench.Contender{
			{Name: "GraphQL", Server: bench.GraphQL(graphQL.url, most), Sample: sample, CPU: graphQL.cpu},
			{Name: "floor", Server: bench.Plain(bare.url, most), Sample: sample, CPU: bare.cpu},
		},
	})
}
