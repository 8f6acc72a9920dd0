package program

import (
	"context"
	"errors"
	"fmt"

	"broadsheet/blog"
	"broadsheet/embedded"
)

type backupCommand struct {
	Dir string `arg:"" type:"path" help:"The directory to make, on the file system of the data. Copy it to another machine: it shares its files with the data."`
}

// Run copies the store.
func (c *backupCommand) Run(ctx context.Context, p *program) error {
	if p.store.Store != StoreEmbedded {
		return errors.New("a cluster has backups of its own: see docs/operations.md")
	}
	return p.onExisting(ctx, c)
}

func (c *backupCommand) on(ctx context.Context, p *program, store blog.Store) error {
	err := store.(*embedded.Store).Backup(ctx, c.Dir)
	if err == nil {
		fmt.Fprintln(p.stdout, c.Dir)
	}
	return err
}
