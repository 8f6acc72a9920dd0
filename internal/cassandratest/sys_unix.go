//go:build unix

package cassandratest

import (
	"errors"
	"os"
	"syscall"
)

// The signals that freeze a process and let it go on.
const (
	sigPause  = syscall.SIGSTOP
	sigResume = syscall.SIGCONT
)

// tryLock locks f until f is closed. It reports false if another open file,
// of this process or another one, holds the lock.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lock is tryLock that waits.
func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
