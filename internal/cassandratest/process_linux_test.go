package cassandratest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// launcherEnv makes the test binary a launcher: see TestMain.
const launcherEnv = "BROADSHEET_TEST_LAUNCHER"

// TestMain runs the tests, or starts a child that shares standard output,
// says so there, and waits to be killed.
func TestMain(m *testing.M) {
	if os.Getenv(launcherEnv) == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("sleep", "600")
	cmd.Stdout = os.Stdout
	p, err := startProcess(cmd)
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("started\n")
	<-p.done
}

// The pipe to the launcher and its child has an end when both are dead.
func TestChildDiesWithItsLauncher(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	launcher := exec.Command(self)
	launcher.Env = append(os.Environ(), launcherEnv+"=1")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	launcher.Stdout = in
	if err := launcher.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := out.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "started\n" {
		t.Error(line, err)
	}
	_ = launcher.Process.Kill()
	_ = launcher.Wait()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("the child outlived its launcher: %v %q", err, rest)
	}
}
