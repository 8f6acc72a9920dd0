package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// View is an address whose content is the answer to one query.
type View interface {
	// Asks returns the query, and its variables as a request has them.
	Asks(r *http.Request) (query string, variables map[string]any)
	// Shows returns what is answered with the query's data. base is the server's address: https://blog.example.org.
	Shows(r *http.Request, base string, data json.RawMessage) (Shown, error)
	// Fails returns what is answered, with a status, where there are no data.
	Fails(status int) Shown
}

// Shown is an answer.
type Shown struct {
	Status      int
	ContentType string
	Body        []byte
	Version     []byte // what its entity tag follows from; nil: no cache may keep it
}

const mediaHTML = "text/html; charset=utf-8"

// page is what the build knows of a page that is painted.
type page struct {
	Query   string   // with the fields that the app's cache needs
	Scripts []string // that the page needs beside the first
}

// pages are those that are painted, by their names in routes.json.
var pages = decoded[map[string]page](built.Read(pagesName))

// Views returns what is made of queries' answers, by the patterns of [http.ServeMux].
func (a *App) Views() map[string]View {
	views := feeds()
	for name := range pages {
		views["GET "+patternOf(routes[name])] = painted{a, name}
	}
	return views
}

// painted is a page of the app with its text, for readers without scripts, and with the query's answer, for the app to
// begin with. It is the same for everybody: the app asks for what depends on its viewer.
type painted struct {
	*App
	name string
}

// Asks is a method of [View].
func (p painted) Asks(r *http.Request) (query string, variables map[string]any) {
	variables = map[string]any{}
	for _, match := range parameter.FindAllStringSubmatch(routes[p.name], -1) {
		variables[match[1]] = r.PathValue(match[1])
	}
	if after := r.URL.Query().Get("after"); after != "" {
		variables["after"] = after
	}
	if month := p.month(r); month != "" {
		variables["createdFrom"], variables["createdTo"] = beginOf(month), beginOf(monthAfter(month, 1))
	}
	return pages[p.name].Query, variables
}

// month is of whose posts a page is; empty: of all.
func (p painted) month(r *http.Request) string {
	if p.name == "post" {
		return ""
	}
	return r.URL.Query().Get("month")
}

func beginOf(month string) string { return month + "-01T00:00:00.000Z" }

// monthAfter is the month so many later, as in 2026-03. What is no month stays, for the query to refuse it.
func monthAfter(month string, n int) string {
	begin, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return begin.AddDate(0, n, 0).Format("2006-01")
}

// liveCursor moves with each write. An older one is as good as long as the rest of an answer stays.
var liveCursor = regexp.MustCompile(`"liveCursor":"[^"]*"`)

// Shows is a method of [View].
func (p painted) Shows(r *http.Request, base string, data json.RawMessage) (Shown, error) {
	_, variables := p.Asks(r)
	v := &view{
		Name: p.name, Base: base, Address: base + r.URL.EscapedPath(), Scripts: pages[p.name].Scripts,
		After: r.URL.Query().Get("after"), Month: p.month(r), Today: time.Now(), Sent: &sent{p.name, variables, data},
	}
	if err := json.Unmarshal(data, &v.answer); err != nil {
		return Shown{}, err
	}
	if !v.describe() {
		v.miss(missing[p.name])
		return Shown{Status: http.StatusNotFound, ContentType: mediaHTML, Body: p.html(v)}, nil
	}
	v.Address += queryOf(v.After, v.Month)
	body := p.html(v)
	return Shown{http.StatusOK, mediaHTML, body, liveCursor.ReplaceAll(body, nil)}, nil
}

// Fails is a method of [View]. If the server failed the app goes on trying.
func (p painted) Fails(status int) Shown {
	v := &view{}
	if status == http.StatusBadRequest || status == http.StatusNotFound {
		v.miss(missing[p.name])
	}
	return Shown{Status: status, ContentType: mediaHTML, Body: p.html(v)}
}

// absence says that there is nothing to show.
type absence struct{ Title, Text string }

// nowhere is what an address shows that is none.
var nowhere = absence{"Nothing here", "No page has this address."}

// missing is what pages say that have nothing to show.
var missing = map[string]absence{
	"feed": nowhere,
	"post": {"No such post", "It was deleted, or never was."},
	"user": {"No such person", "Nobody has this name now."},
}

func titleOf(title string) string { return title + " · " + publication }

const (
	publication = "Broadsheet"
	description = "A publication that everybody may read and write."
)

