package harness

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"

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
	return launchWith(t, nil, args...)
}

// LaunchContained is LaunchProcess within the memory of a small container.
func LaunchContained(t testing.TB, args ...string) *Process {
	t.Helper()
	return launchWith(t, []string{"GOMEMLIMIT=185MiB"}, args...)
}

// launchWith is LaunchProcess with more in its environment.
func launchWith(t testing.TB, env []string, args ...string) *Process {
	t.Helper()
	p := &Process{Args: args, Server: &Server{T: t, Client: &http.Client{Timeout: Soon}, Ended: make(chan struct{})}}
	p.Cmd = exec.Command(os.Args[0], append([]string{"--listen", "127.0.0.1:0", "--no-demo"}, args...)...)
	p.Cmd.Env = append(append(os.Environ(), BeProgram+"=1"), env...)
	p.Cmd.Stdout, p.Cmd.Stderr = &p.Out, &p.Log
	alive, err := p.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alive.Close() })
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.Ended)
		_ = p.Cmd.Wait()
		p.Code = p.Cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(p.Kill)
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
