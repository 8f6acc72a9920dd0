package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/refusal"
)

// said are all messages about requests that are none: they repeat nothing of them.
var said = regexp.MustCompile(`^(` + strings.Join([]string{
	`the body is not UTF-8`, `the body is not JSON(: byte \d+ is out of place|: there is more behind the JSON object|: it ends too early)?`,
	`the body must be one JSON object, not a JSON (string|number|bool|array)`,
	`(query|operationName|documentId) must be a string`, `(variables|extensions) must be a JSON object`,
	`send query or documentId, not both`, `the request has no query`,
	`the URL's query is malformed`, `a parameter of the URL is given more than once, or is not UTF-8`,
	`extensions\.persistedQuery must be an object with version and sha256Hash`, `extensions\.persistedQuery\.version must be 1`,
	`extensions\.persistedQuery\.sha256Hash is not the SHA-256 of query`, `PersistedQueryNotFound`,
}, "|") + `)(\n|$)`)

// wantRefusal fails t unless an error is one of those.
func wantRefusal(t *testing.T, err error) {
	t.Helper()
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !said.MatchString(line) {
			t.Errorf("a refusal says: %q", line)
		}
	}
}

// requests are the seeds: bodies of POST, and the same as parameters of a URL.
var requests = []string{
	`{"query": "{__typename}"}`, `{"query": "query A {a} query B {b}", "operationName": "B", "variables": {"n": 1.50, "l": [null, true, "\u0000"]}, "extensions": {"cost": true}}`,
	`{"query": null, "documentId": "sha256:00", "variables": null}`, `{"doc_id": "7", "variables": {}}`, `{"id": 7, "query": ""}`, `{"query": "a", "documentId": "b"}`,
	`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}}`,
	`{"query": "{__typename}", "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}}`,
	`{"extensions": {"persistedQuery": {"version": "1", "sha256Hash": 7}}}`, `{"extensions": {"persistedQuery": []}}`,
	`[]`, `null`, `7`, `"x"`, `true`, `{`, ``, `{"query": 7}`, `{"variables": []}`, `{"QUERY": "{a}"}`, "{\"query\": \"\xff\"}", `{"query": "\ud800"}`, `{}{}`,
}

// A body is read as what it says, or refused with a message that repeats nothing of it.
func FuzzBody(f *testing.F) {
	for _, body := range requests {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := decodeParams(body)
		if err != nil {
			wantRefusal(t, err)
			return
		}
		if again, err := decodeParams(encoded(t, p)); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v, written and read again: %+v, %v", p, again, err)
		}
	})
}

// encoded writes a request as clients do.
func encoded(t *testing.T, p *params) []byte {
	t.Helper()
	fields := map[string]any{}
	if p.documentID != "" {
		fields["documentId"] = p.documentID
	} else {
		fields["query"] = p.Query
	}
	if p.OperationName != "" {
		fields["operationName"] = p.OperationName
	}
	if p.Variables != nil {
		fields["variables"] = p.Variables
	}
	if p.Extensions != nil {
		fields["extensions"] = p.Extensions
	}
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A URL says what the same body would, or is refused as that is.
func FuzzURL(f *testing.F) {
	f.Add("query=%7B__typename%7D")
	f.Add("query={a}&operationName=A&variables={\"n\":1.50}&extensions={}")
	f.Add("documentId=sha256:00&variables=null")
	f.Add("doc_id=7")
	f.Add("query=%ff&query=%7&;")
	f.Add("")
	f.Fuzz(func(t *testing.T, query string) {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/graphql", RawQuery: query}}
		p, err := readGet(r)
		if err != nil {
			wantRefusal(t, err)
			return
		}
		if again, err := decodeParams(encoded(t, p)); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v as a body: %+v, %v", p, again, err)
		}
	})
}

// A persisted document is found by the SHA-256 of its text alone.
func FuzzPersistedQuery(f *testing.F) {
	for _, body := range requests {
		f.Add([]byte(body), "{__typename}")
	}
	f.Fuzz(func(t *testing.T, body []byte, kept string) {
		p, err := decodeParams(body)
		if err != nil {
			return
		}
		d := newDocuments(Config{Limits: limit.Values{limit.PersistedQueries: 2}})
		d.keep(hashOf(kept), kept)
		sent := p.Query
		hash, err := d.resolve(p)
		switch {
		case err != nil:
			wantRefusal(t, err)
			if refused := (*refusal.Error)(nil); !errors.As(err, &refused) {
				t.Errorf("%T: %v", err, err)
			}
		case hash != "" && hash != hashOf(p.Query):
			t.Errorf("%q is to be kept as %s", p.Query, hash)
		case p.Query != sent && p.Query != kept:
			t.Errorf("%q was sent, and %q is executed", sent, p.Query)
		}
	})
}
