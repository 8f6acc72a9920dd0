package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"broadsheet/blog"
	"broadsheet/graph"
	"broadsheet/httpapi/document"
	"broadsheet/relay"
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
	s, statements := counting(t)
	s.query(t, `mutation {createUser(input: {username: "alice"}) {user {id} userErrors {code}}}`, "Authorization", "Bearer alice").want(200, "")
	for _, c := range coercionCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			before := statements.Load()
			got := s.do(t, post(c.body(t), "Authorization", "Bearer alice", "Accept", "application/graphql-response+json"))
			want := c.want()
			if verdict := got.verdict(); verdict != want.Verdict {
				t.Errorf("%s, want %s: %s\n%s\n%s", verdict, want.Verdict, got.body, c.Query, c.Variables)
			}
			if c.Server != nil && (c.Server.Because == "" || reflect.DeepEqual(want, c.outcome)) {
				t.Errorf("it is listed as different, and is not, or there is no reason: %+v", c.Server)
			}
			if after := statements.Load(); got.status == 400 && after != before {
				t.Errorf("it was refused after %d statements", after-before)
			}
		})
	}
}

// counting returns a server over an empty store, and how many statements that was asked.
func counting(t *testing.T) (server, *atomic.Int64) {
	t.Helper()
	var statements counter
	s := start(t)
	s.Serve(memory(t, &statements))
	return s, &statements.Int64
}

// counter counts statements.
type counter struct{ atomic.Int64 }

func (c *counter) Statement(context.Context, blog.Statement) { c.Add(1) }

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
	documents := document.New(schema.Schema(), relay.Scalars, document.DefaultLimits, true)
	exec := executor.New(schema)
	exec.SetQueryCache(documents)
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
			op, _, errs := documents.Operation(graphql.StartOperationTrace(t.Context()), exec, &params)
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
