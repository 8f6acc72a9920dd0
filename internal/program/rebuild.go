package program

import (
	"context"
	"errors"
	"fmt"

	"broadsheet/blog"
	"broadsheet/internal/audit"
)

type rebuildCommand struct {
	Table string `arg:"" help:"The table: one that holds nothing but copies. Another name prints which do."`
	Force bool   `help:"Delete in the end what is too much, even if that is more than ten rows and a hundredth of the table, or its truth is lost. The default is no."`

	auditFlags
}

// Run builds a table from the truths while servers write, then verifies it. What was stopped goes on where it was.
func (c *rebuildCommand) Run(ctx context.Context, p *program) error {
	return p.onExisting(ctx, c)
}

func (c *rebuildCommand) on(ctx context.Context, p *program, store blog.Store) error {
	rebuilder, ok := store.(audit.Rebuilder)
	if !ok {
		return errors.New("this store's tables can't be rebuilt")
	}
	report := reporter{w: p.stdout, repair: true, force: c.Force}
	bar := Progress(p.stderr, "rebuilding "+c.Table, "rows", -1)
	rebuilt, err := audit.Rebuilding{Verifying: audit.Verifying{
		Force: c.Force, Concurrency: c.Concurrency, Rate: c.Rate, Progress: bar, Report: report.table, Plan: report.plan,
	}}.Run(ctx, rebuilder, blog.Table(c.Table))
	_ = bar.Finish()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: %d rows were written\n", c.Table, rebuilt.Rows)
	if n := rebuilt.Verified.Left(); n > 0 {
		return fmt.Errorf("%d rows of %s differ from their truth", n, c.Table)
	}
	return nil
}
