package e2e

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
)

// A server that is told to stop finishes what it has begun to answer, and refuses
// what comes later.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	slow, late, kept := s.Connect(), s.Connect(), s.Connect()
	kept.Send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if before, err := readReply(kept); err != nil || before.closes {
		t.Fatalf("before it drains: %v %v", before, err)
	}
	slow.Send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{\"query\": ")
	late.Send("POST /graphql HTTP/1.1\r\nHost: localhost\r\n")
	harness.Eventually(t, "the slow request is in flight", func() bool {
		return strings.Contains(s.Get("/metrics").Text, "broadsheet_http_requests_in_flight 2\n") // with this one
	})
	s.Cancel()
	harness.Eventually(t, "new connections are refused", func() bool {
		_, err := s.Try(http.MethodGet, "/livez", nil, nil)
		return err != nil
	})
	if s.HasEnded() {
		t.Fatalf("it ended with a request in flight: %s", s.Log.String())
	}
	late.Send("Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	kept.Send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	for what, conn := range map[string]harness.Connection{"a request that came late": late, "a request on a connection that was kept": kept} {
		refused, err := readReply(conn)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if refused.Status != http.StatusServiceUnavailable || refused.Code() != "SHUTTING_DOWN" || !refused.closes {
			t.Errorf("%s: %d %s", what, refused.Status, refused.Text)
		}
	}
	slow.Send(`"{ __typename }"    }`)
	finished, err := readReply(slow)
	if err != nil {
		t.Fatalf("a request in flight was not answered: %v", err)
	}
	finished.OK().Want("data.__typename", "Query")
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	if log := s.Log.String(); !strings.Contains(log, "shutting down") || strings.Contains(log, "cut off") {
		t.Errorf("the log: %s", log)
	}
}

// A request that does not end does not keep the server.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "shutdown_time=50ms").Ready()
	s.Connect().Send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
	harness.Eventually(t, "the request is in flight", func() bool {
		return strings.Contains(s.Get("/metrics").Text, "broadsheet_http_requests_in_flight 2\n")
	})
	began := time.Now()
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	if took := time.Since(began); took > harness.Soon/2 {
		t.Errorf("it took %v to stop", took)
	}
	if !strings.Contains(s.Log.String(), "cut off") {
		t.Errorf("the log does not say that requests were cut off: %s", s.Log.String())
	}
}

// While a server leaves it answers whoever still comes, and says that others should
// not. Told again, it ends at once.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	p := harness.LaunchProcess(t, "--data-dir", t.TempDir(), "--drain-delay", "1h")
	p.Terminate()
	harness.Eventually(t, "/readyz says no", func() bool { return p.Get("/readyz").Status == http.StatusServiceUnavailable })
	conn := p.Connect()
	conn.Send("GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: localhost\r\n\r\n")
	got, err := readReply(conn)
	if err != nil {
		t.Fatal(err)
	}
	if got.OK().Want("data.__typename", "Query"); !got.closes {
		t.Error("the answer keeps its connection, and the load balancer this server")
	}
	if p.HasEnded() || strings.Contains(p.Log.String(), "shutting down") {
		t.Fatalf("it did not wait: %s", p.Log.String())
	}
	p.Terminate()
	<-p.Ended
	if p.Code != -1 {
		t.Errorf("told twice it ended with %d, and not by the signal: %s", p.Code, p.Log.String())
	}
}

func TestDrainDelayPasses(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--drain-delay", "10ms").Ready()
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	leaving, stopping := strings.Index(s.Log.String(), "msg=\"leaving"), strings.Index(s.Log.String(), "msg=\"shutting down")
	if leaving < 0 || stopping < leaving {
		t.Errorf("the log: %s", s.Log.String())
	}
}

// A server may be told to stop before it is ready.
func TestStopBeforeReady(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--data-dir", t.TempDir()},
		{"--store", "cassandra", "--cassandra-hosts", "127.0.0.1:1"},
	} {
		s := harness.Start(t, args...)
		if code := s.Stop(); code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, s.Log.String())
		}
	}
}

// reply is an answer, and whether it closes its connection.
type reply struct {
	harness.Answer
	closes bool
}

func readReply(c harness.Connection) (reply, error) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{harness.Answer{T: c.S.T, Status: response.StatusCode, Header: response.Header, Text: string(text)}, response.Close}, err
}
