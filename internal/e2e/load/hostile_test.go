package load

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"broadsheet/internal/e2e/harness"
)

// hostileBound is when a hostile request counts as one that hangs. The slowest take a fifth of a
// second on a machine of their own, and twenty times that with the race detector and other tests
// beside them.
const hostileBound = 30 * time.Second

// hostileMemory is what the process may hold at its peak: 20 MB of a server that is idle,
// the embedded store's caches, and what a few dozen requests need that are as expensive as
// they may be, of which the largest answers have 16 MiB and are held twice. One document
// or body that gets past its limit takes a gigabyte and more.
const hostileMemory = 400 << 20

// underRace is how much more memory a program takes with the race detector: it keeps a
// shadow of all that it reads and writes.
const underRace = 5

// Whatever strangers send is answered with a code, or its connection is closed, soon, in
// bounded memory; and the server is as well as before.
func TestHostile(t *testing.T) {
	p := harness.LaunchProcess(t, "--demo", "--data-dir", t.TempDir(),
		"--limit", "deadline=5s", "--limit", "header_time=2s", "--limit", "body_time=3s")
	h := &hostile{Process: p, post: p.As("alice", `{feed(first: 1) {edges {node {id}}}}`, "").OK().At("data.feed.edges.0.node.id")}
	h.fill(t)
	began := time.Now()
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"documents", h.documents}, {"values", h.values}, {"bodies", h.bodies}, {"urls", h.urls},
		{"connections", h.connections}, {"crowds", h.crowds}, {"expensive", h.expensive},
	} {
		t.Run(part.name, part.run)
		t.Logf("peak memory after %s: %d MB", part.name, h.peakMemory(t)>>20)
	}
	t.Logf("the suite took %v", time.Since(began).Round(time.Millisecond))
	h.healthy(t)
	if peak := h.peakMemory(t); peak > 0 {
		bound := hostileMemory
		if raceDetector() {
			bound *= underRace
		}
		t.Logf("peak memory (VmHWM) %d MB, bound %d MB", peak>>20, bound>>20)
		if peak > bound {
			t.Errorf("the process held %d MB at its peak, and may hold %d", peak>>20, bound>>20)
		}
	}
	if log := p.Log.String(); strings.Contains(log, "panic") || strings.Contains(log, "level=ERROR") {
		t.Errorf("the log: %.2000s", log)
	}
	p.Terminate()
	<-p.Ended
	if p.Code != 0 {
		t.Errorf("exit code %d: %.2000s", p.Code, p.Log.String())
	}
}

// hostile is a server, and those who mean it no good.
type hostile struct {
	*harness.Process
	post string // the id of one
	long string // the id of one with 100 comments, each as long as may be
}

// longest is a comment that is as long as may be.
var longest = strings.Repeat("😀", 10_000)

// fill writes what makes answers large.
func (h *hostile) fill(t *testing.T) {
	h.As("mallory", `mutation {createUser(input: {username: "mallory"}) {user {id} userErrors {code}}}`, "").OK()
	made := h.As("mallory", `mutation {createPost(input: {title: "Long", content: "Long"}) {post {id} userErrors {code}}}`, "").OK()
	h.long = made.At("data.createPost.post.id")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				h.As("mallory", `mutation($id: ID!, $text: String!) {createComment(input: {postId: $id, content: $text}) {comment {id} userErrors {code}}}`,
					`{"id": "`+h.long+`", "text": "`+longest+`"}`).OK()
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// healthy fails t unless the server answers as it should.
func (h *hostile) healthy(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/livez", "/readyz"} {
		if got := h.Get(path); got.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.Status, got.Text)
		}
	}
	feed := h.As("alice", `{feed(first: 20) {edges {node {id title author {id username}}}}}`, "").OK()
	if posts := feed.All("data.feed.edges", "node.author.username"); len(posts) != 20 {
		t.Errorf("a normal query: %.500s", feed.Text)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns the most memory that the process held, in bytes; 0 where the system
// does not tell.
func (h *hostile) peakMemory(t *testing.T) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.Cmd.Process.Pid))
	if err != nil {
		t.Logf("the peak of memory is not known: %v", err)
		return 0
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// raceDetector reports whether the tests, and so the program, have it.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// timed fails t where what it does takes too long, and tells how long it took.
func timed(t *testing.T, what func()) {
	t.Helper()
	began := time.Now()
	what()
	took := time.Since(began)
	t.Logf("%v", took.Round(100*time.Microsecond))
	if took > hostileBound {
		t.Errorf("it took %v", took)
	}
}

// send posts a body, and returns the answer to it.
func (h *hostile) send(t *testing.T, body string) (a harness.Answer) {
	t.Helper()
	timed(t, func() {
		var err error
		a, err = h.Try(http.MethodPost, "/graphql", strings.NewReader(body), map[string]string{
			"Content-Type": "application/json", "Accept": "application/graphql-response+json", "Authorization": "Bearer alice",
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	a.T = t
	return a
}

// operation is send for a document with variables, which are JSON or empty.
func (h *hostile) operation(t *testing.T, query, variables string) harness.Answer {
	t.Helper()
	request := map[string]any{"query": query}
	if variables != "" {
		request["variables"] = json.RawMessage(variables)
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return h.send(t, string(body))
}

// inTime is wantCode where a slow machine may take longer than a request may.
func inTime(a harness.Answer, code string) {
	a.T.Helper()
	if a.Code() == "TIMEOUT" {
		code = "TIMEOUT"
	}
	wantCode(a, code)
}

// wantCode fails t unless the answer is what a code says, OK where there is no error. It
// is never the server's fault.
func wantCode(a harness.Answer, code string) {
	a.T.Helper()
	if a.Status < 200 || a.Status >= 500 || a.Code() != code {
		a.T.Errorf("status %d, not %s: %.300s", a.Status, code, a.Text)
	}
	if code != "OK" && code != "TIMEOUT" && len(a.Text) > 64<<10 {
		a.T.Errorf("an answer of errors has %d bytes", len(a.Text))
	}
}
