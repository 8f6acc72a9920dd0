package main

import (
	"context"
	"errors"
	"fmt"

	"broadsheet/blog"
)

type verifyCommand struct{}

// Run compares every copy with its truth, and prints a line for each table.
func (verifyCommand) Run(ctx context.Context, p *program) error {
	return p.withExisting(ctx, func(store blog.Store) error {
		auditor, ok := store.(blog.Auditor)
		if !ok {
			return errors.New("this store can't be verified")
		}
		fmt.Fprintf(p.stdout, "%-20s %12s %10s\n", "TABLE", "ROWS", "DRIFTED")
		found, err := blog.Verify(ctx, auditor, func(t blog.TableReport) {
			fmt.Fprintf(p.stdout, "%-20s %12d %10d\n", t.Table, t.Rows, t.Drifted)
			for _, drift := range t.Examples {
				fmt.Fprintf(p.stdout, "    %s: %s\n", drift.Row, drift.Problem)
			}
		})
		if err != nil {
			return err
		}
		if n := found.Drifted(); n > 0 {
			return fmt.Errorf("%d copies or counts differ from their truth", n)
		}
		return nil
	})
}
