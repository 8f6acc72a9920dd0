package cassandratest

import (
	"os"
	"path/filepath"
)

const (
	workPrefix = "broadsheet-cassandra-"
	ownerFile  = "owner.lock"
)

// workDir is a cluster's folder for data and logs. The process that made it
// holds a lock on a file in it for as long as it lives, so that others can
// tell a folder in use from one left behind.
type workDir struct {
	path  string
	owner *os.File
}

// newWorkDir makes one in parent, or os.TempDir() if that is empty, after
// removing what dead processes left there.
func newWorkDir(parent string) (*workDir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, err
	}
	sweep(parent)
	path, err := os.MkdirTemp(parent, workPrefix)
	if err != nil {
		return nil, err
	}
	// It is locked before it has the name that sweep looks for.
	unnamed := filepath.Join(path, ownerFile+".new")
	owner, err := os.Create(unnamed)
	if err != nil {
		return nil, err
	}
	d := &workDir{path: path, owner: owner}
	if _, err := tryLock(owner); err != nil {
		_ = d.remove()
		return nil, err
	}
	if err := os.Rename(unnamed, filepath.Join(path, ownerFile)); err != nil {
		_ = d.remove()
		return nil, err
	}
	return d, nil
}

// remove deletes the folder and gives up the lock.
func (d *workDir) remove() error {
	err := os.RemoveAll(d.path)
	_ = d.owner.Close()
	return err
}

// sweep removes the folders in parent whose owner is gone. It is a courtesy:
// one that can't be removed is left.
func sweep(parent string) {
	files, _ := filepath.Glob(filepath.Join(parent, workPrefix+"*", ownerFile))
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		if free, err := tryLock(f); err == nil && free {
			_ = os.RemoveAll(filepath.Dir(file))
		}
		_ = f.Close()
	}
}
