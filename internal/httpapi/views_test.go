package httpapi_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// read gets an address as a reader without a script does, with headers in pairs.
func (s server) read(t *testing.T, target string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.do(t, r)
}

// published is an API with a user and posts, newest last, of which the last has comments.
type published struct {
	server
	posts []string // ids
}

// viewed has a server end before its store: lists say where streams begin, which a hub follows.
func viewed(t *testing.T, s server) server {
	t.Helper()
	t.Cleanup(s.Drain)
	return s
}

func publishing(t *testing.T, c httpapi.Config, posts, comments int) published {
	t.Helper()
	p := published{server: viewed(t, with(t, c))}
	write := func(mutation string) (made struct{ ID string }) {
		var data map[string]map[string]struct{ ID string }
		p.query(t, "mutation {"+mutation+"}", "Authorization", "Bearer alice").decodedInto(&data)
		for _, payload := range data {
			for _, made := range payload {
				return made
			}
		}
		t.Fatal(mutation)
		return made
	}
	write(`createUser(input: {username: "alice", displayName: "Alice <A>", bio: "Writes & reads."}) {user {id}}`)
	for number := range posts {
		text := fmt.Sprintf("Number *%d* & more.\n\n<script>alert(1)</script>", number)
		p.posts = append(p.posts, write(fmt.Sprintf(`createPost(input: {title: "Post <%d>", content: %s}) {post {id}}`, number, quoted(text))).ID)
	}
	for number := range comments {
		write(fmt.Sprintf(`createComment(input: {postId: "%s", content: "Said <%d>"}) {comment {id}}`, p.posts[posts-1], number))
	}
	return p
}

func quoted(text string) string {
	literal, _ := json.Marshal(text)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(literal))
}

func (p published) last() string { return p.posts[len(p.posts)-1] }

// sentWith is what a page has for the app.
func sentWith(t *testing.T, page string) (sent struct {
	Page      string
	Variables json.RawMessage
	Data      json.RawMessage
}) {
	t.Helper()
	match := regexp.MustCompile(`<script type="application/json" id="sent">(.*)</script>`).FindStringSubmatch(page)
	if match == nil {
		t.Fatal("nothing is sent with the page:", page)
	}
	if err := json.Unmarshal([]byte(match[1]), &sent); err != nil {
		t.Fatal(err, match[1])
	}
	return sent
}

// The app's pages have their text, what others show of them, and the answer to their query.
func TestPagesHaveTheirText(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{PublicURL: "https://blog.example.org"}, 3, 2)
	text, err := os.ReadFile("../../web/dist/pages.json")
	if err != nil {
		t.Fatal(err)
	}
	var built map[string]struct{ Query string }
	if err := json.Unmarshal(text, &built); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		address string
		has     []string
	}{
		"feed": {"/", []string{
			"<title>Broadsheet</title>", `<h2 dir="auto"><a href="/posts/` + p.last() + `">Post &lt;2&gt;</a></h2>`, "Number 0 &amp; more.", `<span class="count">2</span> comments`,
			`<link rel="canonical" href="https://blog.example.org/"`, `property="og:type" content="website"`, `href="/feed.atom"`,
		}},
		"post": {"/posts/" + p.last(), []string{
			"<title>Post &lt;2&gt; · Broadsheet</title>", `<h1 dir="auto">Post &lt;2&gt;</h1>`, "<p>Number <em>2</em> &amp; more.</p><p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
			`<p dir="auto" class="comment-text">Said &lt;0&gt;</p>`, "2 comments", `<meta name="description" content="Number 2 &amp; more. &lt;script`, `property="og:type" content="article"`,
			`property="og:title" content="Post &lt;2&gt;"`, `<link rel="canonical" href="https://blog.example.org/posts/` + p.last() + `"`, `href="/users/alice/feed.atom"`, `rel="modulepreload"`,
		}},
		"user": {"/users/ALICE", []string{
			"<title>Alice &lt;A&gt; · Broadsheet</title>", `<h1 dir="auto">Alice &lt;A&gt;</h1>`, "Writes &amp; reads.", "Post &lt;0&gt;", `property="og:type" content="profile"`, `href="/users/alice/feed.atom"`,
			`<link rel="canonical" href="https://blog.example.org/users/alice"`, `<span class="count">0</span> followers</a>`, `href="/users/alice/following"`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.read(t, c.address)
			if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(got.header.Get("Content-Security-Policy"), "script-src 'self'") {
				t.Fatal(got.status, got.header)
			}
			for _, part := range c.has {
				if !strings.Contains(got.body, part) {
					t.Errorf("the page lacks %s", part)
				}
			}
			if t.Failed() {
				t.Log(got.body)
			}
			sent := sentWith(t, got.body)
			body, err := json.Marshal(map[string]any{"query": built[name].Query, "variables": sent.Variables})
			if err != nil {
				t.Fatal(err)
			}
			var asked struct{ Data json.RawMessage }
			if answered := p.do(t, post(string(body))); json.Unmarshal([]byte(answered.body), &asked) != nil || canonical(t, asked.Data) != canonical(t, sent.Data) || sent.Page != name {
				t.Errorf("%s: sent %s %s, asked %s", name, sent.Page, sent.Data, answered.body)
			}
		})
	}
}

