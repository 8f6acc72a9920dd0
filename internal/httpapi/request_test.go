package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const largest = 1 << 20

func TestRequests(t *testing.T) {
	t.Parallel()
	s := serving(t)
	get := func(query string) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/graphql?"+query, nil)
	}
	typed := func(mediaType string) *http.Request {
		return post(`{"query":"{__typename}"}`, "Content-Type", mediaType)
	}
	method := func(method string) *http.Request { return httptest.NewRequest(method, "/graphql", nil) }
	valid := `{"query":"{__typename}"}`
	for name, c := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"a query":                          {post(valid), 200, ""},
		"with a charset":                   {typed("application/json; charset=utf-8"), 200, ""},
		"with nulls":                       {post(`{"query":"{__typename}","variables":null,"extensions":null,"operationName":null}`), 200, ""},
		"with an id of the client's":       {post(`{"query":"{__typename}","id":"x","doc_id":"y"}`), 200, ""},
		"with a member of the client's":    {post(`{"query":"{__typename}","id":7}`), 200, ""},
		"the largest body":                 {post(valid + strings.Repeat(" ", largest-len(valid))), 200, ""},
		"one byte more":                    {post(valid + strings.Repeat(" ", largest-len(valid)+1)), 413, "BAD_REQUEST"},
		"in another charset":               {typed("application/json; charset=iso-8859-1"), 415, "BAD_REQUEST"},
		"in a content coding":              {post(valid, "Content-Encoding", "gzip"), 415, "BAD_REQUEST"},
		"in no coding":                     {post(valid, "Content-Encoding", "identity"), 200, ""},
		"text that is not UTF-8":           {post("{\"query\":\"{__typename}\",\"operationName\":\"\xff\"}"), 400, "BAD_REQUEST"},
		"a name in another case":           {post(`{"Query":"{__typename}"}`), 400, "BAD_REQUEST"},
		"a query that is null":             {post(`{"query":null}`), 400, "BAD_REQUEST"},
		"no content type":                  {typed(""), 415, "BAD_REQUEST"},
		"a form, which needs no preflight": {typed("multipart/form-data; boundary=x"), 415, "BAD_REQUEST"},
		"plain text, likewise":             {typed("text/plain"), 415, "BAD_REQUEST"},
		"an empty body":                    {post(""), 400, "BAD_REQUEST"},
		"no JSON":                          {post("{"), 400, "BAD_REQUEST"},
		"more than one JSON":               {post(valid + "x"), 400, "BAD_REQUEST"},
		"a list of requests":               {post("[" + valid + "]"), 400, "BAD_REQUEST"},
		"null":                             {post("null"), 400, "BAD_REQUEST"},
		"no query":                         {post(`{}`), 400, "BAD_REQUEST"},
		"a query that is a number":         {post(`{"query":7}`), 400, "BAD_REQUEST"},
		"variables that are a list":        {post(`{"query":"{__typename}","variables":[]}`), 400, "BAD_REQUEST"},
		"variables that are text":          {post(`{"query":"{__typename}","variables":"{}"}`), 400, "BAD_REQUEST"},
		"no GraphQL":                       {post(`{"query":"{"}`), 200, "GRAPHQL_PARSE_FAILED"},
		"an unknown field":                 {post(`{"query":"{nothing}"}`), 200, "GRAPHQL_VALIDATION_FAILED"},
		"an empty document":                {post(`{"query":""}`), 200, "OPERATION_RESOLUTION_FAILURE"},
		"an unknown operation":             {post(`{"query":"query A {__typename}","operationName":"B"}`), 200, "OPERATION_RESOLUTION_FAILURE"},
		"a variable that lacks":            {post(`{"query":"query($id: ID!) {post(id: $id) {id}}"}`), 200, "BAD_USER_INPUT"},
		"a bad argument":                   {post(`{"query":"{feed(first: 101) {edges {cursor}}}"}`), 200, "BAD_USER_INPUT"},
		"a write without a token":          {post(`{"query":"mutation {createPost(input: {title: \"a\", content: \"b\"}) {post {id}}}"}`), 200, "UNAUTHENTICATED"},

		"GET a query":                          {get("query={__typename}"), 200, ""},
		"GET with variables":                   {get("query=" + url.QueryEscape("query($n: Int) {feed(first: $n) {edges {cursor}}}") + "&variables=" + url.QueryEscape(`{"n": 3}`)), 200, ""},
		"GET one of two operations":            {get("query=" + url.QueryEscape("query A {__typename} query B {viewer {id}}") + "&operationName=B"), 200, ""},
		"GET without a query":                  {get(""), 400, "BAD_REQUEST"},
		"GET with variables that are a list":   {get("query={__typename}&variables=[]"), 400, "BAD_REQUEST"},
		"GET a malformed URL":                  {get("query=%zz"), 400, "BAD_REQUEST"},
		"GET a mutation":                       {get("query=" + url.QueryEscape(`mutation {deletePost(input: {id: "x"}) {deletedId}}`)), 405, "BAD_REQUEST"},
		"GET a mutation without its variables": {get("query=" + url.QueryEscape(`mutation($in: DeletePostInput!) {deletePost(input: $in) {deletedId}}`)), 405, "BAD_REQUEST"},
		"GET with more than variables":         {get("query={__typename}&variables=" + url.QueryEscape("{}}")), 400, "BAD_REQUEST"},
		"GET with two queries":                 {get("query={__typename}&query={nothing}"), 400, "BAD_REQUEST"},
		"GET what is not UTF-8":                {get("query={__typename}&operationName=%ff"), 400, "BAD_REQUEST"},
		"PUT":                                  {method(http.MethodPut), 405, "BAD_REQUEST"},
		"DELETE":                               {method(http.MethodDelete), 405, "BAD_REQUEST"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.do(t, c.request)
			got.want(c.status, c.code)
			// The specification wants no data, not even null, where nothing was executed.
			if refused := got.status != 200 || strings.HasPrefix(c.code, "GRAPHQL_"); refused && strings.Contains(got.body, `"data"`) {
				t.Errorf("data in %s", got.body)
			}
			if accept := got.header.Get("Accept"); (got.status == 415) != (accept == "application/json") {
				t.Errorf("status %d with Accept: %q", got.status, accept)
			}
			if allow := got.header.Get("Allow"); (got.status == 405) != (allow == "GET, HEAD, POST") {
				t.Errorf("status %d with Allow: %q", got.status, allow)
			}
		})
	}
}

