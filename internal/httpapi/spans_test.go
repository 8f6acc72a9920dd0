package httpapi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
)

// traced returns an API over Cassandra, as far as traces know, and what ends in them.
func traced(t *testing.T) (server, *tracetest.SpanRecorder) {
	t.Helper()
	ended := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ended))
	return startWith(t, httpapi.Config{Tracer: provider.Tracer("test"), StoreSystem: "cassandra"}), ended
}

func attr(span sdktrace.ReadOnlySpan, name string) string {
	for _, a := range span.Attributes() {
		if a.Key == attribute.Key(name) {
			return a.Value.String()
		}
	}
	return ""
}

// A statement that fails is an error, and so is the request that fails for it. The
// cause, which may hold anything, is in neither.
func TestASpanOfAStatementThatFails(t *testing.T) {
	t.Parallel()
	s, ended := traced(t)
	cause := &blog.Error{Kind: blog.Unavailable, Err: errors.New("sesame")}
	s.Serve(stub{feed: func(ctx context.Context) (blog.Page[blog.Post], error) {
		s.Observer().Statement(ctx, blog.Statement{Table: blog.FeedByBucket, Kind: blog.Read, Partitions: 1, Duration: time.Hour, Err: cause})
		return blog.Page[blog.Post]{}, cause
	}})
	s.query(t, feed).want(503, "UNAVAILABLE")
	spans := ended.Ended()
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	statement, request := spans[0], spans[1]
	if statement.Name() != "read feed_by_bucket" || statement.Parent().SpanID() != request.SpanContext().SpanID() || statement.SpanKind() != trace.SpanKindClient {
		t.Errorf("%v %s below %v", statement.SpanKind(), statement.Name(), statement.Parent())
	}
	if took := statement.EndTime().Sub(statement.StartTime()); took != time.Hour {
		t.Errorf("it took %v", took)
	}
	for span, errorType := range map[sdktrace.ReadOnlySpan]string{statement: "unavailable", request: "UNAVAILABLE"} {
		if span.Status() != (sdktrace.Status{Code: codes.Error}) || attr(span, "error.type") != errorType || len(span.Events()) != 0 {
			t.Errorf("%s: %v, %v, %v", span.Name(), span.Status(), span.Attributes(), span.Events())
		}
	}
	if got := attr(statement, "db.system.name"); got != "cassandra" {
		t.Errorf("db.system.name is %q", got)
	}
}

// A batch over several tables names all of them, for the conventions' attribute is of one; a
// command's share of a batch says that it is one.
func TestASpanOfABatch(t *testing.T) {
	t.Parallel()
	s, ended := traced(t)
	share := blog.Touching(blog.Write, []blog.TableCost{
		{Table: blog.PostsByID, Partitions: 2, Rows: 3}, {Table: blog.FeedByBucket, Partitions: 1, Rows: 5},
	}, nil)
	share.Share = true
	s.Serve(stub{feed: func(ctx context.Context) (blog.Page[blog.Post], error) {
		s.Observer().Statement(ctx, share)
		return blog.Page[blog.Post]{}, nil
	}})
	s.query(t, feed).want(200, "")
	batch := ended.Ended()[0]
	if batch.Name() != "write posts_by_id, feed_by_bucket" {
		t.Errorf("it is called %s", batch.Name())
	}
	for name, want := range map[string]string{
		"broadsheet.tables": `["posts_by_id","feed_by_bucket"]`, "broadsheet.partitions": "3", "broadsheet.share": "true", "db.collection.name": "",
	} {
		if got := attr(batch, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// A panic is the server's fault too.
func TestASpanOfAPanic(t *testing.T) {
	t.Parallel()
	s, ended := traced(t)
	s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) { panic("sesame") }})
	s.query(t, feed).want(200, "INTERNAL_SERVER_ERROR")
	if spans := ended.Ended(); len(spans) != 1 || spans[0].Status().Code != codes.Error {
		t.Errorf("%v", spans)
	}
}

// What no request waits for makes no spans: what a store does by itself, and what
// goes on after the answer.
func TestStatementsOutsideOfRequestsMakeNoSpans(t *testing.T) {
	t.Parallel()
	s, ended := traced(t)
	statement := blog.Statement{Table: blog.PostsByAuthor, Kind: blog.Write, Partitions: 3}
	var during context.Context
	s.Serve(stub{feed: func(ctx context.Context) (blog.Page[blog.Post], error) {
		during = ctx
		return blog.Page[blog.Post]{}, nil
	}})
	s.query(t, feed).want(200, "")
	s.Observer().Statement(during, statement)
	s.Observer().Statement(t.Context(), statement)
	if spans := ended.Ended(); len(spans) != 1 || spans[0].Name() != "query" {
		t.Errorf("%v", spans)
	}
}
