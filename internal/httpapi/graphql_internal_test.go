package httpapi

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/httpapi/record"
	"broadsheet/internal/refusal"
)

// What panics while a request is prepared is the client's error, and the log has where.
func TestPanicsWhileARequestIsPrepared(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	r := httptest.NewRequest("POST", "/graphql", nil)
	r = r.WithContext(record.New("", record.Origin{}).In(r.Context()))
	// A type of this schema is unknown to what finds out the cost.
	stranger := document.New(gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { a: Strange } type Strange { b: Int }`}), nil, &limit.Default, true)
	for name, s := range map[string]*state{
		"its operation": {}, // there are no documents
		"its cost":      {texts: stranger},
	} {
		log.Reset()
		p := &prepared{params: &params{RawParams: graphql.RawParams{Query: "{ a { b } }"}}}
		a.examine(r.Context(), s, p)
		if errs := p.errs; len(errs) != 1 || refusal.CodeOf(errs[0]) != "BAD_USER_INPUT" || statusOf(r, &graphql.Response{Errors: errs}) != 200 {
			t.Errorf("%s: %v", name, errs)
		}
		if found := p.OperationContext != nil && p.Operation != nil; p.OperationContext == nil || found != (name == "its cost") {
			t.Errorf("%s: to be answered for is %+v", name, p.OperationContext)
		}
		if said := log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "graphql_internal_test.go") {
			t.Errorf("%s: logged: %s", name, said)
		}
	}
}

// Whether an answer with an error holds data is seen at its beginning, however long it is.
func TestALongAnswerIsNotReadForItsStatus(t *testing.T) {
	r := httptest.NewRequest("POST", "/graphql", nil)
	long := []byte(`{"a":null,"b":["` + strings.Repeat("x", 8<<20) + `"]}`)
	response := &graphql.Response{Data: long, Errors: gqlerror.List{{Message: "a"}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status := statusOf(r, response)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; status != 200 || took > 1<<20 {
		t.Errorf("%d, with %d bytes of memory", status, took)
	}
}
