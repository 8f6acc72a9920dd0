package cassandratest

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup are the attributes of a process which a terminal's Ctrl-C doesn't
// reach, and which is killed when the thread that started it ends: see
// startProcess.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitStopped returns when the last thread of a child that was sent SIGSTOP has stopped: until the one that took the
// signal has run, the others go on, which takes long on a busy machine. It returns where the child ends, too.
func awaitStopped(pid int) error {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return err
		}
	}
}