func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	text, _ = json.Marshal(value)
	return string(text)
}

func TestPagesThatAreNot(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 1, 0)
	gone := p.last()
	p.query(t, `mutation {deletePost(input: {id: "`+gone+`"}) {deletedId}}`, "Authorization", "Bearer alice").want(200, "")
	for target, c := range map[string]struct {
		status int
		has    string
	}{
		"/posts/none":                  {404, "No such post"},
		"/posts/" + gone:               {404, "No such post"},
		"/users/nobody_here":           {404, "No such person"},
		"/users/-":                     {404, "No such person"},
		"/?after=none":                 {400, "Nothing here"},
		"/users/alice?after=none":      {400, "No such person"},
		"/feed.atom?after=none":        {400, "Bad Request"},
		"/users/nobody_here/feed.atom": {404, "Not Found"},
	} {
		got := p.read(t, target)
		if got.status != c.status || !strings.Contains(got.body, c.has) || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", target, got.status, got.header, got.body)
		}
		if strings.Contains(c.has, " such ") && !strings.Contains(got.body, `<a class="nameplate" href="/">`) {
			t.Errorf("%s: no header", target)
		}
	}
}

// A browser that goes to an address which is none is shown the app, and a program a line of text.
func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	s := serving(t)
	for method, title := range map[string]string{"GET": "<h1>Nothing here</h1>", "HEAD": ""} {
		got := s.do(t, to(method, "/nothing", "Accept", "text/html,*/*;q=0.8"))
		if got.status != http.StatusNotFound || got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "script-src 'self'") || !strings.Contains(got.body, title) || (got.body == "") != (title == "") {
			t.Errorf("%s: %d %v %s", method, got.status, got.header, got.body)
		}
	}
	if got := s.read(t, "/nothing"); got.status != http.StatusNotFound || got.body != "404 page not found\n" {
		t.Errorf("a program: %d %s", got.status, got.body)
	}
}

