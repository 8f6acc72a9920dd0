package harness

import (
	"os/exec"
	"syscall"
)

// endWithThisProcess has the system kill a process when the thread that starts it ends.
func endWithThisProcess(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
