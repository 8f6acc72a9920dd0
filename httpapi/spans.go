package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/httpapi/graphqlws"
)

// spans makes OpenTelemetry's spans of requests and, below them, of the store's
// statements. Names and attributes are those of its semantic conventions for GraphQL
// servers, HTTP servers and database clients.
type spans struct {
	tracer trace.Tracer
	system attribute.KeyValue // db.system.name
	kind   trace.SpanKind     // of statements
}

// newSpans returns nil where there is no tracer.
func newSpans(tracer trace.Tracer, store string) *spans {
	if tracer == nil {
		return nil
	}
	s := &spans{tracer: tracer, system: semconv.DBSystemNameKey.String(store), kind: trace.SpanKindInternal}
	if store == semconv.DBSystemNameCassandra.Value.AsString() {
		s.kind = trace.SpanKindClient // the conventions' kind for what leaves the process
	}
	return s
}

// traced makes a span of each GraphQL request, below the caller's where a
// traceparent header (W3C Trace Context) names that.
func (a *API) traced(next http.Handler) http.Handler {
	s := a.spans
	if s == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != graphqlPath || graphqlws.IsHandshake(r) { // a socket's operations have their own
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := s.start(ctx)
		defer func() {
			describe(span, a.originOf(r), recordOf(ctx))
			span.End()
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// spanned makes a span of an operation that no request of HTTP's brings, until ended is called.
func (a *API) spanned(ctx context.Context, from origin) (_ context.Context, ended func()) {
	s := a.spans
	if s == nil {
		return ctx, func() {}
	}
	ctx, span := s.start(ctx)
	return ctx, func() {
		describe(span, from, recordOf(ctx))
		span.End()
	}
}

// start begins a span of an operation, and notes its trace in the access log.
func (s *spans) start(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := s.tracer.Start(ctx, "GraphQL Operation", trace.WithSpanKind(trace.SpanKindServer))
	if of := span.SpanContext(); of.HasTraceID() {
		noteAttrs(ctx, slog.String("trace", of.TraceID().String()))
	}
	return ctx, span
}

// describe completes a request's span by what its record says in the end. A name
// that the client chose is an attribute, not the span's name.
func describe(span trace.Span, from origin, rec *record) {
	if !span.IsRecording() || rec == nil {
		return
	}
	attrs := []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(knownMethod(from.method)),
		semconv.URLPath(from.path),
		semconv.HTTPResponseStatusCode(rec.status),
		semconv.HTTPResponseHeader("x-request-id", rec.asker.RequestID),
	}
	if rec.operation != operationUnknown {
		span.SetName(rec.operation)
		attrs = append(attrs, semconv.GraphQLOperationTypeKey.String(rec.operation))
	}
	if rec.name != "" {
		attrs = append(attrs, semconv.GraphQLOperationName(cut(rec.name, shownName)))
	}
	if rec.graphql && rec.code != "OK" {
		attrs = append(attrs, semconv.ErrorTypeKey.String(rec.code))
	}
	if slices.Contains(serverFaults, rec.code) {
		span.SetStatus(codes.Error, "")
	}
	span.SetAttributes(attrs...)
}

// serverFaults are the codes that make a request's span an error: what is the
// client's mistake does not, as for a status of 4xx.
var serverFaults = []string{codeInternal, codeShuttingDown, codeTimeout, codeUnavailable}

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

// statement makes a span of a statement that ends now, where a request that is
// traced waits for it.
func (s *spans) statement(ctx context.Context, st blog.Statement) {
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

// tablesOf names a statement's table, or its tables: the conventions' attribute is for one
// alone.
func tablesOf(st blog.Statement) (name string, as attribute.KeyValue) {
	if st.Tables == nil {
		return string(st.Table), semconv.DBCollectionName(string(st.Table))
	}
	var names []string
	for of := range st.ByTable() {
		names = append(names, string(of.Table))
	}
	return strings.Join(names, ", "), attribute.StringSlice("broadsheet.tables", names)
}

// kindLabel returns the kind of an error as metrics and traces write it.
func kindLabel(err error) string { return strings.ReplaceAll(blog.KindOf(err).String(), " ", "_") }
