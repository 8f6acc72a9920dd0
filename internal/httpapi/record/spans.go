package record

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/internal/refusal"
)

// Spans makes OpenTelemetry's spans of requests and, below them, of the store's statements, by its semantic conventions
// for GraphQL servers, HTTP servers and database clients.
type Spans struct {
	tracer trace.Tracer
	system attribute.KeyValue // db.system.name
	kind   trace.SpanKind     // of statements
}

// NewSpans returns nil where there is no tracer.
func NewSpans(tracer trace.Tracer, store string) *Spans {
	if tracer == nil {
		return nil
	}
	s := &Spans{tracer: tracer, system: semconv.DBSystemNameKey.String(store), kind: trace.SpanKindInternal}
	if store == semconv.DBSystemNameCassandra.Value.AsString() {
		s.kind = trace.SpanKindClient // the conventions' kind for what leaves the process
	}
	return s
}

// Begin makes a span of an operation, below the one of ctx, and notes its trace in the access log.
func (s *Spans) Begin(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	ctx, span := s.tracer.Start(ctx, "GraphQL Operation", trace.WithSpanKind(trace.SpanKindServer))
	if r, of := Of(ctx), span.SpanContext(); r != nil && of.HasTraceID() {
		r.trace = of.TraceID().String()
	}
	return ctx
}

// End ends the span of ctx by what the request's record says in the end.
func (s *Spans) End(ctx context.Context) {
	if s != nil {
		span := trace.SpanFromContext(ctx)
		describe(span, Of(ctx))
		span.End()
	}
}

// describe completes a request's span. A name that the client chose is an attribute, not the span's name.
func describe(span trace.Span, rec *Record) {
	if !span.IsRecording() || rec == nil {
		return
	}
	attrs := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(knownMethod(rec.Origin.method)),
		semconv.URLPath(rec.Origin.path),
		semconv.HTTPResponseStatusCode(rec.Status),
		semconv.HTTPResponseHeader("x-request-id", rec.Asker.RequestID),
	}
	if rec.Operation != OperationUnknown {
		span.SetName(rec.Operation)
		attrs = append(attrs, semconv.GraphQLOperationTypeKey.String(rec.Operation))
	}
	if rec.Name != "" {
		attrs = append(attrs, semconv.GraphQLOperationName(cut(rec.Name, shownName)))
	}
	if rec.GraphQL && rec.Code != "OK" {
		attrs = append(attrs, semconv.ErrorTypeKey.String(rec.Code))
	}
	if slices.Contains(serverFaults, rec.Code) {
		span.SetStatus(codes.Error, "")
	}
	span.SetAttributes(attrs...)
}

// serverFaults are the codes that make a request's span an error: a client's mistake does not, as a status of 4xx.
var serverFaults = []string{refusal.CodeInternal, refusal.CodeShuttingDown, refusal.CodeTimeout, refusal.CodeUnavailable}

// knownMethod returns a method, _OTHER for one that a client made up.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	default:
		return "_OTHER"
	}
}

// statement makes a span of a statement that ends now, where a request that is traced waits for it.
func (s *Spans) statement(ctx context.Context, st blog.Statement) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	now := time.Now()
	operation := string(st.Kind)
	tables, named := tablesOf(st)
	attrs := []attribute.KeyValue{
		s.system, semconv.DBOperationName(operation), named,
		attribute.Int("broadsheet.partitions", st.Partitions),
	}
	if st.Share {
		attrs = append(attrs, attribute.Bool("broadsheet.share", true))
	}
	if st.Kind == blog.Read {
		attrs = append(attrs, semconv.DBResponseReturnedRows(st.Rows))
	}
	_, span := s.tracer.Start(ctx, operation+" "+tables, trace.WithSpanKind(s.kind),
		trace.WithTimestamp(now.Add(-st.Duration)), trace.WithAttributes(attrs...))
	if st.Err != nil {
		span.SetAttributes(semconv.ErrorTypeKey.String(kindLabel(st.Err)))
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(now))
}

// tablesOf names a statement's table, or its tables: the conventions' attribute is for one alone.
func tablesOf(st blog.Statement) (name string, as attribute.KeyValue) {
	if st.Tables == nil {
		return string(st.Table), semconv.DBCollectionName(string(st.Table))
	}
	var names []string
	for _, of := range st.Tables {
		names = append(names, string(of.Table))
	}
	return strings.Join(names, ", "), attribute.StringSlice("broadsheet.tables", names)
}

// kindLabel returns the kind of an error as Metrics and traces write it.
func kindLabel(err error) string { return strings.ReplaceAll(blog.KindOf(err).String(), " ", "_") }
