package load

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// bodies are no requests.
func (h *hostile) bodies(t *testing.T) {
	typename := `{"query": "{__typename}"}`
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"none":                              {"", noRequest},
		"null":                              {"null", noRequest},
		"a text":                            {`"{__typename}"`, noRequest},
		"a list":                            {"[" + typename + "]", noRequest},
		"a list of 10,000":                  {"[" + strings.Repeat(typename+",", 10_000) + typename + "]", noRequest},
		"two of them":                       {typename + typename, noRequest},
		"half of one":                       {typename[:12], noRequest},
		"garbage":                           {strings.Repeat("\x01\x80\xff\x00", 1000), noRequest},
		"NUL":                               {typename + "\x00", noRequest},
		"invalid UTF-8 in a text":           {"{\"query\": \"{user(username: \\\"\xff\xfe\\\") {id}}\"}", noRequest},
		"half a code point":                 {"{\"query\": \"{__typename} #\xf0\x9f\"}", noRequest},
		"a surrogate, encoded":              {"{\"query\": \"{__typename} #\xed\xa0\x80\"}", noRequest},
		"half a surrogate pair":             {`{"query": "{__typename} #\ud800"}`, "OK"}, // JSON's decoder makes U+FFFD of it
		"100,000 brackets":                  {strings.Repeat("[", 100_000), noRequest},
		"100,000 brackets, closed":          {nested(100_000, "[", "", "]"), noRequest},
		"100,000 brackets as variables":     {`{"query": "{__typename}", "variables": {"v": ` + nested(100_000, "[", "", "]") + `}}`, noRequest},
		"9,000 brackets as variables":       {`{"query": "{__typename}", "variables": {"v": ` + nested(9_000, "[", "", "]") + `}}`, "OK"},
		"objects in objects as extensions":  {`{"query": "{__typename}", "extensions": ` + nested(100_000, `{"a":`, "1", "}") + `}`, noRequest},
		"objects in objects of no meaning":  {`{"query": "{__typename}", "else": ` + nested(9_000, `{"a":`, "1", "}") + `}`, "OK"},
		"100,000 names":                     {`{"query": "{__typename}"` + repeat(60_000, `, "n%d": 1`) + `}`, noRequest},
		"100,000 variables":                 {`{"query": "{__typename}", "variables": {"v": 1` + repeat(60_000, `, "v%d": 1`) + `}}`, noRequest},
		"100,000 ids as variables":          {`{"query": "query($ids: [ID!]!) {nodes(ids: $ids) {id}}", "variables": {"ids": ["x"` + strings.Repeat(`,"x"`, 99_999) + `]}}`, noRequest},
		"one name twice":                    {`{"query": "{nothing}", "query": "{__typename}"}`, "OK"},
		"a query that is a number":          {`{"query": 7}`, noRequest},
		"a query that is a list":            {`{"query": ["{__typename}"]}`, noRequest},
		"an empty query":                    {`{"query": ""}`, "OPERATION_RESOLUTION_FAILURE"},
		"variables that are a list":         {`{"query": "{__typename}", "variables": []}`, noRequest},
		"variables that are a text":         {`{"query": "{__typename}", "variables": "{}"}`, noRequest},
		"an operation that is a number":     {`{"query": "{__typename}", "operationName": 7}`, noRequest},
		"an unknown operation":              {`{"query": "{__typename}", "operationName": "` + strings.Repeat("x", 500_000) + `"}`, "OPERATION_RESOLUTION_FAILURE"},
		"extensions that are a text":        {`{"query": "{__typename}", "extensions": "x"}`, noRequest},
		"a persisted query that is a list":  {`{"extensions": {"persistedQuery": []}}`, noRequest},
		"a persisted query of version 1e99": {`{"extensions": {"persistedQuery": {"version": 1e99, "sha256Hash": "x"}}}`, noRequest},
		"a hash of a megabyte":              {`{"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "` + strings.Repeat("a", 1_000_000) + `"}}}`, "PERSISTED_QUERY_NOT_FOUND"},
		"a name of a megabyte":              {`{"documentId": "` + strings.Repeat("a", 1_000_000) + `"}`, "PERSISTED_QUERY_NOT_FOUND"},
		"as large as may be":                {typename + strings.Repeat(" ", 1<<20-len(typename)), "OK"},
	} {
		t.Run(name, func(t *testing.T) { wantCode(h.send(t, c.body), c.code) })
	}
	for name, length := range map[string]int64{"20 MB": 20 << 20, "20 MB, chunked": -1} {
		t.Run(name, func(t *testing.T) {
			timed(t, func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/graphql", io.LimitReader(endless{}, 20<<20))
				if err != nil {
					t.Fatal(err)
				}
				request.ContentLength = length
				request.Header.Set("Content-Type", "application/json")
				h.wantTooLarge(t, request)
			})
		})
	}
	for name, headers := range map[string]map[string]string{
		"a form":              {"Content-Type": "application/x-www-form-urlencoded"},
		"several parts":       {"Content-Type": "multipart/form-data; boundary=x"},
		"another charset":     {"Content-Type": "application/json; charset=utf-16"},
		"no type":             {"Content-Type": ""},
		"gzip":                {"Content-Type": "application/json", "Content-Encoding": "gzip"},
		"an unwelcome Accept": {"Content-Type": "application/json", "Accept": "text/html" + strings.Repeat(", a/b;q=0.1", 2000)},
		"two tokens":          {"Content-Type": "application/json", "Authorization": "Bearer a b"},
		"a token of 20 kB":    {"Content-Type": "application/json", "Authorization": "Bearer " + strings.Repeat("a", 20_000)},
		"another scheme":      {"Content-Type": "application/json", "Authorization": "Basic YTpi"},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func() {
				got, err := h.Try(http.MethodPost, "/graphql", strings.NewReader(typename), headers)
				if err != nil {
					t.Fatal(err)
				}
				if got.Status < 400 || got.Status >= 500 || got.Code() == "" {
					t.Errorf("%d %.300s", got.Status, got.Text)
				}
			})
		})
	}
}

