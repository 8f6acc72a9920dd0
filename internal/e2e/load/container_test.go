package load

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
)

// container is the memory, in bytes, of the container that docs/operations.md shows a recipe for.
const container = 256 << 20

// TestSmallContainer has one address ask for the largest answers, read nothing of them, and send
// large bodies slowly: the process stays within the container, and others are served meanwhile.
func TestSmallContainer(t *testing.T) {
	p := harness.LaunchContained(t, "--data-dir", t.TempDir(), "--limit", "answers=67108864", "--limit", "bodies=33554432")
	h := &hostile{Process: p}
	wide := h.wide()
	readAll := func(subject string) {
		t.Helper()
		if got := h.As(subject, wide, "").OK(); len(got.Text) < 14_000_000 || len(got.Text) > 16<<20 {
			t.Errorf("the answer has %d bytes", len(got.Text))
		}
	}
	readAll("")
	var left sync.WaitGroup
	for i := range 12 {
		askOn(reluctant(h.Server), wide+strings.Repeat(" ", i)) // or they would share one answer
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

// wide fills a post with 100 comments of what HTML would take for its own, and returns a small
// query of some 14 MB of them.
func (h *hostile) wide() string {
	h.As("mallory", `mutation {createUser(input: {username: "mallory"}) {user {id} userErrors {code}}}`, "").OK()
	post := h.As("mallory", `mutation {createPost(input: {title: "Wide", content: "Wide"}) {post {id} userErrors {code}}}`, "").OK().At("data.createPost.post.id")
	for range 10 {
		h.As("mallory", `mutation($id: ID!, $text: String!) {`+repeat(10, `c%d: createComment(input: {postId: $id, content: $text}) {userErrors {code}} `)+`}`,
			`{"id": "`+post+`", "text": "`+strings.Repeat("<", 10_000)+`"}`).OK()
	}
	return `{comments(postId: "` + post + `", first: 100) {edges {node {` + repeat(14, "c%d: content ") + `}}}}`
}

// reluctant is a connection that takes little and reads nothing.
func reluctant(s *harness.Server) harness.Connection {
	conn := s.Connect()
	if err := conn.Conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		s.T.Fatal(err)
	}
	return conn
}

// askOn sends a query.
func askOn(c harness.Connection, query string) {
	body := `{"query":` + harness.Quote(query) + `}`
	c.Send(fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
}

// A client that does not read its large answer at a pace is cut off.
func TestAnAnswerIsReadAtAPace(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "answer_pace=1000000000").Ready()
	h := &hostile{Process: &harness.Process{Server: p}}
	askOn(reluctant(h.Server), h.wide())
	harness.EventuallyEvery(t, 100*time.Millisecond, "the request ends, though its client reads nothing", func() bool {
		return strings.Contains(h.Get("/metrics").Text, "\nbroadsheet_http_requests_in_flight 1\n") && strings.Contains(p.Log.String(), http.MethodPost)
	})
}
