package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"broadsheet/cassandra/cassandratest"
)

// TestMain keeps the environment of whoever runs the tests away from the program.
func TestMain(m *testing.M) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BROADSHEET_") && name != cassandratest.RequireEnv && name != "BROADSHEET_CACHE" {
			os.Unsetenv(name)
		}
	}
	// A node that the tests share is waited for as long as the process runs.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("broadsheet/cassandra/cassandratest.startProcess.func1"))
}

// soon is how long anything may take that should take no time, on a busy machine.
const soon = time.Minute

// eventually asks again and again until it is told yes, and fails t after a bound.
func eventually(t testing.TB, what string, asked func() bool) {
	t.Helper()
	deadline := time.After(soon)
	for !asked() {
		select {
		case <-deadline:
			t.Fatalf("not within %v: %s", soon, what)
		case <-time.After(5 * time.Millisecond):
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
	code = run(ctx, args, &out, &log)
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

// server is a program that serves.
type server struct {
	t        testing.TB
	url      string
	out, log output
	client   *http.Client
	cancel   context.CancelFunc
	ended    chan struct{}
	code     int // once it has ended
}

// start serves on any free port; args come after that flag. It is stopped when t
// ends.
func start(t testing.TB, args ...string) *server {
	t.Helper()
	return launch(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

func launch(t testing.TB, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &server{t: t, client: &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: soon}, cancel: cancel, ended: make(chan struct{})}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	go func() {
		defer close(s.ended)
		s.code = run(ctx, args, &s.out, &s.log)
	}()
	t.Cleanup(func() { s.stop() })
	eventually(t, "the address it listens on", func() bool {
		if found := listening.FindStringSubmatch(s.log.String()); found != nil {
			s.url = found[1]
		} else if s.hasEnded() {
			t.Fatalf("it ended with %d: %s", s.code, s.log.String())
		}
		return s.url != ""
	})
	return s
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// ready waits until the server says that it is.
func (s *server) ready() *server {
	s.t.Helper()
	eventually(s.t, "/readyz says yes", func() bool {
		if s.hasEnded() {
			s.t.Fatalf("it ended with %d: %s", s.code, s.log.String())
		}
		return s.get("/readyz").status == http.StatusOK
	})
	return s
}

// stop tells the server to end, and returns its exit code.
func (s *server) stop() int {
	s.client.CloseIdleConnections()
	s.cancel()
	<-s.ended
	return s.code
}
