package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

func TestTwoServersOnOneDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := harness.Start(t, "--data-dir", dir, "--no-demo").Ready()
	harness.Want(t, 1, dir+" is in use by another server: stop that one, or name another directory", "--listen", "127.0.0.1:0", "--data-dir", dir)
	harness.Want(t, 1, dir+" is in use by another server", "seed", "--data-dir", dir)
	first.As("", `{ feed { edges { cursor } } }`, "").OK()
}

func TestTwoServersOnOneAddress(t *testing.T) {
	t.Parallel()
	first := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo")
	address := strings.TrimPrefix(first.URL, "http://")
	second := filepath.Join(t.TempDir(), "data")
	harness.Want(t, 1, "can't listen on "+address+"; another address is set by --listen", "--listen", address, "--data-dir", second)
	if _, err := os.Stat(second); err == nil {
		t.Error("the second server has made its directory nevertheless")
	}
}

func TestDevAuthIsForLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0"} {
		harness.Want(t, 1, "--auth dev believes whoever asks: listen on loopback, as in --listen 127.0.0.1:8080", "--listen", address, "--data-dir", t.TempDir())
	}
}

func TestDirectoryThatIsNone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	harness.Want(t, 1, file+" is a file: name a directory", "--listen", "127.0.0.1:0", "--data-dir", file)
	harness.Want(t, 1, "holds something else (file): name an empty directory", "--listen", "127.0.0.1:0", "--data-dir", filepath.Dir(file))
}

func TestEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "from", "the", "environment")
	t.Setenv("BROADSHEET_LISTEN", "127.0.0.1:0")
	t.Setenv("BROADSHEET_DATA_DIR", dir)
	t.Setenv("BROADSHEET_DEMO", "false")
	t.Setenv("BROADSHEET_LOG_LEVEL", "debug")
	s := harness.Launch(t).Ready()
	if _, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://")); err != nil || port == "8080" {
		t.Errorf("it listens on %s", s.URL)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	s.As("", `{ feed { edges { cursor } } }`, "").OK().Want("data.feed.edges", "[]")
	harness.Eventually(t, "debug's lines are logged", func() bool { return strings.Contains(s.Log.String(), "path=/readyz") })

	t.Run("a flag comes before it", func(t *testing.T) {
		other := t.TempDir()
		harness.Start(t, "--data-dir", other).Ready()
		if _, err := os.Stat(filepath.Join(other, "BROADSHEET")); err != nil {
			t.Error(err)
		}
	})
	t.Run("what it says wrongly is named", func(t *testing.T) {
		t.Setenv("BROADSHEET_DRAIN_DELAY", "10")
		harness.Want(t, 2, "BROADSHEET_DRAIN_DELAY", "serve")
	})
	t.Run("what needs no store does not mind it", func(t *testing.T) {
		t.Setenv("BROADSHEET_STORE", "cassandra")
		harness.Want(t, 2, "--store cassandra needs --cassandra-hosts", "verify")
		harness.Want(t, 0, "type Query", "schema")
		harness.Want(t, 0, "broadsheet", "version")
	})
}

func TestLogsAreJSONOnDemand(t *testing.T) {
	t.Parallel()
	_, _, log := harness.Command(t, "--listen", "127.0.0.1:0", "--data-dir", os.DevNull, "--log-format", "json")
	if !strings.Contains(log, `"msg":"listening"`) {
		t.Errorf("the log: %s", log)
	}
}
