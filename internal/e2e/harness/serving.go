package harness

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"broadsheet/cassandra"
	"broadsheet/internal/program"
)

// Server is a program that serves.
type Server struct {
	T        testing.TB
	URL      string
	Out, Log Output
	Client   *http.Client
	Cancel   context.CancelFunc
	Ended    chan struct{}
	Code     int // once it has ended
}

// Start serves on any free port; args come after that flag. It is stopped when t
// ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return Launch(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// Launch serves as a command line says. It is stopped when t ends.
func Launch(t testing.TB, args ...string) *Server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Server{T: t, Client: &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: Soon}, Cancel: cancel, Ended: make(chan struct{})}
	s.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	go func() {
		defer close(s.Ended)
		s.Code = program.Run(ctx, args, SDL, &s.Out, &s.Log)
	}()
	t.Cleanup(func() { s.Stop() })
	Eventually(t, "the address it listens on", func() bool {
		if found := listening.FindStringSubmatch(s.Log.String()); found != nil {
			s.URL = found[1]
		} else if s.HasEnded() {
			t.Fatalf("it ended with %d: %s", s.Code, s.Log.String())
		}
		return s.URL != ""
	})
	return s
}

// HasEnded says whether the server has ended.
func (s *Server) HasEnded() bool {
	select {
	case <-s.Ended:
		return true
	default:
		return false
	}
}

// Ready waits until the server says that it is.
func (s *Server) Ready() *Server {
	s.T.Helper()
	Eventually(s.T, "/readyz says yes", func() bool {
		if s.HasEnded() {
			s.T.Fatalf("it ended with %d: %s", s.Code, s.Log.String())
		}
		a, err := s.Operators().Try(http.MethodGet, "/readyz", http.NoBody, nil)
		if err != nil { // it listens no more
			Eventually(s.T, "it ends after "+err.Error(), s.HasEnded)
		}
		return a.Status == http.StatusOK
	})
	return s
}

// Stop tells the server to end, and returns its exit code.
func (s *Server) Stop() int {
	s.Client.CloseIdleConnections()
	s.Cancel()
	<-s.Ended
	return s.Code
}

var answeringOperators = regexp.MustCompile(`msg="answering operators" url=(\S+)`)

// Operators returns what answers probes: the listener of --admin-listen, where there is one.
func (s *Server) Operators() *Server {
	if found := answeringOperators.FindStringSubmatch(s.Log.String()); found != nil {
		return &Server{T: s.T, URL: found[1], Client: s.Client}
	}
	return s
}

// On returns a command line for a keyspace.
func On(c cassandra.Config, args ...string) []string {
	return append(args, "--store", "cassandra", "--cassandra-hosts", strings.Join(c.Hosts, ","), "--cassandra-keyspace", c.Keyspace)
}
