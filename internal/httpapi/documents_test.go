package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

const (
	notFound     = "PERSISTED_QUERY_NOT_FOUND"
	notSupported = "PERSISTED_QUERY_NOT_SUPPORTED"
)

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// persisted makes a request of Apollo's protocol; without a text it names it only.
func persisted(hash, text string) map[string]any {
	request := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}}
	if text != "" {
		request["query"] = text
	}
	return request
}

// send makes a request, by POST or by GET, with headers in pairs.
func (s server) send(t *testing.T, method string, request map[string]any, headers ...string) answer {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r := post(string(text), headers...)
	if method == "GET" {
		values := url.Values{}
		for name, value := range request {
			text, ok := value.(string)
			if !ok {
				encoded, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				text = string(encoded)
			}
			values.Set(name, text)
		}
		r = httptest.NewRequest("GET", "/graphql?"+values.Encode(), nil)
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return s.do(t, r)
}

// persisting returns limits with which so many queries are kept.
func persisting(n float64) limit.Values {
	return limitsWith(func(l *limit.Values) { l[limit.PersistedQueries] = n })
}

func TestAutomaticPersistedQueries(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST"} {
		t.Run(method, func(t *testing.T) {
			s := with(t, httpapi.Config{Limits: persisting(10)})
			text := "query A($n: Int = 1) {feed(first: $n) {edges {cursor}} __typename}"
			hash := hashed(text)
			s.send(t, method, persisted(hash, "")).want(200, notFound)
			s.send(t, method, persisted(hash, ""), "Accept", "application/graphql-response+json").want(400, notFound)
			s.send(t, method, persisted(hash, text)).want(200, "")
			got := s.send(t, method, persisted(hash, ""))
			if got.want(200, ""); !strings.Contains(got.body, `"Query"`) {
				t.Error(got.body)
			}
			named := persisted(hash, "")
			named["operationName"], named["variables"] = "A", map[string]any{"n": 101}
			s.send(t, method, named).want(200, "BAD_USER_INPUT")
		})
	}
}

// urql tells these answers by their messages, Apollo's clients by their codes.
func TestPersistedQueryMessages(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]server{
		`{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}`:         with(t, httpapi.Config{Limits: persisting(1)}),
		`{"message":"PersistedQueryNotSupported","extensions":{"code":"PERSISTED_QUERY_NOT_SUPPORTED"}}`: with(t, httpapi.Config{Limits: persisting(0)}),
	} {
		if got := s.send(t, "POST", persisted(hashed("x"), "")); got.body != `{"errors":[`+want+`]}` {
			t.Error(got.body)
		}
	}
}

func TestPersistedQueriesSwitchedOff(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{Limits: persisting(0)})
	const text = "{__typename}"
	s.send(t, "POST", persisted(hashed(text), "")).want(200, notSupported)
	s.send(t, "POST", persisted(hashed(text), text)).want(200, notSupported)
	s.send(t, "GET", persisted(hashed(text), ""), "Accept", "application/graphql-response+json").want(400, notSupported)
	s.query(t, text).want(200, "")
}

// Nothing is kept that is not executed.
func TestWhatIsNotPersisted(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{Limits: persisting(1000)}) // has room for the very long one, too
	for name, c := range map[string]struct {
		text, code string
		status     int
	}{
		"no GraphQL":            {"{", "GRAPHQL_PARSE_FAILED", 200},
		"an unknown field":      {"{nothing}", "GRAPHQL_VALIDATION_FAILED", 200},
		"a variable that lacks": {"query($id: ID!) {post(id: $id) {id}}", "BAD_USER_INPUT", 200},
		"a very long one":       {"{__typename}" + strings.Repeat(" ", 64<<10), "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			s.send(t, "POST", persisted(hashed(c.text), c.text)).want(c.status, c.code)
			s.send(t, "POST", persisted(hashed(c.text), "")).want(200, notFound)
		})
	}
	t.Run("a mutation by GET", func(t *testing.T) {
		const text = "mutation {__typename}"
		s.send(t, "GET", persisted(hashed(text), text)).want(405, "BAD_REQUEST")
		s.send(t, "POST", persisted(hashed(text), "")).want(200, notFound)
	})
	t.Run("a text under another's hash", func(t *testing.T) {
		s.send(t, "POST", persisted(hashed("{viewer {id}}"), "{__typename}")).want(400, "BAD_REQUEST")
		s.send(t, "POST", persisted(hashed("{viewer {id}}"), "")).want(200, notFound)
	})
}

