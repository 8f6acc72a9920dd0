//go:build unix

// Command withcassandra runs a command with a Cassandra for it to use.
//
//	withcassandra [-nodes 1] [-heap MiB] [-group] [-optimize] [-paxos v1] [--] command [arguments]
//	withcassandra -fetch
//
// It launches a cluster as package cassandratest does, or takes the one that
// CASSANDRA_HOSTS names, and sets for the command CASSANDRA_HOSTS to its
// hosts, "ip:port,…", and BROADSHEET_TEST_CASSANDRA to "require" unless it is set. It stops
// what it launched when the command ends, and exits with the command's code;
// with 128 plus the signal's number if a signal ended it. SIGINT and SIGTERM
// are passed on to the command and what that started. The command has no
// standard input. Without a Cassandra it exits with 1 and says what to do.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"broadsheet/internal/cassandratest"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	code, err := run(os.Args[1:], signals)
	if err != nil {
		fmt.Fprintln(os.Stderr, "withcassandra:", err)
	}
	os.Exit(code)
}

// run returns the code to exit with, and what to complain of.
func run(args []string, signals <-chan os.Signal) (int, error) {
	var o cassandratest.Options
	flags := flag.NewFlagSet("withcassandra", flag.ContinueOnError)
	flags.IntVar(&o.Nodes, "nodes", 1, "`number` of nodes to launch")
	flags.IntVar(&o.HeapMB, "heap", 0, "a node's largest heap in `MiB` (default 512, of several nodes 400)")
	flags.BoolVar(&o.Optimize, "optimize", false, "let Java compile for speed: for measurements")
	paxos := flags.String("paxos", "", "how nodes make conditional writes, paxos_variant: `v1` or v2 (default the server's own, v1)")
	group := flags.Bool("group", false, "sync the commit log for groups of writes")
	fetch := flags.Bool("fetch", false, "only fetch the server's jars")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0, nil
	} else if err != nil {
		return 2, nil // flags has complained
	}
	if *group {
		o.CommitLogSync = cassandratest.Group
	}
	// A node flushes its own tables at each change of a schema, so that it can replay its log after
	// its death. This one's death is its end, and without that a schema takes a third of the time.
	o.JVM = []string{"-Dcassandra.unsafesystem=true"}
	if *paxos != "" {
		o.Settings = map[string]string{"paxos_variant": *paxos}
	}
	switch {
	case *fetch:
		return fetchJars(signals)
	case flags.NArg() == 0:
		return 2, errors.New("no command to run: withcassandra [flags] -- go test ./...")
	}
	return with(o, flags.Args(), signals)
}

// fetchJars is -fetch.
func fetchJars(signals <-chan os.Signal) (int, error) {
	ctx, interrupted := untilSignal(signals)
	dir, err := cassandratest.Fetch(ctx)
	if sig := interrupted(); sig != nil {
		return exitCode(sig), err
	}
	if err != nil {
		return 1, err
	}
	fmt.Println(dir)
	return 0, nil
}

// with runs command beside a cluster as o describes it.
func with(o cassandratest.Options, command []string, signals <-chan os.Signal) (code int, err error) {
	began := time.Now()
	ctx, interrupted := untilSignal(signals)
	cluster, err := cassandratest.Open(ctx, o)
	sig := interrupted()
	if err != nil && sig != nil {
		return exitCode(sig), fmt.Errorf("%v before the cluster stood", sig)
	}
	if err != nil {
		return 1, err
	}
	defer func() {
		if cerr := cluster.Close(); cerr != nil {
			code, err = max(code, 1), errors.Join(err, cerr)
		}
	}()
	if sig != nil {
		return exitCode(sig), nil
	}
	hosts := strings.Join(cluster.Hosts(), ",")
	fmt.Fprintf(os.Stderr, "withcassandra: %s ready after %.1f s (%s)\n", hosts, time.Since(began).Seconds(), cluster.Source())
	return runCommand(command, hosts, signals)
}

// runCommand runs command to its end, in a process group of its own so that
// it gets each signal once, whether sent to us or typed at the terminal.
func runCommand(command []string, hosts string, signals <-chan os.Signal) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(),
		cassandratest.HostsEnv+"="+hosts,
		cassandratest.RequireEnv+"="+cmp.Or(os.Getenv(cassandratest.RequireEnv), "require"),
	)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			_ = syscall.Kill(-cmd.Process.Pid, sig.(syscall.Signal))
		case err := <-ended:
			return codeOf(cmd.ProcessState, err)
		}
	}
}

// codeOf is the exit code that passes on how the command ended.
func codeOf(state *os.ProcessState, err error) (int, error) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitCode(status.Signal()), nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil // the command itself said why
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// exitCode is that of a process which a signal ended, as shells have it.
func exitCode(sig os.Signal) int { return 128 + int(sig.(syscall.Signal)) }

// untilSignal returns a context that the next signal ends, and a function
// that stops waiting for one and returns it, if there was one.
func untilSignal(signals <-chan os.Signal) (context.Context, func() os.Signal) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	go func() {
		defer close(got)
		select {
		case sig := <-signals:
			cancel(fmt.Errorf("signal: %v", sig))
			got <- sig
		case <-ctx.Done():
		}
	}()
	return ctx, func() os.Signal {
		cancel(nil)
		return <-got
	}
}