// view is what the template shows.
type view struct {
	answer
	Name   string // of what is painted; empty: nothing, the page is its scripts'
	SignIn SignIn

	Title, Description, Kind string // Kind is Open Graph's type; empty: the page is none to share
	Base, Address            string // the server's, and the page's
	Feed                     string // the path of an author's feed; empty: there is none
	After                    string // the cursor behind which the list begins; empty: at its beginning
	Month                    string // of whose posts it is; empty: of all
	Scripts                  []string
	Missing                  absence
	Today                    time.Time
	Sent                     *sent
}

// sent is the answer as the app takes it.
type sent struct {
	Page      string          `json:"page"`
	Variables map[string]any  `json:"variables"`
	Data      json.RawMessage `json:"data"`
}

// answer is the data of a query, as far as they are painted.
type answer struct {
	Posts *list[post] `json:"feed"`
	Post  *post
	User  *user
}

type list[T any] struct {
	Edges      []struct{ Node T }
	TotalCount int
	PageInfo   pageInfo
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   string
}

type post struct {
	ID, Title, Summary, Content string
	CreatedAt, UpdatedAt        time.Time
	CommentCount, LikeCount     int
	WordCount                   int
	Author                      user
	Group                       *struct{ Name, Title string }
	Comments                    list[comment]
	Likes                       list[struct{ User user }]
}

type comment struct {
	ID, Content          string
	CreatedAt, UpdatedAt time.Time
	Author               user
}

type user struct {
	Username, DisplayName, Bio string
	CreatedAt                  time.Time
	FollowerCount              int
	FollowingCount             int
	Posts                      list[post]
}

// Shown is the user's name for readers.
func (u *user) Shown() string {
	if u.DisplayName != "" {
		return u.DisplayName
	}
	return u.Username
}

// Others is how many more there are in the whole list.
func (l list[T]) Others() int { return l.TotalCount - len(l.Edges) }

// queryOf is the query of a page with another list; empty: it is the list from its beginning, of all months.
func queryOf(after, month string) string {
	query := url.Values{"after": {after}, "month": {month}}
	maps.DeleteFunc(query, func(_ string, values []string) bool { return values[0] == "" })
	return strings.TrimSuffix("?"+query.Encode(), "?")
}

// Older is the address of the list's next page; empty: there is none.
func (v *view) Older(page pageInfo) string {
	if !page.HasNextPage {
		return ""
	}
	return queryOf(page.EndCursor, v.Month)
}

// Months are the month's neighbours, and the same of other years.
func (v *view) Months() (all []string) {
	for _, n := range []int{-12, -1, 1, 12} {
		if month := monthAfter(v.Month, n); month <= v.ThisMonth() {
			all = append(all, month)
		}
	}
	return all
}

// ThisMonth is the newest that has posts.
func (v *view) ThisMonth() string { return v.Today.UTC().Format("2006-01") }

// monthName is a month as it is said: March 2026.
func monthName(month string) string {
	begin, err := time.Parse("2006-01", month)
	if err != nil {
		return "No such month"
	}
	return begin.Format("January 2006")
}

// miss makes a page of an absence.
func (v *view) miss(a absence) {
	v.Name, v.Title, v.Missing = "missing", titleOf(a.Title), a
}

// describe fills in what the head says of the page, and is false if there is nothing to show.
func (v *view) describe() bool {
	switch {
	case v.Posts != nil:
		v.Title, v.Description, v.Kind = publication, description, "website"
	case v.Post != nil:
		v.Title, v.Description, v.Kind = titleOf(v.Post.Title), v.Post.Summary, "article"
		v.Feed = authorFeed(v.Post.Author.Username)
	case v.User != nil:
		v.Title, v.Description, v.Kind = titleOf(v.User.Shown()), cmp.Or(strings.Join(strings.Fields(v.User.Bio), " "), description), "profile"
		v.Address, v.Feed = v.Base+pathOf("user", v.User.Username), authorFeed(v.User.Username) // a request may have other letter cases
	default:
		return false
	}
	return true
}

// minutes is how long so many words are read, as reading-time.tsx has it.
func minutes(words int) int { return max(1, (words+115)/230) }

// long is a comment whose beginning is shown at first, as comment-text.tsx has it.
func long(text string) bool {
	return strings.Count(text, "\n") >= 16 || utf8.RuneCountInString(text) > 1200
}

// day is a date as the app says it, without the time: that depends on who reads.
func day(t time.Time) string { return t.UTC().Format("2 Jan 2006") }