// Whoever sends a secret in a body that is malformed must not find it in a log of
// errors.
func TestNothingOfAMalformedBodyIsRepeated(t *testing.T) {
	t.Parallel()
	s := serving(t)
	for _, body := range []string{`{"query": sesame}`, `{"query":7,"operationName":["sesame"]}`, `{"query":"{__typename}","extensions":"sesame"}`, `{"query":"{__typename}"} sesame`, `{"query":"{__typename}","variables":"sesame"}`, `"sesame"`} {
		if got := s.do(t, post(body)); strings.Contains(got.body, "sesame") || got.status != 400 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if said := s.log.with("sesame"); said != nil {
		t.Errorf("logged: %q", said)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	s := serving(t)
	const (
		plain = "application/json; charset=utf-8"
		own   = "application/graphql-response+json; charset=utf-8"
	)
	for accept, c := range map[string]struct {
		media   string
		invalid int // the status of a document that can't be executed; 406: neither can a valid one
	}{
		"":                          {plain, 200},
		"*/*":                       {plain, 200},
		"application/json":          {plain, 200},
		"application/*":             {plain, 200},
		"text/html, */*;q=0.8":      {plain, 200},
		"text/html":                 {plain, 406},
		"*/*;q=0":                   {plain, 406},
		"application/json;q=0, */*": {own, 400},
		"application/*;q=0.5, application/graphql-response+json;q=0.4":   {plain, 200},
		"application/graphql-response+json;q=0.5, */*":                   {plain, 200},
		"application/graphql-response+json;q=9":                          {plain, 200},
		"APPLICATION/GraphQL-Response+JSON; charset=utf-8":               {own, 400},
		"application/graphql-response+json":                              {own, 400},
		"application/graphql-response+json, application/json;q=0.9":      {own, 400},
		"application/graphql-response+json;q=0.5, application/json":      {plain, 200},
		"application/graphql-response+json;q=0":                          {plain, 406},
		"application/graphql-response+json" + strings.Repeat(";a=b", 60): {plain, 200}, // longer than what is read
		"nonsense,, ;q=application/json":                                 {plain, 200},
	} {
		t.Run(accept, func(t *testing.T) {
			valid := s.query(t, "{__typename}", "Accept", accept)
			status, code := 200, "GRAPHQL_VALIDATION_FAILED"
			if c.invalid == 406 {
				status, code = 406, "BAD_REQUEST"
			}
			if got := valid.header.Get("Content-Type"); got != c.media || valid.status != status {
				t.Errorf("%d %s, not %d %s", valid.status, got, status, c.media)
			}
			if vary := valid.header.Values("Vary"); !slices.Contains(vary, "Accept, Authorization") {
				t.Errorf("Vary: %q", vary)
			}
			s.query(t, "{nothing}", "Accept", accept).want(c.invalid, code)
		})
	}
}
