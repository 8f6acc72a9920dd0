package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// outcome is what became of a fault.
type outcome int

const (
	survived outcome = iota
	noticed
	hung // its tests did not end in time
)

func (o outcome) String() string { return [...]string{"SURVIVED", "noticed", "hung"}[o] }

// trial is a fault that was tried.
type trial struct {
	fault
	outcome outcome
	by      string // the first test that failed
}

// runner tries faults.
type runner struct {
	root   string // of the module
	tests  string // which, as go test has it; empty: all
	atOnce int
	limit  time.Duration // of the tests of one package
	told   io.Writer

	mu *sync.Mutex
}

// try tries each fault. An error is one of the list: a fault that can't be planted; or the
// tests fail without any. Where one does not compile the others are tried all the same.
func (r runner) try(ctx context.Context, faults []fault) ([]trial, error) {
	if err := r.pass(ctx, faults); err != nil {
		return nil, err
	}
	r.mu = &sync.Mutex{}
	tried, errs := make([]trial, len(faults)), make([]error, len(faults))
	var all errgroup.Group
	all.SetLimit(r.atOnce)
	for i, f := range faults {
		all.Go(func() error {
			tried[i], errs[i] = r.one(ctx, f)
			return nil
		})
	}
	_ = all.Wait() // each has its error in errs
	judged := tried[:0]
	for i, t := range tried {
		if errs[i] == nil {
			judged = append(judged, t)
		}
	}
	return judged, errors.Join(errs...)
}

// pass returns an error where tests fail without a fault: then they would notice each.
func (r runner) pass(ctx context.Context, faults []fault) error {
	var packages []string
	for _, f := range faults {
		if _, err := f.planted(r.root); err != nil {
			return err
		}
		for _, p := range f.packages() {
			packages = append(packages, "./"+p)
		}
	}
	slices.Sort(packages)
	out, err := r.command(ctx, "go", append([]string{"test", "-vet=off", "-run", r.tests}, slices.Compact(packages)...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the tests fail without a fault: %w\n%s", err, out)
	}
	return nil
}

// one tries a fault with the tests of one package after the other, until they notice it.
func (r runner) one(ctx context.Context, f fault) (trial, error) {
	began := time.Now()
	tried := trial{fault: f}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return tried, err
	}
	defer os.RemoveAll(dir)
	overlay, err := r.plant(f, dir)
	if err != nil {
		return tried, err
	}
	for _, p := range f.packages() {
		binary := filepath.Join(dir, "test")
		if out, err := r.command(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, "./"+p).CombinedOutput(); err != nil {
			return tried, fmt.Errorf("%v: does not compile: %w\n%s", f, err, out)
		} else if bytes.Contains(out, []byte("[no test files]")) {
			continue
		}
		if tried.outcome, tried.by, err = r.judge(ctx, filepath.Join(r.root, p), binary); err != nil || tried.outcome != survived {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.told, "%-8v %5.1fs  %v (%s)\t%s\n", tried.outcome, time.Since(began).Seconds(), f, f.kind, tried.by)
	return tried, err
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

var (
	failure = regexp.MustCompile(`--- FAIL: (\S+)`)
	crash   = regexp.MustCompile(`(?m)^(panic|fatal error): .*$`)
)

// judge runs a package's tests until the first fails.
func (r runner) judge(ctx context.Context, dir, binary string) (outcome, string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	absolute, err := filepath.Abs(binary)
	if err != nil {
		return survived, "", err
	}
	run := r.command(ctx, absolute, "-test.failfast", "-test.run", r.tests)
	run.Dir = dir
	out, err := run.CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case err == nil:
		return survived, "", nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return hung, "", nil
	case ctx.Err() != nil || !errors.As(err, &exit):
		return survived, "", err
	}
	by := bytes.TrimSpace(crash.Find(out))
	if found := failure.FindSubmatch(out); found != nil {
		by = found[1]
	}
	return noticed, string(by), nil
}

// command is a command in the module's root. What it starts ends with it: a test that
// hangs has its pipes closed a while later.
func (r runner) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = r.root
	c.WaitDelay = 5 * time.Second
	return c
}

// leastNoticed is the share of faults, of each package, that has to be noticed.
const leastNoticed = 90 // %

// verdict returns what has to be done about the outcomes, nil where that is nothing.
func verdict(tried []trial) error {
	var wrong []error
	for _, t := range tried {
		switch {
		case t.outcome == survived && t.accepted == "":
			wrong = append(wrong, fmt.Errorf("%v: no test fails with it: write one, or take away the code, or say in the list why none can", t))
		case t.outcome != survived && t.accepted != "":
			wrong = append(wrong, fmt.Errorf("%v: is noticed, and the list says that it can't be: %s", t, t.accepted))
		}
	}
	for _, c := range counted(tried, fault.component) {
		if 100*c.noticed < leastNoticed*c.all {
			wrong = append(wrong, fmt.Errorf("%s: %d of %d faults are noticed, which is less than %d %%", c.name, c.noticed, c.all, leastNoticed))
		}
	}
	return errors.Join(wrong...)
}

// count is how many of some faults are noticed.
type count struct {
	name               string
	all, noticed, hung int
}

func counted(tried []trial, by func(fault) string) (counts []count) {
	for _, t := range tried {
		i := slices.IndexFunc(counts, func(c count) bool { return c.name == by(t.fault) })
		if i < 0 {
			i = len(counts)
			counts = append(counts, count{name: by(t.fault)})
		}
		counts[i].all++
		if t.outcome != survived {
			counts[i].noticed++
		}
		if t.outcome == hung {
			counts[i].hung++
		}
	}
	return counts
}

// table shows how many faults of each name are noticed.
func table(of string, tried []trial, by func(fault) string) string {
	var b strings.Builder
	row := func(c count) {
		fmt.Fprintf(&b, "%-24s %8d %8d %8d %7d %%\n", c.name, c.all, c.noticed, c.hung, 100*c.noticed/max(c.all, 1))
	}
	fmt.Fprintf(&b, "\n%-24s %8s %8s %8s\n", of, "faults", "noticed", "hung")
	counts := counted(tried, by)
	slices.SortFunc(counts, func(x, y count) int { return strings.Compare(x.name, y.name) })
	for _, c := range counts {
		row(c)
	}
	if len(counts) > 1 {
		for _, c := range counted(tried, func(fault) string { return "all" }) {
			row(c)
		}
	}
	return b.String()
}
