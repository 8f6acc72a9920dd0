package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

func TestMetricsByOperation(t *testing.T) {
	t.Parallel()
	s := serving(t)
	s.query(t, "query Front {feed {edges {cursor}}}")
	s.query(t, "query Front {feed(first: 0) {edges {cursor}}}")
	s.query(t, "{viewer {id}}")
	s.query(t, `mutation Join {createUser(input: {username: "alice"}) {user {id}}}`)
	s.query(t, "query Front {nothing}")
	s.query(t, "query "+strings.Repeat("x", 101)+" {viewer {id}}")
	got := s.get(t, "/metrics").body
	for _, line := range []string{
		`broadsheet_graphql_operation_duration_seconds_count{name="Front",operation="query"} 2`,
		`broadsheet_graphql_operation_duration_seconds_count{name="anonymous",operation="query"} 1`,
		`broadsheet_graphql_operation_duration_seconds_count{name="other",operation="query"} 1`,
		`broadsheet_graphql_operation_duration_seconds_count{name="Join",operation="mutation"} 1`,
		`broadsheet_graphql_operation_duration_seconds_count{name="unknown",operation="unknown"} 1`,
		`broadsheet_graphql_operation_errors_total{code="BAD_USER_INPUT",name="Front",operation="query"} 1`,
		`broadsheet_graphql_operation_errors_total{code="UNAUTHENTICATED",name="Join",operation="mutation"} 1`,
		`broadsheet_graphql_operation_errors_total{code="GRAPHQL_VALIDATION_FAILED",name="unknown",operation="unknown"} 1`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("lacks %s", line)
		}
	}
	if strings.Contains(got, `errors_total{code="OK"`) {
		t.Error("what went well counts as an error")
	}
}

// However many names clients think of, and however many think at once.
func TestOperationNamesAreBounded(t *testing.T) {
	t.Parallel()
	s := startWith(t, httpapi.Config{Limits: limitsWith(func(l *limit.Values) { l[limit.MetricOperations] = 5 })})
	s.Serve(memory(t, s.Observer()))
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 10 {
				s.query(t, fmt.Sprintf("query N%d_%d {__typename}", client, i))
			}
		})
	}
	clients.Wait()
	got := s.get(t, "/metrics").body
	if names := strings.Count(got, "broadsheet_graphql_operation_duration_seconds_count{"); names != 6 {
		t.Errorf("%d names are counted, not 5 and other:\n%s", names, got)
	}
	if want := `broadsheet_graphql_operation_duration_seconds_count{name="other",operation="query"} 35`; !strings.Contains(got, want+"\n") {
		t.Errorf("lacks %s", want)
	}
}