// What was asked for longest ago goes first.
func TestPersistedQueriesAreBounded(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{Limits: persisting(2)})
	texts := []string{"{a: __typename}", "{b: __typename}", "{c: __typename}"}
	for i, text := range texts {
		s.send(t, "POST", persisted(hashed(text), text)).want(200, "")
		if i > 0 {
			s.send(t, "POST", persisted(hashed(texts[0]), "")).want(200, "")
		}
	}
	s.send(t, "POST", persisted(hashed(texts[1]), "")).want(200, notFound)
	s.send(t, "POST", persisted(hashed(texts[2]), "")).want(200, "")
}

func TestMalformedPersistedQueries(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{Limits: persisting(10)})
	for _, extension := range []string{`7`, `"x"`, `[]`, `{}`, `{"version":1}`, `{"version":1,"sha256Hash":7}`, `{"version":2,"sha256Hash":"x"}`, `{"version":"1","sha256Hash":"x"}`, `{"sha256Hash":"x"}`} {
		s.do(t, post(`{"extensions":{"persistedQuery":`+extension+`}}`)).want(400, "BAD_REQUEST")
	}
	s.do(t, post(`{"extensions":{"persistedQuery":null}}`)).want(400, "BAD_REQUEST")
}

// manifest reads one of testdata's, made by the tools.
func manifest(t *testing.T, name string) httpapi.TrustedDocuments {
	t.Helper()
	trusted, err := httpapi.ReadTrustedDocuments(filepath.Join("testdata", "trusted", name), &limit.Default, true)
	if err != nil {
		t.Fatal(err)
	}
	return trusted
}

// texts returns the documents of a manifest by id, read by other means.
func texts(t *testing.T, name string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "trusted", name))
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	if json.Unmarshal(content, &byID) == nil {
		return byID
	}
	var apollo struct{ Operations []struct{ ID, Body string } }
	if err := json.Unmarshal(content, &apollo); err != nil {
		t.Fatal(err)
	}
	clear(byID)
	for _, operation := range apollo.Operations {
		byID[operation.ID] = operation.Body
	}
	return byID
}

// Each way in which clients name a document leads to it, and only to those of the
// manifest.
func TestTrustedDocuments(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"apollo.json", "relay.json"} {
		for _, only := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s only=%t", file, only), func(t *testing.T) {
				s := with(t, httpapi.Config{TrustedDocuments: manifest(t, file), TrustedDocumentsOnly: only, Limits: persisting(10)})
				checkTrusted(t, s, texts(t, file))
				checkUntrusted(t, s, only)
			})
		}
	}
}

func checkTrusted(t *testing.T, s server, documents map[string]string) {
	t.Helper()
	if len(documents) != 2 {
		t.Fatalf("the manifest has %d documents", len(documents))
	}
	for id, text := range documents {
		// What is executed says what it lacks, or who asks; a query says neither.
		code, method := "BAD_USER_INPUT", "POST"
		if strings.HasPrefix(text, "query") {
			code, method = "", "GET"
		}
		for name, request := range map[string]map[string]any{
			"documentId":         {"documentId": id},
			"documentId, sha256": {"documentId": "sha256:" + hashed(text)},
			"doc_id":             {"doc_id": id},
			"id":                 {"id": id, "query": ""},
			"persistedQuery":     persisted(hashed(text), ""),
			"both":               persisted(hashed(text), text),
			"the text":           {"query": text},
		} {
			for _, method := range []string{"POST", method} {
				if got := s.send(t, method, request); got.status != 200 || got.code() != code {
					t.Errorf("%s of %s by %s: %d %s", name, id, method, got.status, got.body)
				}
			}
		}
		if code != "" { // a mutation
			s.send(t, "GET", map[string]any{"documentId": id}).want(405, "BAD_REQUEST")
		}
		s.send(t, "POST", map[string]any{"documentId": id, "query": text}).want(400, "BAD_REQUEST")
	}
}

