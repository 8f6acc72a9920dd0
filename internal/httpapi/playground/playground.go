// Package playground serves GraphiQL, from its own files alone: the page works on a machine without a network.
//
//	app/         the page's script and style: GraphiQL, and what is ours around it
//	dist/        what `npm run build` makes of it, kept with the source: a clone needs no Node to run
//	index.html   the page, a template
//	operations/  the requests that a first visit finds in tabs: see [Operations]
package playground

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"

	"broadsheet/internal/static"
)

//go:embed dist
var files embed.FS

var built = static.NewFolder(files, "dist")

//go:embed index.html
var indexText string

// Where the page and the API are.
const (
	prefix   = "/playground"
	endpoint = "/graphql" // also for its WebSocket
)

// Handler serves the page and its files below it. Each tab's headers have a development token for a subject, and the page
// keeps headers across reloads; where the subject is empty there are none, and none is ever stored. Mount it at both:
//
//	mux.Handle("/playground", h)
//	mux.Handle("/playground/", h)
func Handler(devSubject string) http.Handler {
	mux := http.NewServeMux()
	for _, name := range built.Names(manifestName) {
		mux.Handle("GET "+prefix+"/"+name, built.File(name))
	}
	index := render(devSubject)
	mux.Handle("GET "+prefix, static.New("index.html", func() []byte { return index }, static.AlwaysAsk))
	mux.Handle("GET "+prefix+"/{$}", http.RedirectHandler(prefix, http.StatusMovedPermanently))
	return static.Secured(contentSecurityPolicy, mux)
}

// contentSecurityPolicy lets the page load and reach this server only, and run no script but its files.
// GraphiQL's editor writes style elements of its own, fonts are inside GraphiQL's CSS or beside it.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// settings is what app/src/main.jsx reads.
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

func settingsFor(devSubject string) settings {
	s := settings{Endpoint: endpoint, Headers: headersOf(devSubject)}
	for _, op := range Operations() {
		of := tab{Query: op.Query, Variables: string(op.Variables), Headers: s.Headers}
		if op.Subject != "" && devSubject != "" {
			of.Headers = headersOf(op.Subject)
		}
		s.Tabs = append(s.Tabs, of)
	}
	return s
}

// headersOf returns the headers of a development subject's requests, none where there is no subject.
func headersOf(subject string) string {
	if subject == "" {
		return ""
	}
	headers, err := json.MarshalIndent(map[string]string{"Authorization": "Bearer " + subject}, "", "  ")
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(headers)
}

const manifestName = "manifest.json"

// page is what the template is given.
type page struct {
	Script, Style string // that it loads first
	Settings      settings
}

// URL returns the address of a file.
func (page) URL(name string) string { return prefix + "/" + name }

var index = template.Must(template.New("index.html").Parse(indexText))

// render returns the page. What it loads first stands in what Vite writes of a build.
func render(devSubject string) []byte {
	var manifest map[string]struct{ File string }
	if err := json.Unmarshal(built.Read(manifestName), &manifest); err != nil {
		panic(err) // it is built in
	}
	var b bytes.Buffer
	err := index.Execute(&b, page{manifest["src/main.jsx"].File, manifest["style.css"].File, settingsFor(devSubject)})
	if err != nil {
		panic(err) // the template names what is not there: every test sees it
	}
	return b.Bytes()
}
