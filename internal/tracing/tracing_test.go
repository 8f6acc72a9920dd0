package tracing_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"broadsheet/internal/tracing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collect starts a collector that handles what it is sent, and names it in the
// environment.
func collect(t *testing.T, handle http.HandlerFunc) {
	t.Helper()
	collector := httptest.NewServer(handle)
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
}

func start(t *testing.T, log *slog.Logger) *tracing.Traces {
	t.Helper()
	traces, err := tracing.Start(t.Context(), "v1", log)
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

// A collector that hangs keeps nobody: not who makes spans, nor the end for longer
// than it may take.
func TestACollectorThatHangs(t *testing.T) {
	asked := make(chan struct{}, 1)
	over := make(chan struct{})
	collect(t, func(http.ResponseWriter, *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-over
	})
	defer close(over)
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_BSP_EXPORT_TIMEOUT"} {
		t.Setenv(name, "86400000") // nothing but Close ends the wait
	}
	traces := start(t, slog.New(slog.DiscardHandler))
	for range 10_000 { // several times what waits
		_, span := traces.Tracer().Start(t.Context(), "a span")
		span.End()
	}
	<-asked
	traces.Close(0)
}

// What fails is logged each time: the program's log leaves repetitions out.
func TestACollectorThatFails(t *testing.T) {
	answers := []int{400, 400, 400, 200, 200}
	answered := make(chan struct{})
	collect(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0])
		answers = answers[1:]
		answered <- struct{}{}
	})
	log := &output{}
	traces := start(t, slog.New(slog.NewTextHandler(log, nil)))
	for range len(answers) {
		_, span := traces.Tracer().Start(t.Context(), "a span")
		span.End()
		<-answered
	}
	traces.Close(time.Minute)
	for text, times := range map[string]int{"traces can't be sent": 3, "level=": 3} {
		if got := strings.Count(log.String(), text); got != times {
			t.Errorf("%q is logged %d times, not %d: %s", text, got, times, log.String())
		}
	}
}

func TestAProtocolThatIsNotSpoken(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "grpc")
			if _, err := tracing.Start(t.Context(), "v1", slog.Default()); err == nil || !strings.Contains(err.Error(), "http/protobuf") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAnEndpointThatIsNone(t *testing.T) {
	for endpoint, says := range map[string]string{
		"collector": "want a collector's URL", "localhost:4318": "want a collector's URL", "http://": "want a collector's URL", "http://[": "want a collector's URL",
		"http://localhost:4318": "<nil>", "": "<nil>",
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint)
		traces, err := tracing.Start(t.Context(), "v1", slog.Default())
		if !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("%q: %v, want %s", endpoint, err, says)
		}
		if err == nil {
			traces.Close(time.Minute)
		}
	}
}

// output is a log that may be read while it is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