func checkUntrusted(t *testing.T, s server, only bool) {
	t.Helper()
	for _, id := range []string{"0", hashed("{__typename}"), "sha256:" + hashed("{__typename}")} {
		s.send(t, "POST", map[string]any{"documentId": id}).want(200, notFound)
		s.send(t, "POST", map[string]any{"documentId": id}, "Accept", "application/graphql-response+json").want(400, notFound)
	}
	s.send(t, "POST", persisted(hashed("{__typename}"), "")).want(200, notFound)
	code, status := "", 200
	if only {
		code, status = "FORBIDDEN", 403
	}
	s.query(t, "{__typename}").want(200, code)
	s.query(t, "{").want(200, map[bool]string{true: code, false: "GRAPHQL_PARSE_FAILED"}[only])
	s.query(t, "{__typename}", "Accept", "application/graphql-response+json").want(status, code)
	s.send(t, "GET", map[string]any{"query": "{__typename}"}).want(200, code)
	s.send(t, "POST", persisted(hashed("{__typename}"), "{__typename}")).want(200, code)
	if only {
		s.send(t, "POST", persisted(hashed("{__typename}"), "")).want(200, notFound)
	}
}

// Without a manifest no document has a name.
func TestNoTrustedDocuments(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{})
	s.send(t, "POST", map[string]any{"documentId": "x"}).want(200, notFound)
	s.do(t, post(`{"documentId":7}`)).want(400, "BAD_REQUEST")
	s.do(t, post(`{"doc_id":7}`)).want(400, "BAD_REQUEST")
}

func TestBadManifests(t *testing.T) {
	t.Parallel()
	operation := func(id, name, body string) string {
		return fmt.Sprintf(`{"id":%q,"name":%q,"type":"query","body":%q}`, id, name, body)
	}
	apollo := func(operations ...string) string {
		return `{"format":"apollo-persisted-query-manifest","version":1,"operations":[` + strings.Join(operations, ",") + `]}`
	}
	fine := operation("1", "Fine", "query Fine {__typename}")
	for name, c := range map[string]struct{ content, says string }{
		"no JSON":              {"query {", "a manifest is a JSON object"},
		"a list":               {"[]", "a manifest is a JSON object"},
		"of another format":    {`{"format":"x","operations":[]}`, "apollo-persisted-query-manifest"},
		"of another version":   {`{"format":"apollo-persisted-query-manifest","version":2}`, "version"},
		"without operations":   {`{"format":"apollo-persisted-query-manifest","version":1}`, "operations"},
		"an unknown field":     {apollo(fine, operation("2", "Bad", "query Bad {nothing}")), `operation Bad (2): input:1:12: Cannot query field "nothing"`},
		"no GraphQL":           {apollo(operation("2", "Bad", "query Bad {")), "operation Bad (2): "},
		"no operation":         {apollo(operation("2", "Bad", "fragment F on Post {id}")), "operation Bad (2): input: Must provide an operation."},
		"no id":                {apollo(operation("", "Bad", "{__typename}")), "it has no id"},
		"an id of two":         {apollo(fine, operation("1", "Bad", "{a: __typename}")), "operation Bad (1): another document has its id"},
		"Relay, unknown field": {`{"abc":"query Bad {nothing}"}`, `operation abc: input:1:12: Cannot query field "nothing"`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "manifest.json")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := httpapi.ReadTrustedDocuments(file, &limit.Default, true)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), file+": ") {
				t.Errorf("the error is %v, without %q", err, c.says)
			}
		})
	}
	if _, err := httpapi.ReadTrustedDocuments("nowhere.json", &limit.Default, true); err == nil || !strings.Contains(err.Error(), "nowhere.json") {
		t.Errorf("of a file that is not there: %v", err)
	}
}
