package httpapi

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/refusal"
)

// What panics while a request is prepared is the client's error, and the log has where.
func TestPanicsWhileARequestIsPrepared(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	r := httptest.NewRequest("POST", "/graphql", nil)
	for name, prepare := range map[string]func() gqlerror.List{
		"its operation": func() gqlerror.List {
			op, _, errs := a.operation(r.Context(), &state{}, &graphql.RawParams{Query: "{__typename}"}) // there are no documents
			if op == nil {
				t.Error("no operation to answer for")
			}
			return errs
		},
		"its cost": func() gqlerror.List {
			_, errs := a.costed(r.Context(), &graphql.OperationContext{}, &document.Document{}) // there is no operation
			return errs
		},
	} {
		log.Reset()
		errs := prepare()
		if len(errs) != 1 || refusal.CodeOf(errs[0]) != "BAD_USER_INPUT" || statusOf(r, &graphql.Response{Errors: errs}) != 200 {
			t.Errorf("%s: %v", name, errs)
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
