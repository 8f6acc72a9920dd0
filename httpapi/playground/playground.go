// Package playground serves GraphiQL, from its own files alone: the page works on a machine without a network.
//
//	page/        the page, its script, its style: ours
//	assets/      GraphiQL and React as npm has them; update.sh gets them, LICENSES.txt goes with them
//	operations/  the requests that a first visit finds in tabs: see [Operations]
//
// GraphiQL 4 is the last version with browser files that need no build step.
package playground

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"broadsheet/internal/static"
)

//go:embed page
var pageFiles embed.FS

//go:embed assets/*.js assets/*.css assets/LICENSES.txt
var assetFiles embed.FS

// Config says where the page and the API are. The zero value serves at /playground, for an API at /graphql.
type Config struct {
	Endpoint string // the API's path on the same host, also for its WebSocket; default /graphql
	Prefix   string // the page's path, without a slash at its end; default /playground

	// DevSubject fills each tab's headers with a development token for this subject.
	// The page then keeps headers across reloads. Empty: no headers, and none is ever stored.
	DevSubject string
}

// Handler serves the page at cfg.Prefix and its files below it. Mount it at both:
//
//	mux.Handle("/playground", h)
//	mux.Handle("/playground/", h)
func Handler(cfg Config) http.Handler {
	if cfg.Endpoint == "" {
		cfg.Endpoint = "/graphql"
	}
	if cfg.Prefix == "" {
		cfg.Prefix = "/playground"
	}

	page := page{prefix: cfg.Prefix, files: make(map[string]*static.File), Settings: settingsFor(cfg)}
	mux := http.NewServeMux()
	for _, f := range embeddedFiles() {
		page.files[f.Name] = f
		mux.Handle("GET "+page.URL(f.Name), f)
	}
	index := page.render()
	mux.Handle("GET "+cfg.Prefix, static.New("index.html", func() []byte { return index }, static.AlwaysAsk))
	mux.Handle("GET "+cfg.Prefix+"/{$}", http.RedirectHandler(cfg.Prefix, http.StatusMovedPermanently))
	return withSecurityHeaders(mux)
}

// contentSecurityPolicy lets the page load and reach this server only, and run no script but its files.
// GraphiQL's dialogs write a style element of their own, fonts are inside GraphiQL's CSS.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func withSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// settings is what playground.js reads.
type settings struct {
	Endpoint string `json:"endpoint"`
	Headers  string `json:"headers"`
	Tabs     []tab  `json:"tabs"`
}

// tab is GraphiQL's TabDefinition. It takes JSON as text, as a person would type it.
type tab struct {
	Query     string `json:"query"`
	Variables string `json:"variables"`
	Headers   string `json:"headers"`
}

func settingsFor(cfg Config) settings {
	s := settings{Endpoint: cfg.Endpoint}
	if cfg.DevSubject != "" {
		headers, err := json.MarshalIndent(map[string]string{"Authorization": "Bearer " + cfg.DevSubject}, "", "  ")
		if err != nil {
			panic(err) // strings always marshal
		}
		s.Headers = string(headers)
	}
	for _, op := range Operations() {
		s.Tabs = append(s.Tabs, tab{Query: op.Query, Variables: string(op.Variables), Headers: s.Headers})
	}
	return s
}

// embeddedFiles is every file the page may load.
var embeddedFiles = sync.OnceValue(func() []*static.File {
	var files []*static.File
	for _, source := range []struct {
		fsys fs.ReadFileFS
		glob string
	}{
		{pageFiles, "page/*"},
		{assetFiles, "assets/*"},
	} {
		names, err := fs.Glob(source.fsys, source.glob)
		if err != nil {
			panic(err)
		}
		for _, name := range names {
			if path.Ext(name) == ".html" {
				continue // a template
			}
			files = append(files, static.New(path.Base(name), func() []byte { return embedded(source.fsys, name) }, static.KeepForEver))
		}
	}
	return files
})

func embedded(files fs.ReadFileFS, name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it was listed
	}
	return content
}

type page struct {
	prefix   string
	files    map[string]*static.File
	Settings settings
}

// URL holds the content's hash, so that a browser may keep the file for ever and still gets the next version's.
func (p page) URL(name string) string {
	f := p.files[name]
	ext := path.Ext(name)
	return p.prefix + "/assets/" + name[:len(name)-len(ext)] + "-" + f.Hash + ext
}

var index = template.Must(template.ParseFS(pageFiles, "page/index.html"))

func (p page) render() []byte {
	var b bytes.Buffer
	if err := index.Execute(&b, p); err != nil {
		panic(err) // the template names a file that is not there: every test sees it
	}
	return b.Bytes()
}
