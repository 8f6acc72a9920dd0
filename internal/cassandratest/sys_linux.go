package cassandratest

import "syscall"

// ownGroup are the attributes of a process which a terminal's Ctrl-C doesn't
// reach, and which is killed when the thread that started it ends: see
// startProcess.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
