package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"broadsheet/blog"
)

// Main runs the program as a process, and does not return. sdl is the GraphQL schema, as clients' tools want it.
func Main(sdl string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(Run(ctx, os.Args[1:], sdl, os.Stdout, os.Stderr))
}

// Run is the whole program. It ends when its command does, at the latest soon after ctx, and returns the exit code: 0;
// 1 if the command failed; 2 if it was not understood, or what it checked contradicts itself; [exitExpired].
func Run(ctx context.Context, args []string, sdl string, stdout, stderr io.Writer) int {
	f, line, code := parse(args, stdout, stderr)
	if line == nil {
		return code
	}
	p := &program{sdl: sdl, stdout: stdout, stderr: stderr, log: f.Log.logger(stderr), store: f.Store}
	defer func() { _ = p.log.Handler().(unrepeated).count(ctx, time.Now(), 0) }()
	line.BindTo(ctx, (*context.Context)(nil))
	if err := line.Run(p, p.store.Cassandra(p.log)); err != nil {
		fmt.Fprintln(stderr, "broadsheet:", err)
		if blog.KindOf(err) == blog.Expired {
			return exitExpired
		}
		if errors.As(err, new(*contradiction)) {
			return 2
		}
		return 1
	}
	return 0
}

// contradiction is an error in the configuration, found by a command that looks for such.
type contradiction struct{ error }

func (c *contradiction) Unwrap() error { return c.error }

// exitExpired is the code if the changes after a follower's cursor are kept no more: it has to start anew.
const exitExpired = 3
