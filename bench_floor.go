package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/procfs"

	"broadsheet/bench"
	"broadsheet/cassandra/floor"
)

type floorCommand struct {
	Listen string `default:"127.0.0.1:0" help:"The loopback address to listen on. Port 0: any free one."`
}

// Run serves the floor until ctx ends: what bench --floor compares the server with.
func (c *floorCommand) Run(ctx context.Context, p *program) error {
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
	place, err := c.open(ctx, p, "_bench", c.Users, &bench.Meter{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.close()) }()
	environment := append(storeEnvironment(line), "BROADSHEET_CASSANDRA_KEYSPACE="+place.program.store.Keyspace)
	most := slices.Max(c.Connections)

	graphQL, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+/graphql`), environment, "serve", "--listen", "127.0.0.1:0", "--no-demo", "--auth", "dev")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, graphQL.stop()) }()
	bare, err := startSubprocess(ctx, regexp.MustCompile(`http://\S+`), environment, "floor", "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.stop()) }()

	run := bench.Floor{
		GraphQL: bench.Contender{Server: bench.GraphQL(graphQL.url, most), CPU: graphQL.cpu},
		Floor:   bench.Contender{Server: bench.Plain(bare.url, most), CPU: bare.cpu},
		Writes:  !c.UseExisting || c.Writes, Only: c.Requests,
		Connections: c.Connections, Rounds: c.Rounds, Load: c.load(),
	}
	defer run.GraphQL.Close()
	defer run.Floor.Close()
	if run.Sample, err = run.GraphQL.Sample(ctx); err != nil {
		return err
	}
	bar := progress(p.stderr, "measuring", "pairs", run.Steps())
	run.Step = func() { _ = bar.Add(1) }
	report, err := run.Run(ctx)
	if err != nil {
		return err
	}
	return c.print(p, report)
}

// storeEnvironment returns the store's flags as environment variables, for a process
// that shall have the same store.
func storeEnvironment(line *kong.Context) []string {
	var all []string
	for _, flag := range line.Flags() {
		if flag.Group == nil || flag.Group.Key != "Store" {
			continue
		}
		text := fmt.Sprint(flag.Target.Interface())
		if flag.Target.Kind() == reflect.Slice {
			text = strings.Join(flag.Target.Interface().([]string), ",")
		}
		if text != "" {
			all = append(all, flag.Envs[0]+"="+text)
		}
	}
	return all
}

// subprocess is this program in a process of its own.
type subprocess struct {
	url     string
	command *exec.Cmd
	input   io.Closer // the tests' binary ends with it
	ended   chan error
}

// subprocessEnds is how long one may take to end by itself.
const subprocessEnds = 30 * time.Second

// startSubprocess starts this program with a command, and waits until it says where it
// listens. Its log is dropped.
func startSubprocess(ctx context.Context, url *regexp.Regexp, environment []string, args ...string) (*subprocess, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &subprocess{command: exec.CommandContext(ctx, path, args...), ended: make(chan error, 1)}
	c.command.Env = append(os.Environ(), environment...)
	c.command.Cancel = func() error { return c.command.Process.Signal(os.Interrupt) }
	c.command.WaitDelay = subprocessEnds
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	said := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if found := url.FindString(lines.Text()); found != "" {
				said <- found
				break
			}
		}
		_, _ = io.Copy(io.Discard, output)
		c.ended <- c.command.Wait()
	}()
	select {
	case c.url = <-said:
		return c, nil
	case err := <-c.ended:
		return nil, fmt.Errorf("%s ended before it listened (%w): run it by itself to see why", strings.Join(c.command.Args, " "), err)
	}
}

// cpu returns the CPU time that the subprocess has used, in steps of 10 ms.
func (c *subprocess) cpu() (time.Duration, error) {
	process, err := procfs.NewProc(c.command.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("the time of a process can't be read here, but on Linux: %w", err)
	}
	stat, err := process.Stat()
	return time.Duration(stat.CPUTime() * float64(time.Second)), err
}

// stop ends the subprocess and waits for it.
func (c *subprocess) stop() error {
	_ = c.command.Process.Signal(os.Interrupt) // it may have ended
	err := <-c.ended
	_ = c.input.Close()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return nil // ended by the signal itself
	}
	return err
}
