//go:build unix && !linux

package cassandratest

import "syscall"

// ownGroup are the attributes of a process which a terminal's Ctrl-C doesn't
// reach. Only Linux can also tie its life to the launcher's.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitStopped knows no way to tell.
func awaitStopped(int) error { return nil }
