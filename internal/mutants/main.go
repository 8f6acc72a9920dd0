// Mutants plants faults in the code, one at a time, runs the tests that are to notice each, and
// fails where they pass:
//
//	go run ./internal/mutants -run 'commit'
//
// No file is changed: the compiler is given the changed one as an overlay. faults.txt is the list,
// one fault of a kind, each with its tests; a test keeps it current.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

func main() {
	chosen := flag.String("run", "", "a regular expression: only the faults whose names match")
	atOnce := flag.Int("p", 1+runtime.NumCPU(), "how many faults are tried at the same time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *chosen, runner{root: ".", atOnce: *atOnce, out: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, chosen string, r runner) error {
	match, err := regexp.Compile(chosen)
	if err != nil {
		return err
	}
	all, err := parse(faultsText)
	if err != nil {
		return err
	}
	return r.try(ctx, slices.DeleteFunc(all, func(f fault) bool { return !match.MatchString(f.name) }))
}

// runner tries faults.
type runner struct {
	root   string // of the module
	atOnce int
	out    io.Writer
}

// testLimit bounds the tests with one fault; tests that hang have noticed it.
const testLimit = 2 * time.Minute

// try returns an error for each fault that no test notices or that can't be planted, and where the
// tests fail without one.
func (r runner) try(ctx context.Context, faults []fault) error {
	if err := r.pass(ctx, faults); err != nil {
		return err
	}
	began, errs := time.Now(), make([]error, len(faults))
	var printing sync.Mutex
	var all errgroup.Group
	all.SetLimit(r.atOnce)
	for i, f := range faults {
		all.Go(func() error {
			began := time.Now()
			by, err := r.one(ctx, f)
			errs[i] = err
			printing.Lock()
			defer printing.Unlock()
			fmt.Fprintf(r.out, "%6.1fs  %s: %s\n", time.Since(began).Seconds(), f.name, by)
			return nil
		})
	}
	_ = all.Wait() // each has its error in errs
	fmt.Fprintf(r.out, "%d faults in %.0f s\n", len(faults), time.Since(began).Seconds())
	return errors.Join(errs...)
}

// pass returns an error where the tests fail without a fault: they would notice each.
func (r runner) pass(ctx context.Context, faults []fault) error {
	runs := map[string]string{}
	for _, f := range faults {
		if runs[f.pkg] != "" {
			runs[f.pkg] += "|"
		}
		runs[f.pkg] += f.run
	}
	var all errgroup.Group
	all.SetLimit(r.atOnce)
	for pkg, run := range runs {
		all.Go(func() error {
			if out, err := r.test(ctx, pkg, run); err != nil {
				return fmt.Errorf("the tests fail without a fault: %w\n%s", err, out)
			}
			return nil
		})
	}
	return all.Wait()
}

var (
	failure = regexp.MustCompile(`--- FAIL: (\S+)`)
	crash   = regexp.MustCompile(`(?m)^(panic|fatal error): .*$`)
	unbuilt = regexp.MustCompile(`\[(build|setup) failed\]`)
)

// one tries a fault, and returns what noticed it.
func (r runner) one(ctx context.Context, f fault) (by string, err error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := r.plant(f, dir)
	if err != nil {
		return "CAN'T BE PLANTED", err
	}
	out, err := r.test(ctx, f.pkg, f.run, "-overlay", overlay)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "NOT NOTICED", fmt.Errorf("%s: go test %s -run '%s' passes with it: write a test that fails, or take the code away", f.name, f.pkg, f.run)
	case unbuilt.Match(out):
		return "DOES NOT COMPILE", fmt.Errorf("%s does not compile:\n%s", f.name, out)
	}
	if found := failure.FindSubmatch(out); found != nil {
		return string(found[1]), nil
	}
	return string(bytes.TrimSpace(crash.Find(out))), nil
}

// plant writes the changed file, and an overlay that names it.
func (r runner) plant(f fault, dir string) (overlay string, err error) {
	text, err := f.planted(r.root)
	if err != nil {
		return "", err
	}
	at, err := filepath.Abs(filepath.Join(r.root, f.file))
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {at: changed}})
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, errors.Join(err, os.WriteFile(changed, []byte(text), 0o600), os.WriteFile(overlay, list, 0o600))
}

// test runs tests of a package until the first fails.
func (r runner) test(ctx context.Context, pkg, run string, more ...string) ([]byte, error) {
	args := append([]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-failfast", "-timeout", testLimit.String(), "-run", run}, more...)
	c := exec.CommandContext(ctx, "go", append(args, pkg)...)
	c.Dir = r.root
	c.WaitDelay = 5 * time.Second
	return c.CombinedOutput()
}
