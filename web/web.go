// Package web serves the app, a front end for readers and writers, from its own files alone, and
// paints its first view: see [View].
//
//	src/       the app: TypeScript, React, Apollo Client; routes.json names its pages' addresses
//	dist/      what `npm run build` makes of it, kept with the source: a clone needs no Node to run.
//	           pages.json has the query of each page that is painted
//	view.html  what is painted, with the classes of the app's own elements
package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"broadsheet/internal/static"
)

//go:embed dist
var files embed.FS

var built = static.NewFolder(files, "dist")

//go:embed src/routes.json
var routesFile []byte

// routes are the addresses of the app's pages, by name: "/posts/:id".
var routes = decoded[map[string]string](routesFile)

// decoded reads JSON that is built in.
func decoded[T any](text []byte) (value T) {
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return value
}

// The files of the build that have no address.
const (
	indexName = "index.html"
	pagesName = "pages.json"
)

// App is the app, as it is served. Make it with [New].
type App struct {
	signIn SignIn
	policy string             // see [App.Secured]
	page   *template.Template // the build's page, around what it shows
}

// SignIn is how readers get a token. Without a subject and a client id the app asks for a JSON Web Token.
type SignIn struct {
	DevSubject string `json:"-"`        // what is suggested if a token is the subject itself
	ClientID   string `json:"clientId"` // the app's, of OpenID Connect
	Issuer     string `json:"issuer"`   // where the app is a client
	Audience   string `json:"audience"` // of the access tokens that it wants
}

// Provider returns the provider of OpenID Connect for the app, as JSON; empty: there is none.
func (s SignIn) Provider() string {
	if s.ClientID == "" {
		return ""
	}
	text, _ := json.Marshal(s) // it is texts
	return string(text)
}

// New returns the app.
func New(signIn SignIn) *App {
	policy := contentSecurityPolicy
	if at, err := url.Parse(signIn.Issuer); err == nil && signIn.ClientID != "" {
		policy = strings.Replace(policy, "connect-src 'self'", "connect-src 'self' "+at.Scheme+"://"+at.Host, 1)
	}
	return &App{signIn, policy, newTemplate()}
}

// Handlers returns what serves the app's files and the pages that are not painted, by patterns of [http.ServeMux].
func (a *App) Handlers() map[string]http.Handler {
	handlers := map[string]http.Handler{}
	shell := a.html(&view{})
	page := a.Secured(static.New(indexName, func() []byte { return shell }, static.AlwaysAsk))
	for name, route := range routes {
		if _, painted := pages[name]; !painted {
			handlers["GET "+patternOf(route)] = page
		}
	}
	for _, name := range built.Names(indexName, pagesName) {
		handlers["GET /"+name] = a.Secured(built.File(name))
	}
	return handlers
}

// NotFound returns what answers an address that is none: the app, which says so.
func (a *App) NotFound() Shown {
	v := &view{}
	v.miss(nowhere)
	return Shown{Status: http.StatusNotFound, ContentType: mediaHTML, Body: a.html(v)}
}

// contentSecurityPolicy lets a page load from and reach this server only, and the provider that readers sign in at, and
// run no script and take no style but its files. Scripts make no HTML, and data that are sent in a page are no script.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Secured gives answers the app's content security policy.
func (a *App) Secured(next http.Handler) http.Handler { return static.Secured(a.policy, next) }

var parameter = regexp.MustCompile(`:(\w+)`)

// patternOf returns a route as a pattern of [http.ServeMux].
func patternOf(route string) string {
	pattern := parameter.ReplaceAllString(route, "{$1}")
	if strings.HasSuffix(pattern, "/") {
		pattern += "{$}"
	}
	return pattern
}

// pathOf returns a page's address: pathOf("post", id).
func pathOf(name string, values ...string) string {
	path := routes[name]
	for _, value := range values {
		path = parameter.ReplaceAllLiteralString(path, url.PathEscape(value))
	}
	return path
}

//go:embed view.html
var viewFile string

// places are where the build's page has what differs between pages.
var places = [][2]string{
	{`<title>Broadsheet</title>`, `{{template "head" .}}`},
	{`name="broadsheet-dev-subject" content=""`, `name="broadsheet-dev-subject" content="{{.SignIn.DevSubject}}"`},
	{`name="broadsheet-provider" content=""`, `name="broadsheet-provider" content="{{.SignIn.Provider}}"`},
	{`<div id="app">`, `<div id="app">{{if .Name}}{{template "page" .}}{{else}}`},
	{`</noscript>`, `</noscript>{{end}}`},
	{`</body>`, `{{with .Sent}}<script type="application/json" id="sent">{{.}}</script>{{end}}</body>`},
}

func newTemplate() *template.Template {
	text := string(built.Read(indexName))
	for _, place := range places {
		before, after, found := strings.Cut(text, place[0])
		if !found {
			panic("web: the build's page lacks " + place[0])
		}
		text = before + place[1] + after
	}
	page := template.New("").Funcs(template.FuncMap{"path": pathOf, "day": day, "month": monthName, "minutes": minutes, "long": long, "markdown": markdown})
	return template.Must(template.Must(page.Parse(viewFile)).Parse(text))
}

// html returns a page that shows a view.
func (a *App) html(v *view) []byte {
	v.SignIn = a.signIn
	var page bytes.Buffer
	if err := a.page.Execute(&page, v); err != nil {
		panic(err) // it writes to memory, and the template is built in: every test sees it
	}
	return page.Bytes()
}
