//go:build unix

package cassandratest

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDockerCreateArgs(t *testing.T) {
	t.Parallel()
	o, err := Options{JVM: []string{"-Dmine=1"}}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	args := dockerCreateArgs(9999, o)
	for _, want := range []string{"--rm", "127.0.0.1:9999:9999", "MAX_HEAP_SIZE=512M"} {
		if !slices.Contains(args, want) {
			t.Errorf("no %q in %q", want, args)
		}
	}
	if args[len(args)-1] != dockerImage {
		t.Errorf("the image is not last in %q", args)
	}
	if all := strings.Join(args, " "); !strings.Contains(all, "-Dcassandra.config=file://"+dockerYAML+" -Dmine=1") {
		t.Errorf("the node is not told of our settings: %s", all)
	}
}

// With a docker that can't start containers, Start removes what it created,
// by its id, and shows the logs.
func TestDockerFailedStartIsRemoved(t *testing.T) {
	bin := t.TempDir()
	calls := filepath.Join(bin, "calls")
	script := "#!/bin/sh\necho \"$@\" >>'" + calls + "'\n" + `case $1 in
create) echo 123abc ;;
logs) echo out of luck ;;
start) exit 1 ;;
esac`
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	withoutJava(t)
	t.Setenv("PATH", bin)

	_, err := Start(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("%v; want the container's log", err)
	}
	got, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(got), "rm --force --volumes 123abc\n") {
		t.Errorf("the container is not removed:\n%s", got)
	}
}

func TestNodesNotOfThisProcessAreLeftAlone(t *testing.T) {
	t.Setenv(HostsEnv, serve(t, frame(opReady, "")))
	c, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := c.Node(0)
	for _, err := range []error{n.Kill(), n.Stop(), n.Pause(), n.Resume(), n.Restart(t.Context())} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v; want ErrUnsupported", err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
