//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"broadsheet/internal/cassandratest"
)

func TestRunCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         int
	}{
		{"success", "exit 0", 0},
		{"its own code", "exit 7", 7},
		{"ended by a signal", "kill -KILL $$", 128 + 9},
		{"is told of the cluster", `test "$CASSANDRA_HOSTS $BROADSHEET_TEST_CASSANDRA" = "a:1,b:1 require"`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := runCommand([]string{"sh", "-c", test.script}, "a:1,b:1", nil)
			if got != test.want || err != nil {
				t.Errorf("%d, %v; want %d", got, err, test.want)
			}
		})
	}
}

func TestRunCommandNotFound(t *testing.T) {
	t.Parallel()
	if got, err := runCommand([]string{"/no/such/command"}, "", nil); got != 127 || err == nil {
		t.Errorf("%d, %v; want 127 and an error", got, err)
	}
}

// A signal reaches the command's own children as well: here one that opens the
// fifo when both can be signalled, and would outlive the test otherwise.
func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "ready")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal)
	go func() {
		f, err := os.Open(fifo)
		if err == nil {
			_ = f.Close()
		}
		signals <- syscall.SIGTERM
	}()
	script := `trap 'exit 5' TERM; (trap - TERM; : >"$0"; exec sleep 600) & wait`
	if got, err := runCommand([]string{"sh", "-c", script, fifo}, "", signals); got != 5 || err != nil {
		t.Errorf("%d, %v; want 5", got, err)
	}
}

func TestNoClusterNoRun(t *testing.T) {
	t.Setenv(cassandratest.HostsEnv, "127.0.0.1:1") // nobody listens there
	ran := filepath.Join(t.TempDir(), "ran")
	if got, err := run([]string{"--", "touch", ran}, nil); got != 1 || err == nil {
		t.Errorf("%d, %v; want 1 and an error", got, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command was run")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	if got, err := run(nil, nil); got != 2 || err == nil {
		t.Errorf("%d, %v; want 2 and an error", got, err)
	}
}
