package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"broadsheet/blog"
)

type verifyCommand struct {
	Repair      bool `help:"Mend what differs, from its truth. The default is no."`
	Concurrency int  `name:"audit-concurrency" default:"4" help:"How many parts of the tables are read at once."`
	Rate        int  `name:"audit-rate" default:"0" help:"How many rows are read in a second, at most. 0: no limit."`
}

// Run compares every copy with its truth, and every count with its rows, while
// servers write. It prints a line for each table.
func (c *verifyCommand) Run(ctx context.Context, p *program) error {
	return p.withExisting(ctx, func(store blog.Store) error {
		auditor, ok := store.(blog.Auditor)
		if !ok {
			return errors.New("this store can't be verified")
		}
		report := p.reporter(c.Repair)
		bar := p.spinner("verifying")
		found, err := blog.Verifying{Repair: c.Repair, Concurrency: c.Concurrency, Rate: c.Rate, Step: bar.step, Report: report.table}.Run(ctx, auditor)
		bar.end()
		if err != nil {
			return err
		}
		report.print()
		if n := found.Left(); n > 0 {
			return fmt.Errorf("%d rows or counts differ from their truth", n)
		}
		return nil
	})
}

// reporter gathers what is printed when all is read.
type reporter struct {
	w      io.Writer
	repair bool
	text   strings.Builder
}

func (p *program) reporter(repair bool) *reporter {
	r := &reporter{w: p.stdout, repair: repair}
	fmt.Fprintf(&r.text, "%-20s %12s %10s %10s", "TABLE", "ROWS", "IN FLIGHT", "DRIFTED")
	if repair {
		fmt.Fprintf(&r.text, " %10s", "REPAIRED")
	}
	r.text.WriteString("\n")
	return r
}

func (r *reporter) table(t blog.TableReport) {
	fmt.Fprintf(&r.text, "%-20s %12d %10d %10d", t.Table, t.Rows, t.InFlight, t.Drifted)
	if r.repair {
		fmt.Fprintf(&r.text, " %10d", t.Repaired)
	}
	r.text.WriteString("\n")
	for _, drift := range t.Examples {
		fmt.Fprintf(&r.text, "    %s: %s: %s\n", drift.Kind, drift.Row, drift.Problem)
		if drift.Left != "" {
			fmt.Fprintf(&r.text, "        not repaired: %s\n", drift.Left)
		}
	}
	if more := t.Drifted - len(t.Examples); more > 0 {
		fmt.Fprintf(&r.text, "    and %d more\n", more)
	}
}

func (r *reporter) print() { fmt.Fprint(r.w, r.text.String()) }

// spinner shows how many rows were read, where somebody watches.
type spinner struct{ bar *progressbar.ProgressBar }

func (p *program) spinner(what string) spinner {
	if !watched(p.stderr) {
		return spinner{}
	}
	return spinner{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(p.stderr), progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"),
		progressbar.OptionClearOnFinish())}
}

func (s spinner) step(rows int) {
	if s.bar != nil {
		_ = s.bar.Add(rows)
	}
}

func (s spinner) end() {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
}
