package harness

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"broadsheet/internal/program"
)

// BeProgram makes the tests' own binary the program, for tests that kill it.
const BeProgram = "BE_BROADSHEET"

// actAsProgram is main in a process that ends with the tests that started it: they hold
// its standard input open.
func actAsProgram() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	program.Main(SDL)
}

// Process is a program that serves in a process of its own.
type Process struct {
	*Server
	Cmd  *exec.Cmd
	Args []string
}

// LaunchProcess serves in a process of its own, until t ends.
func LaunchProcess(t testing.TB, args ...string) *Process {
	t.Helper()
	return Program("").Launch(t, args...)
}

// LaunchContained is LaunchProcess within the memory of a small container.
func LaunchContained(t testing.TB, args ...string) *Process {
	t.Helper()
	return Program("").launchWith(t, []string{"GOMEMLIMIT=185MiB"}, args...)
}

// Launch is LaunchProcess with this program.
func (of Program) Launch(t testing.TB, args ...string) *Process {
	t.Helper()
	return of.launchWith(t, nil, args...)
}

// Command runs the program to its end.
func (of Program) Command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if of == "" {
		return Command(t, args...)
	}
	p := of.start(t, nil, args...)
	select {
	case <-p.Ended:
	case <-time.After(Soon):
		t.Fatalf("broadsheet %v has not ended within %v", args, Soon)
	}
	return p.Code, p.Out.String(), p.Log.String()
}

// launchWith is Launch with more in its environment.
func (of Program) launchWith(t testing.TB, env []string, args ...string) *Process {
	t.Helper()
	p := of.start(t, env, append([]string{"--listen", "127.0.0.1:0", "--no-demo"}, args...)...)
	p.Args = args
	Eventually(t, "the address it listens on", func() bool {
		if found := listening.FindStringSubmatch(p.Log.String()); found != nil {
			p.URL = found[1]
		} else if p.HasEnded() {
			t.Fatalf("it ended with %d: %s", p.Code, p.Log.String())
		}
		return p.URL != ""
	})
	p.Ready()
	return p
}

// start starts a process. It ends when t does, or this process.
func (of Program) start(t testing.TB, env []string, args ...string) *Process {
	t.Helper()
	p := &Process{Server: &Server{T: t, Client: &http.Client{Timeout: Soon}, Ended: make(chan struct{})}}
	p.Cmd = exec.Command(cmp.Or(string(of), os.Args[0]), args...)
	p.Cmd.Env = append(append(os.Environ(), BeProgram+"=1"), env...)
	p.Cmd.Stdout, p.Cmd.Stderr = &p.Out, &p.Log
	alive, err := p.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	endWithThisProcess(p.Cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Linux ends a child with the thread that started it, and Go ends threads as it likes
		defer runtime.UnlockOSThread()
		defer close(p.Ended)
		err := p.Cmd.Start()
		if started <- err; err == nil {
			_ = p.Cmd.Wait()
			p.Code = p.Cmd.ProcessState.ExitCode()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// Kill ends the process as a loss of power does.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	<-p.Ended
	p.Client.CloseIdleConnections()
}

// Terminate tells the process to end, as a supervisor does.
func (p *Process) Terminate() {
	p.T.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.T.Fatal(err)
	}
}