// links are the addresses of a page's links with a relation.
func links(page, rel string) (found []string) {
	for _, match := range regexp.MustCompile(`rel="`+rel+`"[^>]* href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		found = append(found, html.UnescapeString(match[1]))
	}
	return found
}

// Older posts and comments are reached by links alone, each once.
func TestOlderPagesAreLinked(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 30, 45)
	for name, c := range map[string]struct {
		address string
		item    *regexp.Regexp
		all     int
	}{
		"the feed": {"/", regexp.MustCompile(`<h2 dir="auto"><a href="[^"]*">`), 30},
		"a user":   {"/users/alice", regexp.MustCompile(`<h2 dir="auto"><a href="[^"]*">`), 30},
		"comments": {"/posts/" + p.last(), regexp.MustCompile(`Said &lt;\d+&gt;`), 45},
	} {
		var items []string
		pages := 0
		for next := c.address; next != ""; pages++ {
			got := p.read(t, next)
			if got.status != http.StatusOK || pages > 9 {
				t.Fatal(name, next, got.status)
			}
			items = append(items, c.item.FindAllString(got.body, -1)...)
			next = ""
			if after := links(got.body, "next"); len(after) > 0 {
				address, _, _ := strings.Cut(after[0], "#")
				next = c.address + address
			}
		}
		slices.Sort(items)
		if len(items) != c.all || len(slices.Compact(items)) != c.all || pages != 3 {
			t.Errorf("%s: %d items on %d pages", name, len(items), pages)
		}
	}
}

// A page that nothing changed is not sent again, whatever else was written.
func TestPagesAreRevalidated(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 2, 0)
	for _, target := range []string{"/", "/posts/" + p.posts[0], "/users/alice", "/feed.atom", "/users/alice/feed.atom", "/sitemap.xml", "/robots.txt"} {
		first := p.read(t, target)
		tag := first.header.Get("ETag")
		if tag == "" || first.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", target, first.header)
		}
		if again := p.read(t, target, "If-None-Match", tag); again.status != http.StatusNotModified || again.body != "" {
			t.Errorf("%s, again: %d", target, again.status)
		}
	}
	target := "/posts/" + p.posts[0]
	tag := p.read(t, target).header.Get("ETag")
	p.query(t, `mutation {createComment(input: {postId: "`+p.posts[1]+`", content: "Elsewhere."}) {comment {id}}}`, "Authorization", "Bearer alice").want(200, "")
	if got := p.read(t, target, "If-None-Match", tag); got.status != http.StatusNotModified {
		t.Errorf("after a comment on another post: %d", got.status)
	}
	p.query(t, `mutation {likePost(input: {postId: "`+p.posts[0]+`"}) {post {id}}}`, "Authorization", "Bearer alice").want(200, "")
	if got := p.read(t, target, "If-None-Match", tag); got.status != http.StatusOK {
		t.Errorf("after a like: %d", got.status)
	}
}

// A page is the same for everybody: it is the app that has a token.
func TestPagesKnowNoViewer(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 1, 0)
	plain := p.read(t, "/")
	for _, token := range []string{"Bearer alice", "nonsense"} {
		if got := p.read(t, "/", "Authorization", token); got.status != http.StatusOK || got.header.Get("ETag") != plain.header.Get("ETag") {
			t.Errorf("%s: %d %v", token, got.status, got.header)
		}
	}
}

// If the server can't answer now, the app is sent, which goes on trying.
func TestPagesOfAServerWithoutAStore(t *testing.T) {
	t.Parallel()
	s := start(t)
	drained := viewed(t, limited(t, func(*httpapi.Config) {}))
	drained.Drain()
	if got := drained.read(t, "/"); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") != "1" {
		t.Errorf("a server that leaves: %d %v", got.status, got.header)
	}
	for _, target := range []string{"/", "/posts/x", "/users/alice"} {
		got := s.read(t, target)
		if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") != "1" || !strings.Contains(got.body, `<script type="module"`) || strings.Contains(got.body, "<main") {
			t.Errorf("%s: %d %v %s", target, got.status, got.header, got.body)
		}
	}
	if got := s.read(t, "/feed.atom"); got.status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.read(t, "/write"); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A page that no time helps is a failure of the server, and the app is sent all the same.
func TestPagesBeyondTheComplexity(t *testing.T) {
	t.Parallel()
	s := viewed(t, limited(t, func(c *httpapi.Config) { c.Limits[limit.Cost] = 1 }))
	for _, target := range []string{"/", "/feed.atom"} {
		got := s.read(t, target)
		if got.status != http.StatusInternalServerError || got.header.Get("Retry-After") != "" || got.header.Get("Cache-Control") != "no-store" ||
			strings.Contains(got.body, `<script type="module"`) != (target == "/") {
			t.Errorf("%s: %d %v %s", target, got.status, got.header, got.body)
		}
	}
}

