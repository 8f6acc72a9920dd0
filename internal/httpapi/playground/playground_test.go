package playground

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"broadsheet/internal/static"
)

// request returns the handler's answer. Headers come in pairs of a name and a value.
func request(t *testing.T, subject string, method, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler(subject).ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var reference = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// referencedFiles are the addresses which the page names.
func referencedFiles(t *testing.T, subject string) []string {
	t.Helper()
	res := request(t, subject, "GET", "/playground")
	var urls []string
	for _, m := range reference.FindAllStringSubmatch(bodyOf(t, res), -1) {
		urls = append(urls, m[1])
	}
	if len(urls) != 4 {
		t.Fatalf("the page names %d files, not 4: %q", len(urls), urls)
	}
	return urls
}

// everyFile are the addresses of what the page may load, now or later.
func everyFile() []string {
	var urls []string
	for _, name := range built.Names(manifestName) {
		urls = append(urls, "/playground/"+name)
	}
	return urls
}

func checkHeaders(t *testing.T, res *http.Response, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := res.Header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func TestPage(t *testing.T) {
	res := request(t, "", "GET", "/playground")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d", res.StatusCode)
	}
	checkHeaders(t, res, map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"Cache-Control":          "no-cache",
		"X-Content-Type-Options": "nosniff",
		"Vary":                   "Accept-Encoding",
	})
	if body := bodyOf(t, res); !strings.Contains(body, "<title>Broadsheet</title>") {
		t.Errorf("no title in %s", body)
	}
	etag := res.Header.Get("ETag")
	if again := request(t, "", "GET", "/playground", "If-None-Match", etag); again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again with ETag %s: status %d, not 304", etag, again.StatusCode)
	}
}

func TestContentSecurityPolicy(t *testing.T) {
	res := request(t, "", "GET", "/playground")
	policy := map[string]string{}
	for directive := range strings.SplitSeq(res.Header.Get("Content-Security-Policy"), "; ") {
		name, sources, _ := strings.Cut(directive, " ")
		policy[name] = sources
	}
	for name, want := range map[string]string{
		"default-src":     "'none'",
		"script-src":      "'self'",
		"connect-src":     "'self'",
		"frame-ancestors": "'none'",
		"base-uri":        "'none'",
	} {
		if policy[name] != want {
			t.Errorf("%s: %q, want %q", name, policy[name], want)
		}
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(bodyOf(t, res), -1) {
		if !strings.Contains(script, " src=") && !strings.Contains(script, `type="application/json"`) {
			t.Errorf("inline script: %s", script)
		}
	}
}

func TestSettings(t *testing.T) {
	cases := map[string]struct {
		subject       string
		target        string
		endpoint, tab string
	}{
		"defaults":            {"", "/playground", "/graphql", ""},
		"development subject": {"alice", "/playground", "/graphql", "{\n  \"Authorization\": \"Bearer alice\"\n}"},
		"hostile subject": {
			`</script><script>alert("`, "/playground", "/graphql",
			"{\n  \"Authorization\": \"Bearer \\u003c/script\\u003e\\u003cscript\\u003ealert(\\\"\"\n}",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			body := bodyOf(t, request(t, c.subject, "GET", c.target))
			_, rest, _ := strings.Cut(body, `type="application/json">`)
			text, _, _ := strings.Cut(rest, "</script>")
			var s settings
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if s.Endpoint != c.endpoint || s.Headers != c.tab {
				t.Errorf("endpoint %q, headers %q; want %q, %q", s.Endpoint, s.Headers, c.endpoint, c.tab)
			}
			if len(s.Tabs) != len(Operations()) {
				t.Fatalf("%d tabs for %d operations", len(s.Tabs), len(Operations()))
			}
			for i, op := range Operations() {
				headers := c.tab
				if c.tab != "" && op.Subject != "" {
					headers = headersOf(op.Subject)
				}
				if want := (tab{op.Query, string(op.Variables), headers}); s.Tabs[i] != want {
					t.Errorf("tab %d is %q, want %q", i, s.Tabs[i], want)
				}
			}
		})
	}
}

