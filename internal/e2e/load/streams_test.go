package load

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// streamed is what a command that goes through all data may take more of memory for eight
// times the data, in bytes: the embedded store fills its memtables, of 8 MiB, two at a time.
const streamed = 40 << 20

// A small dataset is seeded, verified and rebuilt, and one of eight times its size: what that
// takes of memory is no more for the larger one, within a bound.
func TestStreams(t *testing.T) {
	t.Parallel()
	testStreams(t, 2, func() []string { return []string{"--data-dir", t.TempDir(), "--embedded-cache-bytes", "1048576"} })
}

// TestSoakStreams is TestStreams with more users, on both stores.
func TestSoakStreams(t *testing.T) {
	storetest.Soaks(t)
	t.Run("embedded", func(t *testing.T) {
		testStreams(t, 25, func() []string { return []string{"--data-dir", t.TempDir(), "--embedded-cache-bytes", "1048576"} })
	})
	t.Run("cassandra", func(t *testing.T) {
		testStreams(t, 4, func() []string { return harness.On(testkeyspace.New(t)) })
	})
}

func testStreams(t *testing.T, users int, place func() []string) {
	commands := [][]string{nil, {"verify"}, {"rebuild", "feed_by_bucket"}}
	var small []uint64
	for _, users := range []int{users, 8 * users} {
		commands[0] = []string{"seed", "--users", strconv.Itoa(users)}
		store := place()
		for i, command := range commands {
			began := time.Now()
			took := runMeasured(t, append(command, store...)...)
			t.Logf("%s of %d users takes at most %d MiB, in %v", command[0], users, took>>20, time.Since(began).Round(time.Second))
			if len(small) < len(commands) {
				small = append(small, took)
			} else if took > small[i]+streamed {
				t.Errorf("%s takes %d bytes for %d users, and %d for an eighth of them", command[0], took, users, small[i])
			}
		}
	}
}

// runMeasured runs the program to its end, which is to be a good one, and returns the most
// that it took of memory (RSS), in bytes, as seen shortly before.
func runMeasured(t *testing.T, args ...string) (most uint64) {
	t.Helper()
	var said harness.Output
	cmd := exec.Command(os.Args[0], args...)
	// The collector runs so often that what is measured is in use: by itself it lets a heap become twice that, and
	// more where a busy machine has it wait.
	cmd.Env = append(os.Environ(), harness.BeProgram+"=1", "GOGC=10")
	cmd.Stdout, cmd.Stderr = &said, &said
	alive, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	often := time.NewTicker(10 * time.Millisecond)
	defer often.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s", args, err, said.String())
			}
			return most
		case <-often.C:
			most = max(most, highest(cmd.Process.Pid))
		}
	}
}

// highest returns the most that a process has taken of memory, 0 for one that has ended.
func highest(pid int) uint64 {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0
	}
	status, err := proc.NewStatus()
	if err != nil {
		return 0
	}
	return status.VmHWM
}
