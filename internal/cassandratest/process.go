package cassandratest

import (
	"os"
	"os/exec"
	"runtime"
)

// process is a running child. Its methods may be called after its end.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed at its end
	err  error         // how it ended, once done is closed
}

// startProcess starts cmd, in a process group of its own.
//
// Linux kills the child when the *thread* that forked it ends, and Go ends
// threads as it likes. So one goroutine starts the child, keeps its thread to
// itself, and waits there for as long as the child lives.
func startProcess(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = ownGroup()
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// signal sends s; os.ErrProcessDone if the process ended before.
func (p *process) signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// ended reports whether it did.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
