package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

type verifyCommand struct {
	Repair bool `help:"Mend what differs, from its truth. It says what it is about to delete before it deletes anything. The default is no."`
	Force  bool `help:"With --repair: delete even more than ten rows and a hundredth of a table, and copies whose truth is lost, which it could be restored from. No truth is deleted. The default is no."`

	Checkpoint string `type:"path" placeholder:"FILE" help:"With --repair: a file that keeps how far it has come. If it is stopped or killed, and started again with the same file, it goes on with the tables that it had not done, and counts what it had mended. It removes the file in the end. The default is none."`

	auditFlags
}

// auditFlags say how the tables are read.
type auditFlags struct {
	Concurrency int `name:"audit-concurrency" default:"4" help:"How many parts of the tables are read at once."`
	Rate        int `name:"audit-rate" default:"0" help:"How many rows are read in a second, at most. 0: no limit."`
}

func (f auditFlags) validate() error {
	if f.Concurrency < 1 || f.Rate < 0 {
		return errors.New("--audit-concurrency must be at least 1, --audit-rate at least 0")
	}
	return nil
}

func (c *verifyCommand) validate() error {
	if (c.Force || c.Checkpoint != "") && !c.Repair {
		return errors.New("--force and --checkpoint say how --repair goes: give it too")
	}
	return c.auditFlags.validate()
}

// Run compares copies with truths, counts with rows and claims with owners, while servers write.
func (c *verifyCommand) Run(ctx context.Context, p *program) error { return p.onExisting(ctx, c) }

// goesOn says what a repair that was cut off may do.
func (c *verifyCommand) goesOn() string {
	if c.Checkpoint == "" {
		return ""
	}
	return "; run it again, and it goes on"
}

func (c *verifyCommand) on(ctx context.Context, p *program, store blog.Store) error {
	auditor, ok := store.(audit.Store)
	if !ok {
		return errors.New("this store can't be verified")
	}
	if len(store.Upkeep().Unbuilt) > 0 {
		_ = store.Settle(ctx) // what a table lacks that can't be filled is told below
	}
	report := reporter{w: p.stdout, repair: c.Repair, force: c.Force}
	bar := Progress(p.stderr, "verifying", "rows", -1)
	repair, err := resumed(audit.Verifying{
		Repair: c.Repair, Force: c.Force, Concurrency: c.Concurrency, Rate: c.Rate,
		Progress: bar, Report: report.table, Plan: report.plan,
	}, map[string]string{StoreEmbedded: p.store.DataDir, StoreCassandra: p.store.Keyspace}[p.store.Store], c.Checkpoint)
	if err != nil {
		return err
	}
	found, err := repair.Run(ctx, auditor)
	_ = bar.Finish()
	found.Tables = append(found.Tables, repair.done...)
	if err := repair.end(err); err != nil {
		return fmt.Errorf("cut off after %d repaired of %d that differ%s: %w", found.Repaired(), found.Drifted(), c.goesOn(), err)
	}
	if n := found.Left(); n > 0 {
		return fmt.Errorf("%d rows or counts differ from their truth", n)
	}
	was, err := store.Noted(ctx, blog.Verified)
	if err = cmp.Or(err, store.Note(ctx, blog.Verified, was, time.Now().UTC().Format(time.RFC3339))); err != nil {
		fmt.Fprintln(p.stderr, "that all is well can't be noted, for the metric of the last verify:", err)
	}
	return nil
}

// reporter prints a line for each table, and what a repair is about to delete.
type reporter struct {
	w             io.Writer
	repair, force bool
	begun         bool
}

func (r *reporter) table(t audit.TableReport) {
	var text strings.Builder
	if !r.begun {
		r.begun = true
		fmt.Fprintf(&text, "%-28s %12s %10s %10s", "TABLE", "ROWS", "IN FLIGHT", "DRIFTED")
		if r.repair {
			fmt.Fprintf(&text, " %10s", "REPAIRED")
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "%-28s %12d %10d %10d", t.Table, t.Rows, t.InFlight, t.Drifted)
	if r.repair {
		fmt.Fprintf(&text, " %10d", t.Repaired)
	}
	text.WriteString("\n")
	r.kinds(&text, t)
	for _, drift := range t.Examples {
		fmt.Fprintf(&text, "    %s: %s: %s\n", drift.Kind, drift.Row, drift.Problem)
		if drift.Left != "" {
			fmt.Fprintf(&text, "        not repaired: %s\n", drift.Left)
		}
	}
	if more := t.Drifted - len(t.Examples); more > 0 {
		fmt.Fprintf(&text, "    and %d more\n", more)
	}
	fmt.Fprint(r.w, text.String())
}

// kinds says how many of each kind there are where the examples don't.
func (r *reporter) kinds(text *strings.Builder, t audit.TableReport) {
	if t.Drifted <= len(t.Examples) {
		return
	}
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(t.Kinds)) {
		counts = append(counts, fmt.Sprintf("%d %s", t.Kinds[kind], kind))
	}
	fmt.Fprintf(text, "    %s\n", strings.Join(counts, ", "))
}

func (r *reporter) plan(plan []audit.Deletion) {
	fmt.Fprintf(r.w, "%-28s %12s %10s\n", "TO BE DELETED FROM", "ROWS", "OF")
	refused := false
	for _, d := range plan {
		fmt.Fprintf(r.w, "%-28s %12d %10d\n", d.Table, d.Rows, d.Of)
		refused = refused || d.Refused()
	}
	if refused && !r.force {
		fmt.Fprintln(r.w, "That is much, so nothing is deleted: see whether a truth is lost. If none is, --force deletes them.")
	}
}
