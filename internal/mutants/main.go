// Mutants tells what the tests notice. It plants faults in the code, one at a time, runs
// the tests of the package with each, and fails where they pass too often:
//
//	go run ./internal/mutants -run embedded
//
// The checked-in files are not touched: a fault is a part of a file and what stands in its
// place, and the compiler is given the changed file as an overlay. Each package has its
// list, in the file here of its name; the lists are kept current by a test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	chosen := flag.String("run", "", "a regular expression: of the faults, as \"embedded: a name\", only those that match")
	tests := flag.String("tests", "", "a regular expression: only those tests, to see whether a new one notices")
	atOnce := flag.Int("p", 2, "how many faults are tried at the same time")
	limit := flag.Duration("timeout", 10*time.Minute, "how long the tests of one package may take with a fault; beyond it, it counts as noticed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *chosen, runner{root: ".", tests: *tests, atOnce: *atOnce, limit: *limit, told: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, chosen string, r runner) error {
	match, err := regexp.Compile(chosen)
	if err != nil {
		return err
	}
	var some []fault
	for _, f := range faults() {
		if match.MatchString(f.String()) {
			some = append(some, f)
		}
	}
	tried, err := r.try(ctx, some)
	fmt.Print(table("package", tried, fault.component), table("kind", tried, func(f fault) string { return f.kind }))
	return errors.Join(err, verdict(tried))
}
