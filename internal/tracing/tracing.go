// Package tracing sends OpenTelemetry's spans to a collector, by OTLP over HTTP.
//
// Where to, how often and how many is said by the standard environment variables:
// OTEL_EXPORTER_OTLP_ENDPOINT and its kin, OTEL_TRACES_SAMPLER, OTEL_BSP_…,
// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Traces are spans on their way to a collector. While it is away, or slower than spans are made, spans are dropped.
type Traces struct {
	provider *sdktrace.TracerProvider
	exporter *exporter
}

// Start returns the traces of this version of the program. A collector that is away is logged once until it is back.
func Start(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	if protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); protocol != "" && !strings.HasPrefix(protocol, "http/") {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: traces are sent by http/protobuf, which collectors take on port 4318", protocol)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if u, err := url.Parse(os.Getenv(name)); err != nil || u.Host == "" && os.Getenv(name) != "" {
			return nil, fmt.Errorf("%s is %q: want a collector's URL, as in http://localhost:4318", name, os.Getenv(name))
		}
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces can't be sent, or not as configured", "error", err) }))
	from, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("broadsheet"), semconv.ServiceVersion(version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describing this process to OpenTelemetry: %w", err)
	}
	otlp, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("exporting traces: %w", err)
	}
	e := &exporter{SpanExporter: otlp}
	e.cut, e.cutOff = context.WithCancel(context.WithoutCancel(ctx))
	return &Traces{sdktrace.NewTracerProvider(sdktrace.WithBatcher(e), sdktrace.WithResource(from)), e}, nil
}

// Tracer returns what makes spans.
func (t *Traces) Tracer() trace.Tracer { return t.provider.Tracer("broadsheet") }

// Close sends what has not left yet, and is cut off after a while. Spans that end later are dropped.
func (t *Traces) Close(within time.Duration) {
	defer time.AfterFunc(within, t.exporter.cutOff).Stop()
	if err := t.provider.Shutdown(context.Background()); err != nil {
		otel.Handle(fmt.Errorf("ending traces: %w", err))
	}
}

// exporter can be cut off. What fails is logged by OpenTelemetry's handler.
type exporter struct {
	sdktrace.SpanExporter
	cut    context.Context
	cutOff context.CancelFunc
}

// ExportSpans is a method of [sdktrace.SpanExporter].
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.cut, cancel)()
	return e.SpanExporter.ExportSpans(ctx, spans)
}