// wantTooLarge fails t unless a request is refused with 413, or its connection is closed
// while it is written, which HTTP allows where nobody reads it.
func (h *hostile) wantTooLarge(t *testing.T, request *http.Request) {
	t.Helper()
	response, err := h.Client.Do(request)
	if err != nil {
		t.Logf("closed: %v", err)
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
}

// endless is a body of blanks.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// urls are no requests either, but for some that are only odd.
func (h *hostile) urls(t *testing.T) {
	for name, c := range map[string]struct {
		method, path string
		status       int
	}{
		"a query of 30 kB":          {"GET", "/graphql?query={__typename" + strings.Repeat("%20", 10_000) + "}", 200},
		"10,000 parameters":         {"GET", "/graphql?query={__typename}" + strings.Repeat("&a=", 10_000), 400},
		"NUL":                       {"GET", "/graphql?query=%7B__typename%7D%00", 400},
		"invalid UTF-8":             {"GET", "/graphql?query=%7B__typename%7D%23%ff", 400},
		"invalid UTF-8 in a path":   {"GET", "/%ff%fe", 404},
		"NUL in a path":             {"GET", "/playground/%00", 404},
		"a query twice":             {"GET", "/graphql?query={__typename}&query={__typename}", 400},
		"half an escape":            {"GET", "/graphql?query=%7", 400},
		"deep variables":            {"GET", "/graphql?query={__typename}&variables=" + url.QueryEscape(nested(9000, "[", "", "]")), 400},
		"a mutation":                {"GET", "/graphql?query=" + url.QueryEscape(`mutation {likePost(input: {postId: "x"}) {like {id}}}`), 405},
		"files above":               {"GET", "/playground/../../../etc/passwd", 404},
		"files above, escaped":      {"GET", "/playground/%2e%2e/%2e%2e/etc/passwd", 404},
		"another path":              {"GET", "/" + strings.Repeat("a/", 10_000), 404},
		"a method of its own":       {"BREW", "/graphql", 405},
		"a method of 2,000 letters": {strings.Repeat("A", 2000), "/graphql", 405},
		"DELETE":                    {"DELETE", "/graphql", 405},
		"OPTIONS":                   {"OPTIONS", "/graphql", 405},
		"TRACE":                     {"TRACE", "/graphql", 405},
		"writing to /metrics":       {"POST", "/metrics", 405},
		"writing to /livez":         {"PUT", "/livez", 405},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func() {
				got, err := h.Try(c.method, c.path, nil, map[string]string{"Accept": "application/graphql-response+json"})
				if err != nil || got.Status != c.status {
					t.Errorf("%d, not %d: %v %.300s", got.Status, c.status, err, got.Text)
				}
			})
		})
	}
}
