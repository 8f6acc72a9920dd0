package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

// coercionCase is a request, and what graphql-js makes of it: clients/coercion writes them.
type coercionCase struct {
	Name          string
	Query         string
	OperationName *string
	Variables     string
	outcome
	Server *outcome // where the server differs, knowingly; its Because says why
}

// outcome is where a request is refused, or that a field fails, or that nothing does.
type outcome struct {
	Verdict string
	Coerced json.RawMessage // the variables, where they are right
	Because string
}

func (c coercionCase) body(t testing.TB) string {
	t.Helper()
	request := map[string]any{"query": c.Query, "operationName": c.OperationName}
	if c.Variables != "" {
		request["variables"] = json.RawMessage(c.Variables)
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// want is what the server is to do.
func (c coercionCase) want() outcome {
	if c.Server == nil {
		return c.outcome
	}
	return outcome{cmp.Or(c.Server.Verdict, c.Verdict), c.Server.Coerced, c.Server.Because}
}

func coercionCases(t testing.TB) (cases []coercionCase) {
	t.Helper()
	content, err := os.ReadFile("testdata/coercion.json")
	if err == nil {
		err = json.Unmarshal(content, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal("there are no cases", err)
	}
	return cases
}

// A request is refused where the specification's reference implementation refuses it, and
// before the store is asked anything.
func TestCoercionIsThatOfTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Serve(memory(t, ofRequests{s.Observer()}))
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id} userErrors {code}}}`, "Authorization", "Bearer alice").want(200, "")
	asked := 0
	for _, c := range coercionCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			r, statements := countedRequest(post(c.body(t), "Authorization", "Bearer alice", "Accept", "application/graphql-response+json"))
			got, want := s.do(t, r), c.want()
			if verdict := got.verdict(); verdict != want.Verdict {
				t.Errorf("%s, want %s: %s\n%s\n%s", verdict, want.Verdict, got.body, c.Query, c.Variables)
			}
			if c.Server != nil && (c.Server.Because == "" || reflect.DeepEqual(want, c.outcome)) {
				t.Errorf("it is listed as different, and is not, or there is no reason: %+v", c.Server)
			}
			n := statements.Load()
			if got.status == 400 && n > 0 {
				t.Errorf("it was refused after %d statements", n)
			}
			if n > 0 {
				asked++
			}
		})
	}
	if asked < 50 {
		t.Errorf("the store was asked for %d of the cases: are statements counted?", asked)
	}
}

// ofRequests counts the statements of requests of which that is wanted.
type ofRequests struct{ next blog.Observer }

type statementsKey struct{}

func (o ofRequests) Statement(ctx context.Context, s blog.Statement) {
	o.next.Statement(ctx, s)
	if n, wanted := ctx.Value(statementsKey{}).(*atomic.Int64); wanted {
		n.Add(1)
	}
}

// countedRequest returns a request, and how many statements are made for it.
func countedRequest(r *http.Request) (*http.Request, *atomic.Int64) {
	n := new(atomic.Int64)
	return r.WithContext(context.WithValue(r.Context(), statementsKey{}, n)), n
}

// verdict says what came of a request, as outcome has it.
func (a answer) verdict() string {
	a.t.Helper()
	var response struct{ Data json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &response); err != nil {
		a.t.Fatal(err)
	}
	code, executed := a.code(), response.Data != nil
	switch {
	case executed && code == "":
		return "ok"
	case executed && code == "BAD_USER_INPUT":
		return "field"
	case a.status != 400 || executed:
		return "other: " + code
	}
	verdict, known := map[string]string{
		"GRAPHQL_PARSE_FAILED":         "parse",
		"GRAPHQL_VALIDATION_FAILED":    "validation",
		"OPERATION_RESOLUTION_FAILURE": "operation",
		"BAD_USER_INPUT":               "variables",
	}[code]
	if !known {
		return "other: " + code
	}
	return verdict
}

// The values that variables have are those of the reference implementation.
func TestVariablesAreThoseOfTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	schema := graph.NewExecutableSchema(graph.Config{})
	documents := document.New(schema.Schema(), relay.Scalars, &limit.Default, true)
	for _, c := range coercionCases(t) {
		want := c.want()
		if want.Coerced == nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			params := graphql.RawParams{Query: c.Query}
			if c.OperationName != nil {
				params.OperationName = *c.OperationName
			}
			if c.Variables != "" {
				params.Variables = decoded(t, []byte(c.Variables))
			}
			op, _, errs := documents.Operation(t.Context(), nil, &params)
			if errs != nil {
				t.Fatal(errs)
			}
			got, err := json.Marshal(op.Variables)
			if err != nil || !reflect.DeepEqual(decoded(t, got), decoded(t, want.Coerced)) {
				t.Errorf("%s, want %s: %v", got, want.Coerced, err)
			}
		})
	}
}

// decoded reads a JSON object, and keeps numbers as they are written.
func decoded(t testing.TB, text []byte) (object map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	return object
}

// A fragment that two operations spread has the variables of the one that is executed: the
// other's default says nothing.
func TestDefaultsAreThoseOfTheOperation(t *testing.T) {
	t.Parallel()
	s := serving(t)
	const text = "query A($n: Int) {...F} query B($n: Int = 1) {...F} query C($n: Int = 50) {...F} fragment F on Query {feed(first: $n) {edges {node {viewerHasLiked comments {totalCount}}}}}"
	for name, page := range map[string]int{"A": 20, "B": 1, "C": 50} {
		body, err := json.Marshal(map[string]any{"query": text, "operationName": name, "extensions": map[string]any{"cost": true}})
		if err != nil {
			t.Fatal(err)
		}
		got := s.do(t, post(string(body)))
		var response struct {
			Extensions struct{ Cost struct{ Estimated int } }
		}
		if err := json.Unmarshal([]byte(got.body), &response); err != nil {
			t.Fatal(err)
		}
		// The feed, who asks and what he likes, and two partitions for each post.
		if want := 3 + 2 + 2*page; response.Extensions.Cost.Estimated != want {
			t.Errorf("%s: %s, want a cost of %d", name, got.body, want)
		}
	}
}
