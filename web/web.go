// Package web serves the app, a front end for readers and writers, from its own files alone.
//
//	src/   the app: TypeScript, React, Apollo Client; routes.json names its pages' addresses
//	dist/  what `npm run build` makes of it, kept with the source: a clone needs no Node to run
package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"

	"broadsheet/internal/static"
)

//go:embed dist
var files embed.FS

var built = static.NewFolder(files, "dist")

//go:embed src/routes.json
var routes []byte

// Handlers returns what serves the app, by the patterns of [http.ServeMux]: its pages' and its files'. Where a token is
// the subject itself, sign-in suggests a subject; empty: it asks for a JSON Web Token.
func Handlers(devSubject string) map[string]http.Handler {
	handlers := map[string]http.Handler{}
	page := static.Secured(contentSecurityPolicy, static.New(indexName, func() []byte { return index(devSubject) }, static.AlwaysAsk))
	for _, pattern := range pages() {
		handlers["GET "+pattern] = page
	}
	for _, name := range built.Names(indexName) {
		handlers["GET /"+name] = static.Secured(contentSecurityPolicy, built.File(name))
	}
	return handlers
}

const indexName = "index.html"

// NotFound returns what answers an address that is none: the app, which says so.
func NotFound(devSubject string) http.Handler {
	page := index(devSubject)
	return static.Secured(contentSecurityPolicy, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", static.ContentType(indexName))
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNotFound)
		if r.Method != http.MethodHead {
			_, _ = w.Write(page) // the reader may be gone
		}
	}))
}

// contentSecurityPolicy lets a page load and reach this server only, and run no script and take no
// style but its files. No HTML is made by a script: a post's text becomes elements.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var parameter = regexp.MustCompile(`:(\w+)`)

// pages returns the patterns of the app's pages: each is the same file, whose script reads the address.
func pages() []string {
	var named map[string]string
	if err := json.Unmarshal(routes, &named); err != nil {
		panic(err) // it is built in
	}
	var patterns []string
	for _, route := range named {
		pattern := parameter.ReplaceAllString(route, "{$1}")
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}"
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

var subjectMeta = []byte(`<meta name="broadsheet-dev-subject" content="`)

// index is the page, with the configuration of the app.
func index(devSubject string) []byte {
	before, after, found := bytes.Cut(built.Read(indexName), subjectMeta)
	if !found {
		panic("web: the page has no place for the subject: every test sees it")
	}
	return bytes.Join([][]byte{before, subjectMeta, []byte(html.EscapeString(devSubject)), after}, nil)
}
