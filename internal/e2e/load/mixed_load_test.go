package load

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/storetest"
)

const soakClients = 64

// mixedLoad asks for everything that a server answers, and for what it refuses, with
// soakClients connections.
type mixedLoad struct {
	t    *testing.T
	p    *harness.Process
	seed uint64

	mu    sync.Mutex
	posts []string // ids of the last ones
	names []string // of users
}

func newMixedLoad(t *testing.T, p *harness.Process) *mixedLoad {
	return &mixedLoad{t: t, p: p, seed: storetest.Seed(t)}
}

// start begins. over ends it, and tells what was done.
func (m *mixedLoad) start() (over func() outcomes) {
	end := make(chan struct{})
	var asking sync.WaitGroup
	clients := make([]*mixedClient, soakClients)
	for i := range clients {
		c := &mixedClient{
			mixedLoad: m, Rand: rand.New(rand.NewPCG(m.seed, uint64(i))), n: i,
			http: &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: harness.Soon}, did: outcomes{kind: map[string]int{}},
		}
		clients[i] = c
		asking.Go(func() {
			defer c.http.CloseIdleConnections()
			for {
				select {
				case <-end:
					return
				default:
					c.step()
				}
			}
		})
	}
	return func() outcomes {
		close(end)
		asking.Wait()
		sum := outcomes{kind: map[string]int{}}
		for _, c := range clients {
			sum.n += c.did.n
			for kind, n := range c.did.kind {
				sum.kind[kind] += n
			}
		}
		return sum
	}
}

// mixedClient is one connection. It is one subject for a while, then another.
type mixedClient struct {
	*mixedLoad
	*rand.Rand
	n    int
	http *http.Client
	did  outcomes

	subjects, texts int
	subject, name   string
	posts, comments []string // its own, the last ones
}

const (
	postFields = `id title excerpt createdAt version commentCount likeCount author {id username}`
	commonness = 0.5 // the part of reads that are of few posts
)

// step makes one request, or for a new subject two.
func (c *mixedClient) step() {
	if c.subject == "" || c.IntN(100) == 0 {
		c.become()
	}
	switch draw := c.IntN(100); {
	case draw < 58:
		c.read()
	case draw < 66:
		c.ownText()
	case draw < 70:
		c.persisted()
	case draw < 74:
		c.refused()
	default:
		c.write()
	}
}

// become makes the client another subject, with an account.
func (c *mixedClient) become() {
	c.subjects++
	c.subject, c.name = fmt.Sprintf("soak|%d|%d", c.n, c.subjects), fmt.Sprintf("s%d_%d", c.n, c.subjects)
	c.posts, c.comments = nil, nil
	c.mutate("createUser", `user {id}`, `{"username": "`+c.name+`", "displayName": "Soak", "bio": `+harness.Quote(c.words(200))+`}`)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = lately(c.names, c.name, 1000)
}

func (c *mixedClient) read() {
	post, name := c.post(), c.userName()
	page := []int{5, 20, 20, 100}[c.IntN(4)]
	kinds := []struct{ kind, query, variables string }{
		{"user", `query User($n: String!) {user(username: $n) {id username displayName bio createdAt}}`, `{"n": "` + name + `"}`},
		{"post", `query Post($id: ID!) {post(id: $id) {` + postFields + ` content viewerHasLiked}}`, `{"id": "` + post + `"}`},
		{"userPosts", `query Posts($n: String!, $f: Int!) {userPosts(username: $n, first: $f) {edges {cursor node {` + postFields + `}} pageInfo {hasNextPage endCursor}}}`, fmt.Sprintf(`{"n": "%s", "f": %d}`, name, page)},
		{"comments", `query Comments($id: ID!, $f: Int!) {comments(postId: $id, first: $f) {totalCount edges {cursor node {id content author {id username}}}}}`, fmt.Sprintf(`{"id": "%s", "f": %d}`, post, page)},
		{"likes", `query Likes($id: ID!, $f: Int!) {likes(postId: $id, first: $f) {totalCount edges {node {id user {id username}}}}}`, fmt.Sprintf(`{"id": "%s", "f": %d}`, post, page)},
		{"feed", `query Feed($f: Int!) {feed(first: $f) {edges {cursor node {` + postFields + `}} pageInfo {hasNextPage endCursor}}}`, fmt.Sprintf(`{"f": %d}`, page)},
		{"nested", `query Nested {feed(first: 20) {edges {node {` + postFields + ` comments(first: 5) {edges {node {id content author {username displayName}}}}}}}}`, ``},
		{"viewer", `query Viewer {viewer {id username email posts(first: 5) {edges {node {id title}}} comments(first: 5) {edges {node {id post {title}}}}}}`, ``},
	}
	k := kinds[c.IntN(len(kinds))]
	c.ask(k.kind, request{Query: k.query, Variables: json.RawMessage(k.variables)})
}

