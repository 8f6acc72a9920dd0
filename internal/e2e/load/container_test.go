package load

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/graphqlws"
)

// container is the memory, in bytes, of the container that docs/operations.md shows a recipe for.
const container = 256 << 20

var recipe = []string{"--limit", "answers=67108864", "--limit", "bodies=33554432"}

// TestSmallContainer has one address ask for the largest answers, read nothing of them, and send
// large bodies slowly: the process stays within the container, and others are served meanwhile.
func TestSmallContainer(t *testing.T) {
	p := harness.LaunchContained(t, append(recipe, "--data-dir", t.TempDir())...)
	h := &hostile{Process: p}
	post := h.wide()
	wide := widely(`comments(postId: "` + post + `", first: 100)`)
	readAll := func(subject string) {
		t.Helper()
		if got := h.As(subject, wide, "").OK(); len(got.Text) < 14_000_000 || len(got.Text) > 16<<20 {
			t.Errorf("the answer has %d bytes", len(got.Text))
		}
	}
	readAll("")
	var left sync.WaitGroup
	for i := range 12 {
		askOn(reluctant(h.Server), "", wide+strings.Repeat(" ", i)) // or they would share one answer
		askOn(reluctant(h.Server), "mallory", `mutation {unlikePost(input: {postId: "`+post+`"}) {post `+widely("comments(first: 100)")+`}}`)
	}
	harness.Eventually(t, "an answer finds no memory", func() bool {
		return strings.Contains(h.Get("/metrics").Text, `limited_requests_total{limit="answers"}`)
	})
	readAll("bob")

	for range 100 {
		conn := h.Connect()
		left.Go(func() { // it is told no, or waits for the rest
			_ = conn.SetDeadline(time.Now().Add(harness.Soon))
			_, _ = conn.Write([]byte("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n" + strings.Repeat(" ", 1<<20-1)))
		})
	}
	left.Wait()
	harness.Eventually(t, "a body finds no memory", func() bool { return strings.Contains(h.Get("/metrics").Text, `limited_requests_total{limit="bodies"}`) })
	h.As("bob", `{viewer {id}}`+strings.Repeat(" ", 100_000), "").OK()
	if peak, bound := h.peakMemory(t), container; peak > bound && !raceDetector() {
		t.Errorf("the process held %d MB at its peak, and the container has %d", peak>>20, bound>>20)
	} else {
		t.Logf("peak memory %d MB", peak>>20)
	}
}

// wide fills a post with 100 comments of what HTML would take for its own.
func (h *hostile) wide() string {
	h.As("mallory", `mutation {createUser(input: {username: "mallory"}) {user {id} userErrors {code}}}`, "").OK()
	post := h.As("mallory", `mutation {createPost(input: {title: "Wide", content: "Wide"}) {post {id} userErrors {code}}}`, "").OK().At("data.createPost.post.id")
	for range 10 {
		h.As("mallory", `mutation($id: ID!, $text: String!) {`+repeat(10, `c%d: createComment(input: {postId: $id, content: $text}) {userErrors {code}} `)+`}`,
			`{"id": "`+post+`", "text": "`+strings.Repeat("<", 10_000)+`"}`).OK()
	}
	return post
}

// widely is a small selection of some 14 MB of comments.
func widely(comments string) string {
	return `{` + comments + ` {edges {node {` + repeat(14, "c%d: content ") + `}}}}`
}

// reluctant is a connection that takes little and reads nothing.
func reluctant(s *harness.Server) harness.Connection {
	conn := s.Connect()
	if err := conn.Conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		s.T.Fatal(err)
	}
	return conn
}

// askOn sends an operation, of a subject if there is one.
func askOn(c harness.Connection, subject, query string) {
	body, authorization := `{"query":`+harness.Quote(query)+`}`, ""
	if subject != "" {
		authorization = "Authorization: Bearer " + subject + "\r\n"
	}
	c.Send(fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", authorization, len(body), body))
}

// Streams whose client reads nothing hold no answers: 1,200 of one address, whose events would be 276 MB.
func TestStreamsThatAreNotRead(t *testing.T) {
	p := harness.LaunchContained(t, append(recipe, "--data-dir", t.TempDir())...)
	h := &hostile{Process: p}
	post := h.wide()
	h.As("bob", `mutation {createUser(input: {username: "bob"}) {user {id}}}`, "").OK()
	for range 12 {
		conn, response, err := (&websocket.Dialer{Subprotocols: []string{graphqlws.Subprotocol}}).Dial("ws"+strings.TrimPrefix(h.URL, "http")+"/graphql", nil)
		if err != nil {
			t.Fatal(err, response)
		}
		defer conn.Close()
		if err := conn.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		texts := []string{`{"type":"connection_init"}`}
		for i := range 100 { // each has a document of its own, or they would share one answer
			texts = append(texts, fmt.Sprintf(`{"id":"%d","type":"subscribe","payload":{"query":"subscription S%d {postChanged(id: \"%s\") {post {title comments(first: 23) {edges {node {content}}}}}}"}}`, i, i, post))
		}
		for _, text := range texts {
			if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	harness.Eventually(t, "an event finds no memory", func() bool {
		return strings.Contains(h.Get("/metrics").Text, `limited_requests_total{limit="answers"}`)
	})
	for range 25 {
		for _, give := range []string{"likePost", "unlikePost"} {
			h.As("bob", `mutation {`+give+`(input: {postId: "`+post+`"}) {userErrors {code}}}`, "").OK()
		}
	}
	h.As("carol", `{feed {edges {node {title}}}}`, "").OK()
	if peak, bound := h.peakMemory(t), container; peak > bound && !raceDetector() {
		t.Errorf("the process held %d MB at its peak, and the container has %d", peak>>20, bound>>20)
	} else {
		t.Logf("peak memory %d MB", peak>>20)
	}
}

// A client that does not read its large answer at a pace is cut off.
func TestAnAnswerIsReadAtAPace(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "answer_pace=1000000000").Ready()
	h := &hostile{Process: &harness.Process{Server: p}}
	askOn(reluctant(h.Server), "", widely(`comments(postId: "`+h.wide()+`", first: 100)`))
	harness.EventuallyEvery(t, 100*time.Millisecond, "the request ends, though its client reads nothing", func() bool {
		return strings.Contains(h.Get("/metrics").Text, "\nbroadsheet_http_requests_in_flight 1\n") && strings.Contains(p.Log.String(), http.MethodPost)
	})
}
