// Package program is the program: its command line, and what each command does.
//
//	main.go     from the command line to a command
//	config.go   the commands, and how a command line is read
//	*_flags.go  the flags, and what of them contradicts itself
//	store.go    the store that the flags name
//	check.go    what is wrong with a configuration
//	serve.go    the server: from listening to the last answer
//	drain.go    how it ends
//	tracing.go  traces, and what else the API is configured with
//	beside.go   commands on a store, also on one that a server has open
//	admin.go    probes, metrics and profiles, on a listener of their own
//	repeats.go  causes that repeat in the log
//	garbage.go  how often the memory is tidied up
//	*.go        a command each
//
// The tests that run it are in the folder e2e.
package program

import (
	"io"
	"log/slog"
	"sync/atomic"

	"broadsheet/internal/dataset"
)

// program is what every command has.
type program struct {
	sdl            string
	stdout, stderr io.Writer
	log            *slog.Logger
	store          StoreFlags
	clock          dataset.Clock // the embedded store's
	beside         bool          // it is a server's, which carries out a command for another process

	// issuer is that of the tokens which a server takes: empty where its subjects are the store's own,
	// nil before the store is there.
	issuer atomic.Pointer[string]
}