// ownText sends a document that nobody has sent before, of up to some hundred fields.
func (c *mixedClient) ownText() {
	c.ask("own text", request{Query: c.newText()})
}

func (c *mixedClient) newText() string {
	c.texts++
	return fmt.Sprintf(`query Own_%d_%d {feed(first: %d) {edges {node {%s}}}}`, c.n, c.texts, 1+c.IntN(5), strings.Repeat("id title author {username} ", 1+c.IntN(100)))
}

// persisted sends a document with its hash, then the hash alone.
func (c *mixedClient) persisted() {
	text := c.newText()
	sum := sha256.Sum256([]byte(text))
	r := request{Query: text, Extensions: map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(sum[:])}}}
	c.ask("persisted", r)
	r.Query = ""
	c.ask("by its hash", r)
}

// refused asks for what no client is given.
func (c *mixedClient) refused() {
	c.texts++
	deep := strings.Repeat("{author ", 30) + "{id}" + strings.Repeat("}", 30)
	texts := []string{
		fmt.Sprintf(`query R%d_%d {feed {edges {node %s}}}`, c.n, c.texts, deep),
		fmt.Sprintf(`query R%d_%d {feed(first: 100) {edges {node {comments(first: 100) {edges {node {post {content}}}}}}}}`, c.n, c.texts),
		fmt.Sprintf(`query R%d_%d {%s}`, c.n, c.texts, strings.Repeat("__typename ", 12000)),
		fmt.Sprintf(`{nothing_%d_%d}`, c.n, c.texts),
		`{feed(`,
		strings.Repeat(" ", 1<<20),
		`{post(id: "none of ours") {id}}`,
	}
	c.ask("refused", request{Query: texts[c.IntN(len(texts))]})
}

func (c *mixedClient) write() {
	post := c.post()
	switch draw := c.IntN(100); {
	case draw < 12 || post == "":
		key := ""
		if c.IntN(2) == 0 {
			key = fmt.Sprintf(`, "idempotencyKey": "%d-%d"`, c.n, c.did.n)
		}
		if made := c.mutate("createPost", `post {id}`, `{"title": `+harness.Quote(c.words(60))+`, "content": `+harness.Quote(c.words(c.length(60_000)))+key+`}`); made != "" {
			c.posts = lately(c.posts, made, 20)
			c.mu.Lock()
			c.mixedLoad.posts = lately(c.mixedLoad.posts, made, 5000)
			c.mu.Unlock()
		}
	case draw < 40:
		if made := c.mutate("createComment", `comment {id}`, `{"postId": "`+post+`", "content": `+harness.Quote(c.words(c.length(10_000)))+`}`); made != "" {
			c.comments = lately(c.comments, made, 20)
		}
	case draw < 65:
		c.mutate("likePost", `like {id}`, `{"postId": "`+post+`"}`)
	case draw < 72:
		c.mutate("unlikePost", `deletedId`, `{"postId": "`+post+`"}`)
	case draw < 80 && len(c.comments) > 0:
		c.mutate("updateComment", `comment {id}`, `{"id": "`+c.comments[c.IntN(len(c.comments))]+`", "content": `+harness.Quote(c.words(100))+`}`)
	case draw < 86 && len(c.comments) > 0:
		c.mutate("deleteComment", `deletedId`, `{"id": "`+take(c.Rand, &c.comments)+`"}`)
	case draw < 92 && len(c.posts) > 0:
		c.mutate("updatePost", `post {id}`, `{"id": "`+c.posts[c.IntN(len(c.posts))]+`", "content": `+harness.Quote(c.words(c.length(60_000)))+`}`)
	case draw < 96 && len(c.posts) > 0:
		c.mutate("deletePost", `deletedId`, `{"id": "`+take(c.Rand, &c.posts)+`"}`)
	case draw >= 96:
		c.mutate("updateUser", `user {id}`, fmt.Sprintf(`{"username": "r%d_%d"}`, c.n, c.did.n))
	}
}