// Pages are paid for as requests of a client without a token.
func TestPagesHaveABudget(t *testing.T) {
	t.Parallel()
	s := viewed(t, limited(t, func(c *httpapi.Config) { c.Limits[limit.Work] = 1 }))
	for range 200 {
		if got := s.read(t, "/"); got.status == http.StatusTooManyRequests {
			if got.header.Get("Retry-After") == "" || !strings.Contains(got.body, `<script type="module"`) || s.beyond(t, "work") != 1 {
				t.Error(got.header, got.body)
			}
			return
		}
	}
	t.Error("200 pages, and none was refused")
}

// The pages' documents are the program's own: no manifest has to have them.
func TestPagesBesideTrustedDocuments(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	limits := limit.Default
	trusted, err := httpapi.ReadTrustedDocuments(file, &limits, true)
	if err != nil {
		t.Fatal(err)
	}
	s := viewed(t, with(t, httpapi.Config{TrustedDocuments: trusted, TrustedDocumentsOnly: true}))
	s.query(t, names).want(200, "FORBIDDEN")
	if got := s.read(t, "/"); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A list is one partition, whoever reads it.
func TestPagesReadOnePartitionAList(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 30, 3)
	p.query(t, `mutation {likePost(input: {postId: "`+p.last()+`"}) {post {id}}}`, "Authorization", "Bearer alice").want(200, "")
	for target, want := range map[string]string{
		"/": "FeedPage code=OK statements=1 partitions=1", "/feed.atom": "AtomFeed code=OK statements=1 partitions=1", "/sitemap.xml": "Sitemap code=OK statements=1 partitions=1",
		"/users/alice":           "UserPage code=OK statements=5 partitions=5", // the user, the posts, how many follow (of nobody, also whether the user stands), and how many are followed
		"/users/alice/feed.atom": "AtomOfAuthor code=OK statements=2 partitions=2",
		"/posts/" + p.last():     "PostPage code=OK statements=3 partitions=3", // the post, its comments and its likes
	} {
		p.read(t, target)
		name, _, _ := strings.Cut(want, " ")
		lines := p.log.with("name=" + name)
		if len(lines) == 0 || !strings.Contains(lines[len(lines)-1], want) {
			t.Errorf("%s: %q", target, lines)
		}
	}
}

// atomDocument is what a feed reader sees.
type atomDocument struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Links   []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Archive *struct{} `xml:"http://purl.org/syndication/history/1.0 archive"`
	Entries []struct {
		ID     string `xml:"id"`
		Title  string `xml:"title"`
		Author string `xml:"author>name"`
	} `xml:"entry"`
}

func (d atomDocument) link(rel string) string {
	for _, link := range d.Links {
		if link.Rel == rel {
			return link.Href
		}
	}
	return ""
}

// Every post is in a feed or its archives, once.
func TestFeedsAndTheirArchives(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 50, 0)
	for _, start := range []string{"http://example.com/feed.atom", "http://example.com/users/alice/feed.atom"} {
		seen := map[string]bool{}
		documents := 0
		for next := start; next != ""; documents++ {
			got := p.read(t, next)
			var feed atomDocument
			if err := xml.Unmarshal([]byte(got.body), &feed); err != nil || got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "application/atom+xml") {
				t.Fatal(err, got.status, got.body)
			}
			if feed.link("self") != next || feed.ID != start || (feed.Archive != nil) != (next != start) || (feed.link("current") != "") != (next != start) || feed.Updated <= "2000" {
				t.Errorf("%s: %+v", next, feed)
			}
			for _, entry := range feed.Entries {
				if seen[entry.ID] || entry.Author != "Alice <A>" || !strings.HasPrefix(entry.Title, "Post <") || !strings.HasPrefix(entry.ID, "http://example.com/posts/") {
					t.Errorf("%+v", entry)
				}
				seen[entry.ID] = true
			}
			next = feed.link("prev-archive")
		}
		if len(seen) != 50 || documents != 3 {
			t.Errorf("%s: %d posts in %d documents", start, len(seen), documents)
		}
	}
}

