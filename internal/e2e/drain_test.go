package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A server that is told to stop finishes what it has begun to answer, and refuses
// what comes later.
func TestDrain(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	slow, late, kept := s.connect(), s.connect(), s.connect()
	kept.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if before, err := kept.answer(); err != nil || before.closes {
		t.Fatalf("before it drains: %v %v", before, err)
	}
	slow.send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{\"query\": ")
	late.send("POST /graphql HTTP/1.1\r\nHost: localhost\r\n")
	eventually(t, "the slow request is in flight", func() bool {
		return strings.Contains(s.get("/metrics").text, "broadsheet_http_requests_in_flight 2\n") // with this one
	})
	s.cancel()
	eventually(t, "new connections are refused", func() bool {
		_, err := s.try(http.MethodGet, "/livez", nil, nil)
		return err != nil
	})
	if s.hasEnded() {
		t.Fatalf("it ended with a request in flight: %s", s.log.String())
	}
	late.send("Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	kept.send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	for what, conn := range map[string]connection{"a request that came late": late, "a request on a connection that was kept": kept} {
		refused, err := conn.answer()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if refused.status != http.StatusServiceUnavailable || refused.code() != "SHUTTING_DOWN" || !refused.closes {
			t.Errorf("%s: %d %s", what, refused.status, refused.text)
		}
	}
	slow.send(`"{ __typename }"    }`)
	finished, err := slow.answer()
	if err != nil {
		t.Fatalf("a request in flight was not answered: %v", err)
	}
	finished.ok().want("data.__typename", "Query")
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.String())
	}
	if log := s.log.String(); !strings.Contains(log, "shutting down") || strings.Contains(log, "cut off") {
		t.Errorf("the log: %s", log)
	}
}

// A request that does not end does not keep the server.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "shutdown_time=50ms").ready()
	s.connect().send("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
	eventually(t, "the request is in flight", func() bool {
		return strings.Contains(s.get("/metrics").text, "broadsheet_http_requests_in_flight 2\n")
	})
	began := time.Now()
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.String())
	}
	if took := time.Since(began); took > soon/2 {
		t.Errorf("it took %v to stop", took)
	}
	if !strings.Contains(s.log.String(), "cut off") {
		t.Errorf("the log does not say that requests were cut off: %s", s.log.String())
	}
}

// While a server leaves it answers whoever still comes, and says that others should
// not. Told again, it ends at once.
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	p := launchProcess(t, "--data-dir", t.TempDir(), "--drain-delay", "1h")
	p.terminate()
	eventually(t, "/readyz says no", func() bool { return p.get("/readyz").status == http.StatusServiceUnavailable })
	conn := p.connect()
	conn.send("GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: localhost\r\n\r\n")
	got, err := conn.answer()
	if err != nil {
		t.Fatal(err)
	}
	if got.ok().want("data.__typename", "Query"); !got.closes {
		t.Error("the answer keeps its connection, and the load balancer this server")
	}
	if p.hasEnded() || strings.Contains(p.log.String(), "shutting down") {
		t.Fatalf("it did not wait: %s", p.log.String())
	}
	p.terminate()
	<-p.ended
	if p.code != -1 {
		t.Errorf("told twice it ended with %d, and not by the signal: %s", p.code, p.log.String())
	}
}

func TestDrainDelayPasses(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--drain-delay", "10ms").ready()
	if code := s.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.String())
	}
	leaving, stopping := strings.Index(s.log.String(), "msg=\"leaving"), strings.Index(s.log.String(), "msg=\"shutting down")
	if leaving < 0 || stopping < leaving {
		t.Errorf("the log: %s", s.log.String())
	}
}

// A server may be told to stop before it is ready.
func TestStopBeforeReady(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--data-dir", t.TempDir()},
		{"--store", "cassandra", "--cassandra-hosts", "127.0.0.1:1"},
	} {
		s := start(t, args...)
		if code := s.stop(); code != 0 {
			t.Errorf("%v: exit code %d: %s", args, code, s.log.String())
		}
	}
}

// connection is one that a test writes to byte by byte.
type connection struct {
	s *server
	net.Conn
}

func (s *server) connect() connection {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return connection{s, conn}
}

func (c connection) send(text string) {
	c.s.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.s.t.Fatal(err)
	}
}

// reply is an answer, and whether it closes its connection.
type reply struct {
	answer
	closes bool
}

func (c connection) answer() (reply, error) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{answer{t: c.s.t, status: response.StatusCode, header: response.Header, text: string(text)}, response.Close}, err
}
