package e2e

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector receives traces by OTLP over HTTP, as an OpenTelemetry collector does.
type collector struct {
	t  *testing.T
	mu sync.Mutex

	resources map[string]string
	spans     []*tracepb.Span
}

// collect starts a collector and names it in the environment.
func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{t: t, resources: map[string]string{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("BROADSHEET_TRACING", "otlp")
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = unzipped
	}
	text, err := io.ReadAll(body)
	if err != nil {
		c.t.Error(err)
	}
	var request collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &request); err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("%s: %v", r.URL, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, from := range request.ResourceSpans {
		for name, value := range attributes(from.Resource.Attributes) {
			c.resources[name] = value
		}
		for _, scope := range from.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// attributes returns them as text.
func attributes(list []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, attribute := range list {
		text, _, _ := strings.Cut(strings.TrimPrefix(attribute.Value.String(), "string_value:"), " ")
		all[attribute.Key] = strings.Trim(text, `"`)
	}
	return all
}

// only returns the spans of one kind of operation, and fails t unless there are so
// many.
func (c *collector) only(n int, kind tracepb.Span_SpanKind) []*tracepb.Span {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []*tracepb.Span
	for _, span := range c.spans {
		if span.Kind == kind {
			found = append(found, span)
		}
	}
	if len(found) != n {
		c.t.Fatalf("%d spans are %v, not %d: %v", len(found), kind, n, c.spans)
	}
	return found
}

const (
	requests   = tracepb.Span_SPAN_KIND_SERVER
	statements = tracepb.Span_SPAN_KIND_INTERNAL
)

func wantAttributes(t *testing.T, span *tracepb.Span, want map[string]string) {
	t.Helper()
	got := attributes(span.Attributes)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %s is %q, want %q", span.Name, name, got[name], value)
		}
	}
	for name, value := range got {
		if strings.Contains(value, "cursor") {
			t.Errorf("%s: %s holds the document: %s", span.Name, name, value)
		}
	}
}

// One request is one trace, below its caller's span, with its statement below it; what
// was made before the server stopped has arrived when it has.
func TestTraceOfAQuery(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_SERVICE_NAME", "blog")
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	before := time.Now()
	s.Do(http.MethodPost, "/graphql", `{"query": "query Front { feed { edges { cursor } } }"}`, map[string]string{
		"Content-Type": "application/json", "X-Request-Id": "r-7", "traceparent": "00-" + trace + "-" + parent + "-01"}).OK()
	after := time.Now()
	if code := s.Stop(); code != 0 {
		t.Fatalf("exit code %d: %s", code, s.Log.String())
	}

	request := c.only(1, requests)[0]
	if hex.EncodeToString(request.TraceId) != trace || hex.EncodeToString(request.ParentSpanId) != parent {
		t.Errorf("the request's trace is %x below %x", request.TraceId, request.ParentSpanId)
	}
	if request.Name != "query" || request.Status.GetCode() != tracepb.Status_STATUS_CODE_UNSET {
		t.Errorf("the request's span: %v", request)
	}
	wantAttributes(t, request, map[string]string{
		"graphql.operation.type": "query", "graphql.operation.name": "Front", "graphql.document": "",
		"http.request.method": "POST", "url.path": "/graphql", "http.response.status_code": "int_value:200", "error.type": "",
	})
	statement := c.only(1, statements)[0]
	if hex.EncodeToString(statement.TraceId) != trace || string(statement.ParentSpanId) != string(request.SpanId) {
		t.Errorf("the statement is not below the request: %v", statement)
	}
	if statement.Name != "read feed_by_bucket" {
		t.Errorf("the statement's name is %s", statement.Name)
	}
	wantAttributes(t, statement, map[string]string{
		"db.system.name": "pebble", "db.collection.name": "feed_by_bucket", "db.operation.name": "read",
		"db.response.returned_rows": "int_value:0", "broadsheet.partitions": "int_value:1",
	})
	if statement.EndTimeUnixNano > request.EndTimeUnixNano || statement.StartTimeUnixNano < uint64(before.UnixNano()) ||
		statement.StartTimeUnixNano > statement.EndTimeUnixNano || request.EndTimeUnixNano > uint64(after.Add(time.Minute).UnixNano()) {
		t.Errorf("the statement's time is not within the request's: %v in %v", statement, request)
	}
	if c.resources["service.name"] != "blog" || c.resources["service.version"] == "" {
		t.Errorf("the spans come from %v", c.resources)
	}
	if !strings.Contains(s.Log.String(), "trace="+trace) {
		t.Errorf("the access log does not name the trace: %s", s.Log.String())
	}
}

// A request that the server fails is an error in its trace, one that the client got
// wrong is not; its type tells both.
func TestTraceOfAFailure(t *testing.T) {
	c := collect(t)
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "deadline=1ns").Ready()
	s.As("", `{ nonsense }`, "")
	s.As("", `{ feed { edges { cursor } } }`, "")
	s.Get("/livez")
	s.Stop()
	for i, want := range []struct {
		name   string
		status tracepb.Status_StatusCode
		code   string
	}{
		{"GraphQL Operation", tracepb.Status_STATUS_CODE_UNSET, "GRAPHQL_VALIDATION_FAILED"},
		{"query", tracepb.Status_STATUS_CODE_ERROR, "TIMEOUT"},
	} {
		span := c.only(2, requests)[i]
		if span.Name != want.name || span.Status.GetCode() != want.status {
			t.Errorf("%v", span)
		}
		wantAttributes(t, span, map[string]string{"error.type": want.code, "graphql.operation.name": ""})
	}
}

// What is not sampled is not sent, and its trace is named in the log all the same.
func TestTracesAreSampled(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	s.As("", `{ feed { edges { cursor } } }`, "").OK()
	s.Stop()
	c.only(0, requests)
	c.only(0, statements)
	if !strings.Contains(s.Log.String(), "trace=") {
		t.Errorf("the log: %s", s.Log.String())
	}
}

// Where nobody takes traces requests are answered as ever, and the server stops as
// ever.
func TestTracesThatNobodyTakes(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(refusing.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", refusing.URL)
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--tracing", "otlp").Ready()
	s.As("", `{ feed { edges { cursor } } }`, "").OK()
	if code := s.Stop(); code != 0 || !strings.Contains(s.Log.String(), "traces can't be sent") {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	harness.Want(t, 1, "http/protobuf", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--tracing", "otlp")
}

func TestTracesAreOffByDefault(t *testing.T) {
	c := collect(t)
	t.Setenv("BROADSHEET_TRACING", "off")
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	s.As("", `{ feed { edges { cursor } } }`, "").OK()
	s.Stop()
	c.only(0, requests)
	if strings.Contains(s.Log.String(), "trace=") {
		t.Errorf("the log names a trace: %s", s.Log.String())
	}
}
