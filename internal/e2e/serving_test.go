package e2e

import (
	"context"
	"net/http"
	"regexp"
	"testing"

	"broadsheet/internal/program"
)

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
		s.code = program.Run(ctx, args, sdl, &s.out, &s.log)
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
		return s.operators().get("/readyz").status == http.StatusOK
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