func TestFilesOfThePage(t *testing.T) {
	for _, url := range referencedFiles(t, "") {
		if !slices.Contains(everyFile(), url) {
			t.Errorf("the page names %s, which the build has not", url)
		}
	}
	for _, url := range everyFile() {
		t.Run(path.Base(url), func(t *testing.T) {
			plain := request(t, "", "GET", url)
			if plain.StatusCode != http.StatusOK {
				t.Fatalf("status %d", plain.StatusCode)
			}
			checkHeaders(t, plain, map[string]string{
				"Content-Type":           static.ContentType(url),
				"Cache-Control":          static.Caching(strings.TrimPrefix(url, "/playground/")),
				"X-Content-Type-Options": "nosniff",
				"Vary":                   "Accept-Encoding",
				"Content-Encoding":       "",
			})
			compressed := request(t, "", "GET", url, "Accept-Encoding", "br, gzip;q=0.8")
			checkHeaders(t, compressed, map[string]string{"Content-Encoding": "gzip"})
			if compressed.Header.Get("ETag") == plain.Header.Get("ETag") {
				t.Error("both representations have the same ETag")
			}
			unzipped, err := gzip.NewReader(compressed.Body)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(unzipped)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(content, []byte(bodyOf(t, plain))) {
				t.Error("the compressed file differs from the plain one")
			}
		})
	}
}

func TestOtherRequests(t *testing.T) {
	cases := map[string]struct {
		method, target string
		status         int
	}{
		"head":                        {"HEAD", "/playground", http.StatusOK},
		"post":                        {"POST", "/playground", http.StatusMethodNotAllowed},
		"a slash at the end":          {"GET", "/playground/", http.StatusMovedPermanently},
		"another path":                {"GET", "/playground/else", http.StatusNotFound},
		"a file without its hash":     {"GET", "/playground/assets/main.js", http.StatusNotFound},
		"a file with another hash":    {"GET", "/playground/assets/main-00000000.js", http.StatusNotFound},
		"a file the page has no need": {"GET", "/playground/manifest.json", http.StatusNotFound},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			res := request(t, "", c.method, c.target)
			if res.StatusCode != c.status {
				t.Errorf("status %d, want %d", res.StatusCode, c.status)
			}
			checkHeaders(t, res, map[string]string{"X-Content-Type-Options": "nosniff"})
		})
	}
}

// inert are the beginnings of addresses inside the served files that nothing requests: names of XML
// namespaces and of JSON schemas, comments, error messages, links in descriptions that a person may follow.
var inert = []string{
	"http://www.w3.org/",
	"http://json-schema.org/",
	"https://json-schema.org/",
	"https://code.visualstudio.com/",
	"https://commonmark.org/",                           // GraphQL's built-in description of @specifiedBy
	"https://en.wikipedia.org/wiki/IEEE_floating_point", // GraphQL's description of Float
	"https://github.com/aioutecism/monaco-emacs",
	"https://github.com/brijeshb42/monaco-vim",
	"https://github.com/graphql/graphiql",
	"https://github.com/markedjs/marked",
	"https://github.com/microsoft/monaco-editor",
	"https://microsoft.com",
	"https://prettier.io/docs/",
	"https://react.dev/errors/",
	"https://yarnpkg.com/en/docs/",
}

var (
	address = regexp.MustCompile("(?:https?|wss?)://[^\"'` )<>\\\\$]*")
	cssURL  = regexp.MustCompile(`url\(\s*["']?([^"')]{0,40})`)
)

func TestNothingNamesAnotherHost(t *testing.T) {
	subject := "alice"
	for _, url := range referencedFiles(t, subject) {
		if !strings.HasPrefix(url, "/playground") {
			t.Errorf("the page names %s", url)
		}
	}
	for _, url := range append(everyFile(), "/playground") {
		if ext := path.Ext(url); ext == ".ttf" || ext == ".md" {
			continue // the licences name their projects' homes
		}
		body := bodyOf(t, request(t, subject, "GET", url))
		for _, found := range address.FindAllString(body, -1) {
			if found != "http://" && !slices.ContainsFunc(inert, func(known string) bool { return strings.HasPrefix(found, known) }) { // the prefix is linkify's
				t.Errorf("%s names %s", url, found)
			}
		}
		if strings.Contains(body, "sourceMappingURL=") {
			t.Errorf("%s names a source map, which is not there", url)
		}
		if path.Ext(url) != ".css" {
			continue
		}
		for _, m := range cssURL.FindAllStringSubmatch(body, -1) {
			if !strings.HasPrefix(m[1], "data:") && !strings.HasPrefix(m[1], "./codicon-") {
				t.Errorf("%s loads %s", url, m[1])
			}
		}
		if strings.Contains(body, "@import") {
			t.Errorf("%s imports another file", url)
		}
	}
}
