package web

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"time"
)

// Where programs read of posts. A user's feed is below the user's page.
const (
	feedPath    = "/feed.atom"
	sitemapPath = "/sitemap.xml"
)

func authorFeed(username string) string { return pathOf("user", username) + feedPath }

// feeds returns what programs read of posts, by the patterns of [http.ServeMux].
func feeds() map[string]View {
	return map[string]View{
		"GET " + feedPath: feed{},
		"GET " + patternOf(routes["user"]) + feedPath: feed{author: "username"},
		"GET " + sitemapPath:                          sitemap{},
	}
}

// listed are fields that stand in the list's own table: a page of them is one partition.
const listed = " { edges { node { id title summary createdAt updatedAt author { username displayName } } } pageInfo { hasNextPage endCursor } }"

// decodedList returns the list of an answer, nil if there is none.
func decodedList(data json.RawMessage) (*list[post], error) {
	var answer struct{ Feed, UserPosts *list[post] }
	err := json.Unmarshal(data, &answer)
	return cmp.Or(answer.Feed, answer.UserPosts), err
}

// programs is what views have in common that are for programs.
type programs struct{}

// Fails is a method of [View].
func (programs) Fails(status int) Shown {
	return Shown{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(http.StatusText(status) + "\n")}
}

// encoded returns XML as an answer. Characters that XML has not become U+FFFD.
func encoded(mediaType string, document any) (Shown, error) {
	text, err := xml.Marshal(document)
	text = append([]byte(xml.Header), text...)
	return Shown{http.StatusOK, mediaType + "; charset=utf-8", text, text}, err
}

// feed is a list of posts in Atom (RFC 4287). Its older entries are in archives, each of which names the
// one before (RFC 5005, section 4): what follows a cursor stays the same, but for edits and deletions.
type feed struct {
	programs
	author string // the name of its variable; empty: it is of all authors
}

// Asks is a method of [View].
func (f feed) Asks(r *http.Request) (query string, variables map[string]any) {
	variables = map[string]any{}
	if after := r.URL.Query().Get("after"); after != "" {
		variables["after"] = after
	}
	if f.author == "" {
		return "query AtomFeed($after: String) { feed(first: 20, after: $after)" + listed + " }", variables
	}
	variables[f.author] = r.PathValue(f.author)
	return "query AtomOfAuthor($username: String!, $after: String) { userPosts(username: $username, first: 20, after: $after)" + listed + " }", variables
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	History string      `xml:"xmlns:fh,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated time.Time   `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Archive *struct{}   `xml:"fh:archive"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string    `xml:"id"`
	Title     string    `xml:"title"`
	Link      atomLink  `xml:"link"`
	Published time.Time `xml:"published"`
	Updated   time.Time `xml:"updated"`
	Author    string    `xml:"author>name"`
	Page      string    `xml:"author>uri"`
	Summary   string    `xml:"summary"`
}

const mediaAtom = "application/atom+xml"

// Shows is a method of [View].
func (f feed) Shows(r *http.Request, base string, data json.RawMessage) (Shown, error) {
	posts, err := decodedList(data)
	if err != nil {
		return Shown{}, err
	}
	if posts == nil {
		return f.Fails(http.StatusNotFound), nil
	}
	title, page := publication, routes["feed"]
	if f.author != "" {
		name := r.PathValue(f.author)
		title, page = name+" · "+publication, pathOf("user", name)
	}
	current := base + r.URL.EscapedPath()
	archive := func(after string) string { return current + "?after=" + url.QueryEscape(after) }
	document := atomFeed{
		History: "http://purl.org/syndication/history/1.0", ID: current, Title: title, Updated: time.Unix(0, 0).UTC(),
		Links: []atomLink{{"alternate", "text/html", base + page}},
	}
	if after := r.URL.Query().Get("after"); after == "" {
		document.Links = append(document.Links, atomLink{"self", mediaAtom, current})
	} else {
		document.Archive = &struct{}{}
		document.Links = append(document.Links, atomLink{"self", mediaAtom, archive(after)}, atomLink{"current", mediaAtom, current})
	}
	if posts.PageInfo.HasNextPage {
		document.Links = append(document.Links, atomLink{"prev-archive", mediaAtom, archive(posts.PageInfo.EndCursor)})
	}
	for _, edge := range posts.Edges {
		entry := entryOf(&edge.Node, base)
		document.Entries = append(document.Entries, entry)
		if entry.Updated.After(document.Updated) {
			document.Updated = entry.Updated
		}
	}
	return encoded(mediaAtom, document)
}

func entryOf(p *post, base string) atomEntry {
	address := base + pathOf("post", p.ID)
	return atomEntry{
		ID: address, Title: p.Title, Link: atomLink{"alternate", "text/html", address}, Published: p.CreatedAt, Updated: p.UpdatedAt,
		Author: p.Author.Shown(), Page: base + pathOf("user", p.Author.Username), Summary: p.Summary,
	}
}

// sitemap names the newest posts, and where the older ones are (sitemaps.org).
type sitemap struct{ programs }

// Asks is a method of [View].
func (sitemap) Asks(*http.Request) (query string, variables map[string]any) {
	return "query Sitemap { feed(first: 100) { edges { node { id updatedAt } } pageInfo { hasNextPage endCursor } } }", nil
}

type urlSet struct {
	XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []siteURL `xml:"url"`
}

type siteURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// Shows is a method of [View].
func (sitemap) Shows(_ *http.Request, base string, data json.RawMessage) (Shown, error) {
	posts, err := decodedList(data)
	if err != nil {
		return Shown{}, err
	}
	front := base + routes["feed"]
	document := urlSet{URLs: []siteURL{{Loc: front}}}
	for _, edge := range posts.Edges {
		document.URLs = append(document.URLs, siteURL{base + pathOf("post", edge.Node.ID), edge.Node.UpdatedAt.Format(time.RFC3339)})
	}
	if posts.PageInfo.HasNextPage {
		document.URLs = append(document.URLs, siteURL{Loc: front + "?after=" + url.QueryEscape(posts.PageInfo.EndCursor)})
	}
	return encoded("application/xml", document)
}

// Robots returns robots.txt (RFC 9309): what is read is for all, what is written on is for nobody's index.
func Robots(base string) []byte {
	return []byte("User-agent: *\nDisallow: /graphql\nDisallow: /playground\nDisallow: /posts/*/edit\nDisallow: /write\n" +
		"Disallow: /settings\nDisallow: /sign-in\n\nSitemap: " + base + sitemapPath + "\n")
}
