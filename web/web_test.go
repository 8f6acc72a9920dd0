package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"broadsheet/web"
)

// ask returns the app's answer. Headers come in pairs of a name and a value.
func ask(devSubject string, method, target string, headers ...string) *http.Response {
	mux := http.NewServeMux()
	for pattern, handler := range web.New(web.SignIn{DevSubject: devSubject}).Handlers() {
		mux.Handle(pattern, handler)
	}
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	var b strings.Builder
	if err := res.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "\r\n\r\n")
	return body
}

// referenced are the addresses that the page names.
func referenced(t *testing.T) (addresses []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?:src|href)="(/(?:assets/|favicon)[^"]*)"`).FindAllStringSubmatch(text(t, ask("", "GET", "/write")), -1) {
		addresses = append(addresses, m[1])
	}
	if len(addresses) < 3 {
		t.Fatalf("the page names no script, style and icon: %q", addresses)
	}
	return addresses
}

func TestPagesAreTheApp(t *testing.T) {
	front := text(t, ask("", "GET", "/write"))
	for _, target := range []string{"/posts/abc/edit", "/write", "/settings", "/sign-in?to=%2Fwrite"} {
		res := ask("", "GET", target)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			res.Header.Get("Cache-Control") != "no-cache" || text(t, res) != front {
			t.Errorf("%s: %d %v", target, res.StatusCode, res.Header)
		}
	}
}

// Each address that the app knows is served, so that a page can be loaded where a link leads.
func TestEveryRouteIsServed(t *testing.T) {
	content, err := os.ReadFile("src/routes.json")
	if err != nil {
		t.Fatal(err)
	}
	var routes map[string]string
	if err := json.Unmarshal(content, &routes); err != nil || len(routes) == 0 {
		t.Fatal(err, routes)
	}
	mux := http.NewServeMux()
	for pattern := range web.New(web.SignIn{}).Views() {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	for name, route := range routes {
		address := regexp.MustCompile(`:\w+`).ReplaceAllString(route, "x")
		if _, viewed := mux.Handler(httptest.NewRequest("GET", address, nil)); viewed != "" {
			continue
		}
		if res := ask("", "GET", address); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
}

func TestOtherAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		method, target string
		status         int
	}{
		"another page":             {"GET", "/nothing", http.StatusNotFound},
		"below a page":             {"GET", "/write/x", http.StatusNotFound},
		"a file of an older build": {"GET", "/assets/index-0000.js", http.StatusNotFound},
		"the folder of files":      {"GET", "/assets/", http.StatusNotFound},
		"the source":               {"GET", "/src/routes.json", http.StatusNotFound},
		"the page by its file":     {"GET", "/index.html", http.StatusNotFound},
		"head":                     {"HEAD", "/write", http.StatusOK},
		"post":                     {"POST", "/write", http.StatusMethodNotAllowed},
	} {
		if got := ask("", c.method, c.target).StatusCode; got != c.status {
			t.Errorf("%s: %d, not %d", name, got, c.status)
		}
	}
}

func TestNotFound(t *testing.T) {
	shown := web.New(web.SignIn{DevSubject: "alice"}).NotFound()
	if shown.Status != http.StatusNotFound || shown.Version != nil || shown.ContentType != "text/html; charset=utf-8" {
		t.Errorf("%d %q %s", shown.Status, shown.Version, shown.ContentType)
	} else if page := string(shown.Body); !strings.Contains(page, "<h1>Nothing here</h1>") || !strings.Contains(page, `content="alice"`) {
		t.Error(page)
	}
}

func TestFilesAreKept(t *testing.T) {
	for _, target := range referenced(t) {
		want := "public, max-age=31536000, immutable"
		if !strings.HasPrefix(target, "/assets/") {
			want = "no-cache"
		}
		plain, zipped := ask("", "GET", target), ask("", "GET", target, "Accept-Encoding", "gzip")
		if plain.StatusCode != http.StatusOK || plain.Header.Get("Cache-Control") != want || plain.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", target, plain.StatusCode, plain.Header)
		}
		if zipped.Header.Get("Content-Encoding") != "gzip" || zipped.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Errorf("%s, compressed: %v", target, zipped.Header)
		}
		if again := ask("", "GET", target, "If-None-Match", plain.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s, asked again: %d", target, again.StatusCode)
		}
	}
}

