package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
)

const feed = "{feed {edges {node {title}}}}"

func TestBeforeAndAfterTheStore(t *testing.T) {
	t.Parallel()
	s := start(t)
	step := func(name string, ready int, status int, code string) {
		t.Helper()
		s.query(t, feed).want(status, code)
		if got := s.get(t, "/readyz"); got.status != ready || (ready != 200) != strings.Contains(got.body, "reason") {
			t.Errorf("%s: /readyz is %d %s", name, got.status, got.body)
		}
		if got := s.get(t, "/livez"); got.status != 200 {
			t.Errorf("%s: /livez is %d", name, got.status)
		}
	}
	step("starting", 503, 503, "UNAVAILABLE")
	s.Wait("the oracle is asleep")
	if got := s.get(t, "/readyz"); !strings.Contains(got.body, "the oracle is asleep") {
		t.Errorf("/readyz does not say why: %s", got.body)
	}
	s.Serve(memory(t, nil))
	step("serving", 200, 200, "")
	s.Drain()
	step("draining", 503, 503, "SHUTTING_DOWN")
	s.Serve(memory(t, nil))
	step("a store that comes too late", 503, 503, "SHUTTING_DOWN")
}

// Who leaves answers as before, and tells those who ask whether to come.
func TestLeaving(t *testing.T) {
	t.Parallel()
	s := serving(t)
	if got := s.query(t, feed); got.header.Get("Connection") != "" {
		t.Errorf("Connection is %q", got.header.Get("Connection"))
	}
	s.Leave()
	got := s.query(t, feed)
	got.want(200, "")
	if got.header.Get("Connection") != "close" {
		t.Error("the answer keeps its connection")
	}
	if got := s.get(t, "/readyz"); got.status != 503 || !strings.Contains(got.body, "about to shut down") {
		t.Errorf("/readyz is %d %s", got.status, got.body)
	}
	if got := s.get(t, "/livez"); got.status != 200 {
		t.Errorf("/livez is %d", got.status)
	}
	s.Serve(memory(t, nil))
	if got := s.get(t, "/readyz").status; got != 503 {
		t.Errorf("with a store that came late /readyz is %d", got)
	}
	s.wantStanding(t, false, false)
}

func TestAnOutageOfTheStore(t *testing.T) {
	t.Parallel()
	s := start(t)
	var outage error
	s.Serve(stub{
		ready: func() error { return outage },
		feed:  func(context.Context) (blog.Page[blog.Post], error) { return blog.Page[blog.Post]{}, outage },
	})
	s.query(t, feed).want(200, "")

	outage = &blog.Error{Kind: blog.Unavailable, Message: "the cluster is away", Err: errors.New("dial 10.1.2.3")}
	away := s.query(t, feed)
	away.want(503, "UNAVAILABLE")
	if got := away.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q", got)
	}
	half := s.query(t, "{__typename feed {edges {cursor}}}")
	s.wantStanding(t, false, false)
	ready := s.get(t, "/readyz")
	if ready.status != 503 || !strings.Contains(ready.body, "the cluster is away") {
		t.Errorf("/readyz is %d %s", ready.status, ready.body)
	}
	for _, shown := range []answer{away, half, ready} {
		if strings.Contains(shown.body, "10.1.2.3") {
			t.Errorf("the cause is shown: %s", shown.body)
		}
	}
	if s.log.with("10.1.2.3") == nil {
		t.Error("the cause is not logged")
	}

	outage = nil
	s.query(t, feed).want(200, "")
	if got := s.get(t, "/readyz"); got.status != 200 {
		t.Errorf("/readyz stays %d %s", got.status, got.body)
	}
	s.wantStanding(t, true, false)
}

// wantStanding fails t unless the metrics, which ask at each scrape, say so.
func (s server) wantStanding(t *testing.T, ready, writesRefused bool) {
	t.Helper()
	metrics := s.get(t, "/metrics").body
	for name, is := range map[string]bool{"ready": ready, "writes_refused": writesRefused} {
		value := map[bool]string{false: "0", true: "1"}[is]
		if !strings.Contains(metrics, "\nbroadsheet_"+name+" "+value+"\n") {
			t.Errorf("broadsheet_%s is not %s", name, value)
		}
	}
}

// A store that refuses writes goes on being asked for what it has.
func TestWritesThatAreRefused(t *testing.T) {
	t.Parallel()
	var refusal error
	s := start(t)
	s.Serve(stub{
		ready:    func() error { return nil },
		writable: func() error { return refusal },
		feed:     func(context.Context) (blog.Page[blog.Post], error) { return blog.Page[blog.Post]{}, nil },
	})
	for _, refusal = range []error{nil, &blog.Error{Kind: blog.Unavailable, Message: "the clock is wrong", Err: errors.New("10.1.2.3")}, nil} {
		got := s.get(t, "/readyz")
		if got.status != 200 || strings.Contains(got.body, `"writesRefused":"the clock is wrong"`) != (refusal != nil) || strings.Contains(got.body, "10.1.2.3") {
			t.Errorf("%v: /readyz is %d %s", refusal, got.status, got.body)
		}
		s.wantStanding(t, true, refusal != nil)
		s.query(t, feed).want(200, "")
	}
	if s.log.with("10.1.2.3") == nil {
		t.Error("the cause is not logged")
	}
}

func TestADeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		began := time.Now()
		s.Serve(stub{feed: func(ctx context.Context) (blog.Page[blog.Post], error) {
			<-ctx.Done()
			return blog.Page[blog.Post]{}, ctx.Err()
		}})
		s.query(t, feed).want(200, "TIMEOUT")
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s, not the default of 10 s", took)
		}
	})
}

func TestPanics(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Serve(stub{
		ready: func() error { panic("sesame, not ready") },
		feed:  func(context.Context) (blog.Page[blog.Post], error) { panic("sesame, no feed") },
	})
	for name, got := range map[string]answer{
		"in a resolver": s.query(t, feed, "X-Request-Id", "one"),
		"in a handler":  s.get(t, "/readyz"),
	} {
		t.Run(name, func(t *testing.T) {
			got.t = t
			if code := got.code(); code != "INTERNAL_SERVER_ERROR" || strings.Contains(got.body, "sesame") {
				t.Errorf("%d %s", got.status, got.body)
			}
			if id := got.header.Get("X-Request-Id"); !strings.Contains(got.body, id) || s.log.with(id) == nil {
				t.Errorf("the request's id %s is not both in the answer and in the log: %s", id, got.body)
			}
		})
	}
	s.wantStanding(t, false, false)
	if s.log.with("sesame, no feed") == nil || s.log.with("sesame, not ready") == nil {
		t.Error("a cause is not logged")
	}
}

func TestReasonsShowNoCauses(t *testing.T) {
	t.Parallel()
	cause := errors.New("dial 10.1.2.3")
	for want, err := range map[string]error{
		"the cluster is away":       &blog.Error{Kind: blog.Unavailable, Message: "the cluster is away", Err: cause},
		"timeout":                   &blog.Error{Kind: blog.Timeout, Err: cause},
		"the store does not answer": cause,
	} {
		if got := httpapi.Reason(err); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