// request is the body of a POST.
type request struct {
	Query      string          `json:"query,omitempty"`
	Variables  json.RawMessage `json:"variables,omitempty"`
	Extensions map[string]any  `json:"extensions,omitempty"`
}

// mutate makes a command and returns the id that it tells, "" where it wrote nothing.
func (c *mixedClient) mutate(command, wanted, input string) (id string) {
	input0 := strings.ToUpper(command[:1]) + command[1:] + "Input"
	text := c.ask(command, request{
		Query:     "mutation " + command + "($i: " + input0 + "!) {made: " + command + "(input: $i) {" + wanted + " userErrors {code}}}",
		Variables: json.RawMessage(`{"i": ` + input + `}`),
	})
	_, after, found := bytes.Cut(text, []byte(`"id":"`))
	if !found {
		return ""
	}
	made, _, _ := bytes.Cut(after, []byte(`"`))
	return string(made)
}

// ask makes a request, and notes what came of it.
func (c *mixedClient) ask(kind string, r request) []byte {
	body, err := json.Marshal(r)
	if err != nil {
		c.t.Error(err)
	}
	sent, err := http.NewRequest(http.MethodPost, c.p.URL+"/graphql", bytes.NewReader(body))
	if err != nil {
		c.t.Error(err)
	}
	sent.Header.Set("Content-Type", "application/json")
	if kind != "feed" { // which anybody reads
		sent.Header.Set("Authorization", "Bearer "+c.subject)
	}
	response, err := c.http.Do(sent)
	if err != nil {
		c.t.Errorf("%s: %v", kind, err)
		time.Sleep(100 * time.Millisecond)
		return nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Errorf("%s: %v", kind, err)
	}
	code := codeIn(text)
	c.did.add(kind, code)
	if code == "INTERNAL_SERVER_ERROR" || kind != "refused" && code == "BAD_REQUEST" {
		c.t.Errorf("%s: %d %.300s", kind, response.StatusCode, text)
	}
	return text
}

// codeIn returns the first code of an error in an answer, OK where there is none.
func codeIn(text []byte) string {
	_, after, found := bytes.Cut(text, []byte(`"code":"`))
	if !found {
		return "OK"
	}
	code, _, _ := bytes.Cut(after, []byte(`"`))
	return string(code)
}

// post returns the id of a post: half of the time of one of few.
func (c *mixedClient) post() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	posts := c.mixedLoad.posts
	if c.Float64() < commonness {
		posts = posts[max(0, len(posts)-50):]
	}
	if len(posts) == 0 {
		return ""
	}
	return posts[c.IntN(len(posts))]
}

func (c *mixedClient) userName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names[c.IntN(len(c.names))]
}

// length draws a length of a text: most are short, one in fifty is as long as may be.
func (c *mixedClient) length(most int) int {
	if c.IntN(50) == 0 {
		return most
	}
	return 20 + c.IntN(1000)
}

// words returns a text of so many bytes.
func (c *mixedClient) words(length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyz      "[c.IntN(32)]
	}
	text[0] = 'A'
	return string(text)
}

// lately returns a list with one more, and at most so many.
func lately(list []string, one string, most int) []string {
	if list = append(list, one); len(list) > most {
		list = append(list[:0], list[1:]...)
	}
	return list
}

// take removes any one of a list.
func take(random *rand.Rand, list *[]string) string {
	i := random.IntN(len(*list))
	one := (*list)[i]
	*list = append((*list)[:i], (*list)[i+1:]...)
	return one
}
