//go:build !unix

package cassandratest

import (
	"os"
	"syscall"
)

// Where there are no such signals, Pause and Resume return an error.
const (
	sigPause  = syscall.Signal(19)
	sigResume = syscall.Signal(18)
)

func ownGroup() *syscall.SysProcAttr { return nil }

// tryLock knows no locks here, so nothing is ever taken for left behind.
func tryLock(*os.File) (bool, error) { return false, nil }

func lock(*os.File) error { return nil }

// awaitStopped knows no way to tell.
func awaitStopped(int) error { return nil }
