package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"broadsheet/blog"
	"broadsheet/embedded"
)

type backupCommand struct {
	Dir string `arg:"" type:"path" help:"The directory to make, on the file system of the data. Copy it to another machine: it shares its files with the data."`
}

// Run copies the store.
func (c *backupCommand) Run(ctx context.Context, p *program) error {
	if p.store.Store != StoreEmbedded {
		return errClusterBackups
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

var errClusterBackups = errors.New("a cluster has backups of its own: see docs/operations.md")

type restoreCommand struct {
	Backup string `arg:"" type:"existingdir" help:"The backup. It is read, and stays as it is."`
}

// Run copies the backup to the directory of the data, which is not there, once the copy is verified.
func (c *restoreCommand) Run(ctx context.Context, p *program) (err error) {
	if p.store.Store != StoreEmbedded {
		return errClusterBackups
	}
	dir := p.store.DataDir
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already: stop its server and move it away, or name another --data-dir", dir)
	}
	if _, err := os.Stat(filepath.Join(c.Backup, embedded.FormatFile)); err != nil {
		return fmt.Errorf("%s is no backup: %w", c.Backup, err)
	}
	if within(filepath.Dir(dir), c.Backup) {
		return fmt.Errorf("%s lies in the backup: name another --data-dir", dir)
	}
	if err := embedded.CheckBackup(ctx, c.Backup); err != nil {
		return fmt.Errorf("nothing is restored: %w", err)
	}
	p.store.DataDir = dir + ".part"
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	switch err := os.Mkdir(p.store.DataDir, 0o755); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is of a restore that was cut off, or is under way: wait for that, or remove it", p.store.DataDir)
	case err != nil:
		return err
	}
	defer os.RemoveAll(p.store.DataDir)
	if err = os.CopyFS(p.store.DataDir, os.DirFS(c.Backup)); err != nil {
		return fmt.Errorf("copying %s: %w", c.Backup, err)
	}
	if err = p.with(ctx, func(store blog.Store) error { return restored(ctx, p, store) }); err != nil {
		return fmt.Errorf("nothing is restored: restore another backup: %w", err)
	}
	if err = filepath.WalkDir(p.store.DataDir, synced); err == nil {
		err = os.Rename(p.store.DataDir, dir)
	}
	return errors.Join(err, synced(filepath.Dir(dir), nil, nil))
}

// restored verifies the copy, when it has done what a server would that opens it.
func restored(ctx context.Context, p *program, store blog.Store) error {
	if err := store.(*embedded.Store).Resume(ctx); err != nil {
		return err
	}
	return (&verifyCommand{auditFlags: auditFlags{Concurrency: 4}}).on(ctx, p, store)
}

// within reports whether a directory is another, or lies in it.
func within(dir, other string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	other, of := filepath.EvalSymlinks(other)
	path, rel := filepath.Rel(other, dir)
	return errors.Join(err, of, rel) == nil && filepath.IsLocal(path)
}

// synced has a file, or the names in a directory, outlive a crash.
func synced(name string, _ fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
