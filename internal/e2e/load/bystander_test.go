package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// A client that asks for what a server takes longest to answer, as often as its limits let it, makes others wait
// at most three times as long as they do when it is quiet, or as those of another server do, with which this one
// shares the machine, and the node where there is one; and the server stays within the container.
func TestSoakBystander(t *testing.T) {
	storetest.Soaks(t)
	t.Run("embedded", func(t *testing.T) {
		bystanders(t, true, []string{"--data-dir", t.TempDir()}, []string{"--data-dir", t.TempDir()})
	})
	t.Run("Cassandra", func(t *testing.T) {
		store := harness.On(testkeyspace.Name(t), "--migrate")
		bystanders(t, true, store, store)
	})
}

// TestBystander is TestSoakBystander in small: each bystander is answered, and the server stays within the
// container. How long they wait is printed.
func TestBystander(t *testing.T) {
	t.Parallel()
	bystanders(t, false, []string{"--data-dir", t.TempDir()}, []string{"--data-dir", t.TempDir()})
}

// bystanders are those of a server on a store that is attacked, and of another server. long says whether their waits
// are measured, for which budgets have to be whole, or only that each is answered.
func bystanders(t *testing.T, long bool, store, others []string) {
	whole, quietFor, attackFor, comments := time.Duration(0), 500*time.Millisecond, time.Second, 20
	if long {
		whole, quietFor, attackFor, comments = 10*time.Second, 8*time.Second, 20*time.Second, 100
	}
	p := harness.LaunchContained(t, slices.Concat(store, []string{"--limit", "answers=67108864", "--limit", "bodies=33554432",
		"--limit", "work=1000"})...)
	h, other := &hostile{Process: p}, &hostile{Process: harness.LaunchContained(t, others...)}
	oldest := h.As("", `{feed {liveCursor}}`, "").OK().At("data.feed.liveCursor")
	h.discussed(100, comments)
	post := h.As("", `{feed(first: 1) {edges {node {id}}}}`, "").OK().At("data.feed.edges.0.node.id")
	deep := func(fields string) string {
		return `(first: 100) {edges {node {comments(first: 100) {edges {node {` + fields + `}}}}}}`
	}
	query := func(text string) attack { return attack{kind: "query", text: text} }
	below := attack{kind: "mutation", text: `{unlikePost(input: {postId: "` + post + `"}) {post {author {posts` + deep("id") + `}}}}`, subject: "writer0"}
	onSocket := below
	onSocket.socket = true
	for name, attack := range map[string]attack{
		"15.7 MB of names of a type":            query("{feed" + deep(repeat(98, "t%d: __typename ")) + "}"),
		"authors, forty times":                  query("{feed" + deep(repeat(40, "t%d: author {username} ")) + "}"),
		"ids":                                   query("{feed" + deep("id") + "}"),
		"ten lists of a post":                   query(`{feed(first: 24) {edges {node {` + repeat(10, "c%d: comments(first: 9%[1]d) {edges {node {id}}} ") + `}}}}`),
		"fields that repeat":                    query("{" + strings.Repeat("viewer {id} ", 500) + "}"),
		"unknown names":                         query("{" + repeat(4_900, "n%07d ") + "}"),
		"lists below a payload":                 below,
		"lists below a payload, on WebSockets":  onSocket,
		"subscriptions with the oldest cursor":  {kind: "subscription", text: `{postCreated(after: "` + oldest + `") {cursor}}`, subject: "writer1"},
		"subscriptions with a cursor of 900 kB": {kind: "subscription", text: `{postCreated(after: "P` + strings.Repeat("A", 900_000) + `") {cursor}}`},
	} {
		time.Sleep(whole) // until all budgets are
		quiet := h.bystander(quietFor)
		attacked := make(chan map[int]int)
		go func() { attacked <- h.attack(attack, attackFor) }()
		elsewhere := make(chan latencies)
		go func() { elsewhere <- other.bystander(attackFor) }()
		beside := h.bystander(attackFor)
		answers, machine := <-attacked, <-elsewhere
		t.Logf("%s: p99 %v, %v when quiet, %v at another server; p50 %v, %v, %v; the client was answered with %v", name,
			beside.percentile(99), quiet.percentile(99), machine.percentile(99),
			beside.percentile(50), quiet.percentile(50), machine.percentile(50), answers)
		if long && (beside.percentile(99) > 3*max(quiet.percentile(99), machine.percentile(99)) || len(answers) == 0) {
			t.Errorf("%s: a bystander waits %v (p99), of %v when quiet", name, beside.percentile(99), quiet.percentile(99))
		}
	}
	peak := h.peakMemory(t)
	t.Logf("peak memory %d MB", peak>>20)
	if peak > container {
		t.Errorf("the process held %d MB at its peak", peak>>20)
	}
}