func TestContentSecurityPolicy(t *testing.T) {
	for _, target := range append(referenced(t), "/write", "/posts/abc/edit") {
		res := ask("", "GET", target)
		policy := strings.Split(res.Header.Get("Content-Security-Policy"), "; ")
		allowed := map[string]string{}
		for _, directive := range policy {
			name, sources, _ := strings.Cut(directive, " ")
			allowed[name] = sources
		}
		for name, want := range map[string]string{
			"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "img-src": "'self'",
			"require-trusted-types-for": "'script'", "trusted-types": "'none'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
		} {
			if allowed[name] != want {
				t.Errorf("%s: %s is %q, not %q", target, name, allowed[name], want)
			}
		}
	}
}

// What the policy forbids is not there: scripts, styles and handlers in the page, and what is elsewhere.
func TestThePageHasFilesOnly(t *testing.T) {
	page := text(t, ask("", "GET", "/write"))
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(script, ` src="/`) {
			t.Errorf("a script in the page: %s", script)
		}
	}
	for _, inline := range []string{"<style", " style=", " onload=", "://"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page has %s", inline)
		}
	}
	for _, target := range referenced(t) {
		if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
			t.Errorf("the page names %s", target)
		}
		if body := text(t, ask("", "GET", target)); path.Ext(target) == ".css" && regexp.MustCompile(`@import|url\(`).MatchString(body) {
			t.Errorf("%s loads another file", target)
		}
	}
}

// A page may reach where its readers sign in, and nothing else of that; no text of a flag ends its attribute.
func TestProvider(t *testing.T) {
	app := web.New(web.SignIn{ClientID: `a"b`, Issuer: "https://id.example.org/realms/blog", Audience: "api"})
	w := httptest.NewRecorder()
	app.Handlers()["GET /write"].ServeHTTP(w, httptest.NewRequest("GET", "/write", nil))
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "; connect-src 'self' https://id.example.org; ") || strings.Count(policy, "example.org") != 1 {
		t.Error(policy)
	}
	const want = `name="broadsheet-provider" content="{&#34;clientId&#34;:&#34;a\&#34;b&#34;,&#34;issuer&#34;:&#34;https://id.example.org/realms/blog&#34;,&#34;audience&#34;:&#34;api&#34;}"`
	if !strings.Contains(w.Body.String(), want) {
		t.Errorf("the page lacks %s", want)
	}
}

func TestDevSubject(t *testing.T) {
	for subject, want := range map[string]string{
		"":            `name="broadsheet-dev-subject" content=""`,
		"alice":       `name="broadsheet-dev-subject" content="alice"`,
		`"><script>x`: `name="broadsheet-dev-subject" content="&#34;&gt;&lt;script&gt;x"`,
	} {
		if page := text(t, ask(subject, "GET", "/write")); !strings.Contains(page, want) {
			t.Errorf("%q: the page lacks %s", subject, want)
		}
	}
}

// imported matches what a script loads with itself.
var imported = regexp.MustCompile(`(?:from|import)"\./([^"]+\.js)"`)

// Somebody who is sent a post loads the app, the post's page and what that imports.
func TestAPostIsSmall(t *testing.T) {
	const most = 150 << 10 // of compressed scripts
	loaded := map[string]int{}
	var load func(address string)
	load = func(address string) {
		if _, known := loaded[address]; known || path.Ext(address) != ".js" {
			return
		}
		loaded[address] = len(text(t, ask("", "GET", address, "Accept-Encoding", "gzip")))
		for _, m := range imported.FindAllStringSubmatch(text(t, ask("", "GET", address)), -1) {
			load("/assets/" + m[1])
		}
	}
	for _, address := range referenced(t) {
		load(address)
	}
	first := len(loaded)
	pages, err := filepath.Glob("dist/assets/post-*.js")
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	load("/assets/" + path.Base(pages[0]))
	total := 0
	for _, size := range loaded {
		total += size
	}
	t.Logf("%d bytes of compressed scripts, in %d files", total, len(loaded))
	if len(loaded) == first || total > most {
		t.Errorf("a post needs %d bytes of compressed scripts, and %d are allowed", total, most)
	}
}

// A first visit is for readers on a telephone, too.
func TestTheFirstPageIsSmall(t *testing.T) {
	const most = 150 << 10 // of compressed scripts
	total := 0
	for _, target := range referenced(t) {
		if path.Ext(target) == ".js" {
			total += len(text(t, ask("", "GET", target, "Accept-Encoding", "gzip")))
		}
	}
	t.Logf("%d bytes of compressed scripts", total)
	if total == 0 || total > most {
		t.Errorf("the first page needs %d bytes of compressed scripts, and %d are allowed", total, most)
	}
}
