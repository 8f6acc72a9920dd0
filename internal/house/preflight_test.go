package house

import (
	"os/exec"
	"strings"
	"testing"
)

// preflight runs internal/preflight.sh as make does, with Go, a C compiler and Java hidden from it.
func preflight(t *testing.T, env ...string) (said string, err error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", text(t, "internal/preflight.sh"), "preflight.sh", "go", "race", "cassandra")
	cmd.Dir = root
	cmd.Env = append([]string{"PATH=" + t.TempDir(), "BROADSHEET_JVMS="}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestPreflightNamesAllThatLacks(t *testing.T) {
	said, err := preflight(t)
	if err == nil {
		t.Error("it passed a machine that has nothing")
	}
	for _, want := range []string{"Go 1.21", "a C compiler", "Java 17 or 21 with Maven (no Java", "apt-get install maven", "dnf install maven", "brew install maven"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
}

func TestPreflightTakesAClusterThatIsNamed(t *testing.T) {
	if said, _ := preflight(t, "CASSANDRA_HOSTS=127.0.0.1:9042"); strings.Contains(said, "Java") {
		t.Error(said)
	}
}