// discussed makes posts with comments, by as many accounts as their budgets ask for.
func (h *hostile) discussed(posts, comments int) {
	const atOnce, each = 20, 200
	var ids []string
	for i := range posts * (comments + atOnce) / each {
		author := fmt.Sprintf("writer%d", i)
		h.As(author, `mutation {createUser(input: {username: "`+author+`"}) {userErrors {code}}}`, "").OK()
		for len(ids) < posts && len(ids) < (i+1)*atOnce {
			ids = append(ids, h.As(author, `mutation {createPost(input: {title: "T", content: "C"}) {post {id}}}`, "").OK().At("data.createPost.post.id"))
		}
		for at := i * each; at < (i+1)*each && at < posts*comments; at += atOnce {
			h.As(author, `mutation($id: ID!) {`+repeat(atOnce, `c%d: createComment(input: {postId: $id, content: "c"}) {userErrors {code}} `)+`}`,
				`{"id": "`+ids[at/comments]+`"}`).OK()
		}
	}
}

// bystander asks for three posts, fifty times a second, and returns how long each answer took.
func (h *hostile) bystander(during time.Duration) (took latencies) {
	ticks := time.NewTicker(time.Second / 45)
	defer ticks.Stop()
	for until := time.Now().Add(during); time.Now().Before(until); <-ticks.C {
		began := time.Now()
		h.As("bob", `{feed(first: 3) {edges {node {id title}}}}`, "").OK()
		took = append(took, time.Since(began))
	}
	return took
}

// attack is what a client asks.
type attack struct {
	kind, text string // of the operation
	subject    string // nobody's where it is empty
	socket     bool   // by WebSocket
}

// ask asks under a name, and returns how it is answered: over a WebSocket 101 where it is, or the code of the close frame. A stream
// is left after a second.
func (h *hostile) ask(a attack, name string) (status int, err error) {
	ctx, cancel := context.WithTimeout(h.T.Context(), time.Minute)
	defer cancel()
	body, headers := `{"query":`+harness.Quote(a.kind+" "+name+" "+a.text)+`}`, http.Header{"Content-Type": {"application/json"}}
	if a.subject != "" {
		headers.Set("Authorization", "Bearer "+a.subject)
	}
	if a.socket {
		return h.askOnSocket(ctx, headers, body)
	}
	if a.kind == "subscription" {
		headers.Set("Accept", "text/event-stream")
		time.AfterFunc(time.Second, cancel)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/graphql", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header = headers
	response, err := h.Client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode, nil
}

func (h *hostile) askOnSocket(ctx context.Context, headers http.Header, body string) (status int, err error) {
	headers.Del("Content-Type")
	conn, response, err := (&websocket.Dialer{Subprotocols: []string{graphqlws.Subprotocol}}).DialContext(ctx, "ws"+strings.TrimPrefix(h.URL, "http")+"/graphql", headers)
	if err != nil {
		if response != nil {
			return response.StatusCode, nil
		}
		return 0, err
	}
	defer conn.Close()
	for _, text := range []string{`{"type":"connection_init"}`, `{"id":"1","type":"subscribe","payload":` + body + `}`} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			return 0, err
		}
	}
	for {
		_, text, err := conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			return closed.Code, nil
		case err != nil:
			return 0, err
		case bytes.Contains(text, []byte(`"id":"1"`)):
			return http.StatusSwitchingProtocols, nil
		}
	}
}

// attack asks 48 times a second, each time under another name, and returns how often it was answered how.
func (h *hostile) attack(a attack, during time.Duration) map[int]int {
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	ticks := time.NewTicker(time.Second / 48)
	defer ticks.Stop()
	until := time.Now().Add(during)
	for n := 0; time.Now().Before(until); n++ {
		<-ticks.C
		all.Go(func() {
			status, err := h.ask(a, fmt.Sprint("Q", n))
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	all.Wait()
	return answers
}