func TestSitemapAndRobots(t *testing.T) {
	t.Parallel()
	p := publishing(t, httpapi.Config{}, 2, 0)
	var set struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(p.read(t, "/sitemap.xml").body), &set); err != nil || len(set.URLs) != 3 || set.URLs[1].Loc != "http://example.com/posts/"+p.last() {
		t.Errorf("%v %+v", err, set)
	}
	if got := p.read(t, "/robots.txt"); !strings.Contains(got.body, "\nSitemap: http://example.com/sitemap.xml\n") {
		t.Error(got.body)
	}
}

// A proxy that is trusted says by which scheme it was asked.
func TestAddressesBehindAProxy(t *testing.T) {
	t.Parallel()
	s := with(t, httpapi.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}) // httptest's
	if got := s.read(t, "/robots.txt", "X-Forwarded-Proto", "https"); !strings.Contains(got.body, "https://example.com/") {
		t.Error(got.body)
	}
	if got := with(t, httpapi.Config{}).read(t, "/robots.txt", "X-Forwarded-Proto", "https"); !strings.Contains(got.body, "http://example.com/") {
		t.Error(got.body)
	}
}

// A page costs its client, and takes of the memory for answers, what painting its texts takes. The same data
// without a page cost less, and have room.
func TestPagesArePaidForAndHaveRoom(t *testing.T) {
	t.Parallel()
	const longText, unit = 64_000, 4 << 10
	for room, want := range map[int]int{64 << 20: http.StatusOK, 512 << 10: http.StatusServiceUnavailable} {
		s := viewed(t, limited(t, func(c *httpapi.Config) { c.Limits[limit.Work], c.Limits[limit.Answers] = workRate, float64(room) }))
		var made struct {
			CreatePost struct{ Post struct{ ID string } }
		}
		s.query(t, `mutation {createUser(input: {username: "alice", displayName: "A"}) {user {id}}}`, "Authorization", "Bearer alice").want(200, "")
		s.query(t, fmt.Sprintf(`mutation {createPost(input: {title: "T", content: %q}) {post {id}}}`, strings.Repeat("x ", longText/2)), "Authorization", "Bearer alice").decodedInto(&made)
		id := made.CreatePost.Post.ID
		for range 12 {
			s.query(t, fmt.Sprintf(`mutation {createComment(input: {postId: %q, content: %q}) {comment {id}}}`, id, strings.Repeat("y ", 4500)), "Authorization", "Bearer alice").want(200, "")
		}
		left := func() (units int) {
			got := s.query(t, "{__typename}", "Accept", "application/json")
			if _, err := fmt.Sscanf(got.header.Get("RateLimit"), `"work";r=%d;`, &units); err != nil {
				t.Fatal(err, got.header)
			}
			return units
		}
		const data = longText + 12*9000
		before := left()
		asked := s.query(t, fmt.Sprintf(`{post(id: %q) {content comments(first: 20) {edges {node {content}}}}}`, id))
		if asked.want(200, ""); len(asked.body) < data {
			t.Fatal(len(asked.body))
		}
		between, began := left(), time.Now()
		got := s.read(t, "/posts/"+id)
		after := left()
		if got.status != want || want != http.StatusOK && (got.header.Get("Retry-After") == "" || strings.Contains(got.body, "<main")) {
			t.Errorf("with room for %d bytes: %d %v", room, got.status, got.header)
		}
		// Some of the budget comes back meanwhile.
		query, page := before-between, between-after+int(workRate*time.Since(began).Seconds())+1
		if page-query < 3*data/unit {
			t.Errorf("a page of %d bytes cost %d, its data %d", data, page, query)
		}
	}
}
