// Benchmarks measures Broadsheet: each request of the guides' table on the naive models and on the
// store, with the same data; the server on one store beside the same on the other; the server beside
// the floor, a handler that makes the same reads without GraphQL; and what a request costs in each
// stage of the server. README.md says how.
//
//	main.go        from the command line to what is measured
//	flags.go       the flags, and which of them contradict each other
//	tables.go      the guides' table, several sizes of the data, a running server, the ledger
//	pairs.go       two servers, each a process of its own, in turn
//	target.go      the store that is measured, made and removed
//	subprocess.go  this program in a process of its own
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"broadsheet/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// benchmark is one run of the command.
type benchmark struct {
	flags
	line           *kong.Context
	stdout, stderr io.Writer
	log            *slog.Logger
}

// The servers that are compared are this program with one of these words before its flags.
const (
	serveWord = "serve" // the program's own command
	floorWord = "floor"
)

// run is the whole command. It ends soon after ctx, and returns the exit code: 0, 1 where it failed,
// 2 where the command line was not understood.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == serveWord {
		return program.Run(ctx, args, "", stdout, stderr)
	}
	b := &benchmark{stdout: stdout, stderr: stderr, log: slog.New(slog.NewTextHandler(stderr, nil))}
	work := b.bench
	if len(args) > 0 && args[0] == floorWord {
		args, work = args[1:], b.serveFloor
	}
	code, done := b.parse(args)
	if done {
		return code
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(stderr, "benchmarks:", err)
		return 1
	}
	return 0
}

// parse understands a command line. done: nothing is left to do but to exit with code, as after
// --help.
func (b *benchmark) parse(args []string) (code int, done bool) {
	exited := false
	parser, err := kong.New(&b.flags,
		kong.Name("benchmarks"),
		kong.Description("Measures each request of the guides' table: statements, partitions, rows, bytes and latencies, on Cassandra also on the naive models. Every flag has an environment variable, named beside it."),
		kong.DefaultEnvars("BROADSHEET"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(b.stdout, b.stderr),
		kong.Exit(func(int) { exited = true }),
	)
	if err != nil {
		panic(err) // the struct is malformed: every test sees it
	}
	b.line, err = parser.Parse(args)
	if exited {
		return 0, true
	}
	if err == nil {
		err = b.validate()
	}
	if err != nil {
		fmt.Fprintf(b.stderr, "benchmarks: %s\nTry --help.\n", err)
		return 2, true
	}
	return 0, false
}
