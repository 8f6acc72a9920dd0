package e2e

import (
	"bytes"
	"context"
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/program"
)

// sdl is the schema, which main gives the program.
var sdl string

// repository is its root. What the tests read of it they name from here: go test, which keeps
// a result while what was read stays as it is, does not know that TestMain changed to it.
var repository string

// TestMain runs the tests in the repository's root, and keeps the environment that they are
// started in away from the program.
func TestMain(m *testing.M) {
	if os.Getenv(beProgram) == "" { // a process that acts as the program is started from the root
		if err := os.Chdir("../.."); err != nil {
			panic(err)
		}
	}
	var err error
	if repository, err = os.Getwd(); err != nil {
		panic(err)
	}
	text, err := os.ReadFile("schema.graphqls")
	if err != nil {
		panic(err)
	}
	if sdl = string(text); os.Getenv(beProgram) != "" {
		actAsProgram()
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BROADSHEET_") && name != cassandratest.RequireEnv && name != "BROADSHEET_CACHE" && !strings.HasPrefix(name, soakEnv) {
			os.Unsetenv(name)
		}
	}
	waitTogether()
	goleak.VerifyTestMain(m,
		// A node that the tests share is waited for as long as the process runs.
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest.startProcess.func1"),
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest/cqlnode.(*Node).accept"),
		goleak.IgnoreAnyFunction("broadsheet/internal/cassandratest/cqlnode.(*connection).serve"),
		// The driver still waits a second to connect again when its session is closed.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*hostConnPool).connectMany"),
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*hostConnPool).connectMany.func1"),
		// A session that is closed while a schema changes still asks whether the nodes agree.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Conn).awaitSchemaAgreement"),
		// It leaves this behind where a session is closed before that has begun.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*controlConn).heartBeat"))
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

// soakEnv is set by `make soak`, for the tests that take long.
const soakEnv = "BROADSHEET_SOAK"

// soon is how long anything may take that should take no time, on a busy machine.
const soon = 2 * time.Minute

// patient lets a server's operations take as long: for tests whose documents have many commands.
const patient = "--limit=deadline=2m"

// eventually asks again and again until it is told yes, and fails t after a bound.
func eventually(t testing.TB, what string, asked func() bool) {
	t.Helper()
	eventuallyEvery(t, 5*time.Millisecond, what, asked)
}

// eventuallyEvery is eventually with a pause, where asking takes much of the machine, or the
// answer is known to take long.
func eventuallyEvery(t testing.TB, pause time.Duration, what string, asked func() bool) {
	t.Helper()
	deadline := time.After(soon)
	for !asked() {
		select {
		case <-deadline:
			t.Fatalf("not within %v: %s", soon, what)
		case <-time.After(pause):
		}
	}
}

// output is what a program has written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// command runs the program to its end.
func command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var out, log output
	code = program.Run(ctx, args, sdl, &out, &log)
	return code, out.String(), log.String()
}

// want runs the program to its end, and fails t unless it ends with a code and has
// written a text.
func want(t testing.TB, code int, text string, args ...string) (stdout string) {
	t.Helper()
	got, stdout, stderr := command(t, args...)
	if got != code || !strings.Contains(stdout+stderr, text) {
		t.Fatalf("broadsheet %s\nends with %d, not %d, or says nothing of %q:\n%s%s", strings.Join(args, " "), got, code, text, stdout, stderr)
	}
	return stdout
}
