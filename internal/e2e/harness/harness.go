// Package harness runs the program for tests: to its end, or as a server in the tests' process or in one of its
// own, which is asked by HTTP. A package of such tests calls Main from its TestMain.
package harness

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/program"
	"broadsheet/internal/storetest"
)

// SDL is the schema, which main gives the program.
var SDL string

// Repository is its root. What the tests read of it they name from here: go test, which keeps
// a result while what was read stays as it is, does not know that TestMain changed to it.
var Repository string

// Main runs a package's tests in the repository's root, and keeps the environment that they are
// started in away from the program.
func Main(m *testing.M) {
	text, err := os.ReadFile("schema.graphqls")
	for ; errors.Is(err, fs.ErrNotExist); text, err = os.ReadFile("schema.graphqls") {
		if err := os.Chdir(".."); err != nil {
			panic(err)
		}
	}
	if err != nil {
		panic(err)
	}
	if Repository, err = os.Getwd(); err != nil {
		panic(err)
	}
	if SDL = string(text); os.Getenv(BeProgram) != "" {
		actAsProgram()
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BROADSHEET_") && name != cassandratest.RequireEnv && name != "BROADSHEET_CACHE" && !strings.HasPrefix(name, storetest.SoakEnv) {
			os.Unsetenv(name)
		}
	}
	waitTogether()
	cassandratest.VerifyTestMain(m)
}

// waitTogether has more tests run at once than there are processors, unless -parallel says how many:
// what a killed server left is found after most of a minute, in which a test takes no processor.
func waitTogether() {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if told {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+mostlyWaiting)); err != nil {
		panic(err)
	}
}

// mostlyWaiting is how many of the tests that run at once may wait, about.
const mostlyWaiting = 4

// Soon is how long anything may take that should take no time, on a busy machine.
const Soon = 10 * time.Minute

// Patient lets a server's operations take as long: for tests whose documents have many commands.
const Patient = "--limit=deadline=2m"

// Eventually asks again and again until it is told yes, and fails t after a bound.
func Eventually(t testing.TB, what string, asked func() bool) {
	t.Helper()
	EventuallyEvery(t, 5*time.Millisecond, what, asked)
}

// EventuallyEvery is Eventually with a pause, where asking takes much of the machine, or the
// answer is known to take long.
func EventuallyEvery(t testing.TB, pause time.Duration, what string, asked func() bool) {
	t.Helper()
	deadline := time.After(Soon)
	for !asked() {
		select {
		case <-deadline:
			t.Fatalf("not within %v: %s", Soon, what)
		case <-time.After(pause):
		}
	}
}

// Output is what a program has written.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Command runs the program to its end.
func Command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*Soon) // a soak may fill a store
	defer cancel()
	var out, log Output
	code = program.Run(ctx, args, SDL, &out, &log)
	return code, out.String(), log.String()
}

// Want runs the program to its end, and fails t unless it ends with a code and has
// written a text.
func Want(t testing.TB, code int, text string, args ...string) (stdout string) {
	t.Helper()
	got, stdout, stderr := Command(t, args...)
	if got != code || !strings.Contains(stdout+stderr, text) {
		t.Fatalf("broadsheet %s\nends with %d, not %d, or says nothing of %q:\n%s%s", strings.Join(args, " "), got, code, text, stdout, stderr)
	}
	return stdout
}
