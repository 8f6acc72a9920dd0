package kill

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/cassandra"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// Subscribers that are cut at random moments, and come back on any of two servers, one of which is
// killed, get each post once, and each comment once in the order of its post.
func TestResume(t *testing.T) {
	r := newResumption(t, 200, 20)
	defer r.stop()
	r.disturb()
	t.Parallel() // the other tests run while what the killed server left is found
	r.settle()
}

// TestSoakResume is TestResume with 2,000 posts and comments, and 100 cuts of each subscriber.
func TestSoakResume(t *testing.T) {
	storetest.Soaks(t)
	r := newResumption(t, 2000, 100)
	defer r.stop()
	r.disturb()
	r.settle()
}

const (
	resumeWriters = 8
	hotPosts      = 3
)

// disturb has all that is written while subscribers are cut and a server is killed, at half of it.
func (r *resumption) disturb() {
	t, writes := r.t, r.writes
	t.Helper()
	var writing sync.WaitGroup
	began := time.Now()
	for _, w := range r.writers {
		writing.Go(w.write)
	}
	r.reaches(writes / 2)
	r.killed = time.Now()
	r.kill(0)
	r.reaches(writes * 3 / 4)
	r.launch()
	writing.Wait()
	t.Logf("%d writes in %v: %d without an answer were repeated, %d were left as they were", writes,
		time.Since(began).Round(time.Millisecond), r.repeated.Load(), r.left.Load())
	harness.Eventually(t, "all cuts", r.cut)
}

// settle waits until what the killed server left is finished, and judges what the subscribers got.
func (r *resumption) settle() {
	r.mu.Lock() // subscribers come back to those that live afterwards
	r.up = awaitClean(r.t, r.keyspace, r.up...)
	r.mu.Unlock()
	r.t.Logf("verify was clean %v after a server was killed", time.Since(r.killed).Round(time.Second))
	r.end()
	r.judge()
}

// resumption is two servers of one store, and who writes to them and subscribes.
type resumption struct {
	t           *testing.T
	keyspace    cassandra.Config
	random      *rand.Rand
	writes      int
	hot         []string // posts that are commented on
	writers     []*resumeWriter
	subscribers []*resumed
	all         sync.WaitGroup // of subscribers
	over        context.CancelFunc
	killed      time.Time // when a server was

	made           atomic.Int64 // writes that were begun
	repeated, left atomic.Int64

	mu sync.Mutex
	up []*harness.Process
}

func newResumption(t *testing.T, writes, cuts int) *resumption {
	seed := storetest.Seed(t)
	r := &resumption{t: t, keyspace: testkeyspace.New(t), random: rand.New(rand.NewPCG(seed, 0)), writes: writes}
	r.launch()
	r.launch()
	first := r.up[0]
	for i := range resumeWriters {
		w := &resumeWriter{resumption: r, killWriter: killWriter{killing: &killing{t: t}, name: fmt.Sprintf("writer_%d", i), random: r.fork()}}
		first.As(w.name, `mutation { createUser(input: {username: "`+w.name+`"}) { user { id } userErrors { message } } }`, "").OK()
		r.writers = append(r.writers, w)
	}
	for i := range hotPosts {
		made := first.As("writer_0", fmt.Sprintf(`mutation { createPost(input: {title: %q, content: "Hot."}) { post { id } userErrors { message } } }`, hotTitle(i)), "").OK()
		r.hot = append(r.hot, made.At("data.createPost.post.id"))
	}
	ctx, over := context.WithCancel(t.Context())
	r.over = over
	for _, events := range []bool{false, true} {
		r.subscribe(ctx, cuts, events, -1)
	}
	for i := range hotPosts {
		r.subscribe(ctx, cuts, false, i)
	}
	r.subscribe(ctx, cuts, true, 0)
	return r
}

func hotTitle(i int) string   { return fmt.Sprintf("hot %d", i) }
func isHot(title string) bool { return strings.HasPrefix(title, "hot ") }

func (r *resumption) fork() *rand.Rand {
	return rand.New(rand.NewPCG(r.random.Uint64(), r.random.Uint64()))
}

// launch adds a server.
func (r *resumption) launch() {
	p := harness.LaunchProcess(r.t, harness.On(r.keyspace)...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up = append(r.up, p)
}

// kill takes a server away.
func (r *resumption) kill(i int) {
	r.mu.Lock()
	p := r.up[i]
	r.up = slices.Delete(slices.Clone(r.up), i, i+1)
	r.mu.Unlock()
	p.Kill()
}

// any returns one of the servers.
func (r *resumption) any(random *rand.Rand) *harness.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up[random.IntN(len(r.up))]
}

// reaches waits until so many writes were begun.
func (r *resumption) reaches(n int) {
	r.t.Helper()
	harness.Eventually(r.t, fmt.Sprintf("%d writes", n), func() bool { return int(r.made.Load()) >= n })
}

// resumeWriter makes posts, and comments on the hot ones, through any server.
type resumeWriter struct {
	*resumption
	killWriter
}

func (w *resumeWriter) write() {
	for {
		n := int(w.made.Add(1))
		if n > w.writes {
			return
		}
		w.one(n)
		w.cut()
	}
}

// one makes the nth write. Where there is no answer, it is repeated until there is one, or left to
// recovery.
func (w *resumeWriter) one(n int) {
	random := w.killWriter.random
	command := fmt.Sprintf(`createPost(input: {title: "post %d", content: "Text.", idempotencyKey: "%[1]d"}) { post { id } userErrors { message } }`, n)
	if random.IntN(4) > 0 {
		command = fmt.Sprintf(`createComment(input: {postId: %q, content: "comment %d", idempotencyKey: "%[2]d"}) { comment { id } userErrors { message } }`, w.hot[random.IntN(hotPosts)], n)
	}
	repeats := random.IntN(2) == 0
	made, ok := w.mutate(w.any(random), command)
	if !ok && !repeats {
		w.left.Add(1)
	}
	for !ok && repeats {
		w.repeated.Add(1)
		made, ok = w.mutate(w.any(random), command)
	}
	if !ok || random.IntN(20) > 0 {
		return
	}
	if id := made.At("data.createComment.comment.id"); id != "absent" {
		w.mutate(w.any(random), `deleteComment(input: {id: "`+id+`"}) { deletedId userErrors { message } }`)
	}
}

// resumed is a subscriber that is cut again and again, and comes back on any server.
type resumed struct {
	*resumption
	random *rand.Rand
	events bool // as server-sent events; else over WebSockets
	hot    int  // of whose comments it is told; -1: it is told of posts
	after  string
	got    []string       // what each event is about, in their order; "" where that is gone
	lost   int            // connections that were not cut by the test
	told   map[string]int // codes of errors
	done   chan struct{}  // closed when it has all

	mu   sync.Mutex
	cuts []int              // after which writes it is cut, rising
	sees context.CancelFunc // ends what is connected; nil: nothing is
	want int                // so many events are all; 0: it is not known yet
}

// subscribe has a subscriber begin where its list was read.
func (r *resumption) subscribe(ctx context.Context, cuts int, events bool, hot int) {
	s := &resumed{resumption: r, random: r.fork(), events: events, hot: hot, told: map[string]int{}, done: make(chan struct{})}
	if hot < 0 {
		s.after = r.up[0].As("", `{ feed(first: 1) { liveCursor } }`, "").OK().At("data.feed.liveCursor")
	} else {
		s.after = r.up[0].As("", `query($id: ID!) { comments(postId: $id) { liveCursor } }`, `{"id": "`+r.hot[hot]+`"}`).OK().At("data.comments.liveCursor")
	}
	for range cuts {
		s.cuts = append(s.cuts, 1+s.random.IntN(r.writes))
	}
	slices.Sort(s.cuts)
	r.subscribers = append(r.subscribers, s)
	r.all.Go(func() { s.follow(ctx) })
}

func (s *resumed) String() string {
	transport, what := "WebSocket", "posts"
	if s.events {
		transport = "SSE"
	}
	if s.hot >= 0 {
		what = "comments on " + hotTitle(s.hot)
	}
	return what + " by " + transport
}

// cut cuts the subscribers whose time has come, and reports whether all cuts were made.
func (r *resumption) cut() (all bool) {
	all = true
	for _, s := range r.subscribers {
		s.mu.Lock()
		if len(s.cuts) > 0 && s.cuts[0] <= int(r.made.Load()) && s.sees != nil {
			s.cuts = s.cuts[1:]
			s.sees()
			s.sees = nil
		}
		all = all && len(s.cuts) == 0
		s.mu.Unlock()
	}
	return all
}

// follow subscribes again and again until it has all events, or ctx ends.
func (s *resumed) follow(ctx context.Context) {
	for !s.complete() && ctx.Err() == nil {
		connected, cut := context.WithCancel(ctx)
		s.mu.Lock()
		s.sees = cut
		s.mu.Unlock()
		stream := s.byWebSocket
		if s.events {
			stream = s.byEvents
		}
		_ = stream(connected, s.any(s.random)) // the error of a connection that is cut
		if connected.Err() == nil {
			s.lost++
		}
		cut()
	}
	close(s.done)
}

func (s *resumed) complete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.want > 0 && len(s.got) >= s.want
}

// operation returns the subscription as the body of a request. An event stream's cursor is in a
// header.
func (s *resumed) operation() (query, variables string) {
	query = `subscription($after: String) { event: postCreated(after: $after) { cursor about: post { text: title } } }`
	values := map[string]string{}
	if s.hot >= 0 {
		query = `subscription($post: ID!, $after: String) { event: commentCreated(postId: $post, after: $after) { cursor about: comment { text: content } } }`
		values["post"] = s.resumption.hot[s.hot]
	}
	if !s.events {
		values["after"] = s.after
	}
	text, _ := json.Marshal(values)
	return query, string(text)
}

func (s *resumed) byWebSocket(ctx context.Context, p *harness.Process) error {
	dialer := websocket.Dialer{Subprotocols: []string{graphqlws.Subprotocol}}
	conn, _, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(p.URL, "http")+"/graphql", nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.NetConn().Close() })()
	query, variables := s.operation()
	for _, message := range []string{`{"type":"connection_init"}`, `{"id":"1","type":"subscribe","payload":{"query":` + harness.Quote(query) + `,"variables":` + variables + `}}`} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
			return err
		}
		if message == `{"type":"connection_init"}` {
			if _, _, err := conn.ReadMessage(); err != nil {
				return err
			}
		}
	}
	for !s.complete() {
		var m struct {
			Type    string
			Payload json.RawMessage
		}
		if err := conn.ReadJSON(&m); err != nil {
			return err
		}
		switch m.Type {
		case "next":
			s.event("", m.Payload)
		case "error":
			s.event("", []byte(`{"errors":`+string(m.Payload)+`}`))
			return nil
		case "ping":
			if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"pong"}`)); err != nil {
				return err
			}
		default:
			s.t.Errorf("%v: an unexpected message: %s", s, m.Type)
		}
	}
	return nil
}

func (s *resumed) byEvents(ctx context.Context, p *harness.Process) error {
	query, variables := s.operation()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/graphql?"+url.Values{"query": {query}, "variables": {variables}}.Encode(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Last-Event-ID", s.after)
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	id, data := "", ""
	for !s.complete() && lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "id":
			id = value
		case field == "data":
			data = value
		case field == "event" && value != "next":
			s.t.Errorf("%v: an unexpected event: %s", s, value)
		case field == "" && data != "":
			s.event(id, []byte(data))
			id, data = "", ""
		}
	}
	return lines.Err()
}

// event takes what a stream tells, of which an event stream has the cursor as its id, too.
func (s *resumed) event(id string, text []byte) {
	var told struct {
		Data struct {
			Event struct {
				Cursor string
				About  *struct{ Text string }
			}
		}
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal(text, &told); err != nil {
		s.t.Errorf("%v: %v in %s", s, err, text)
		return
	}
	for _, e := range told.Errors {
		s.told[e.Extensions.Code]++
		if !slices.Contains([]string{"SHUTTING_DOWN", "SLOW_CONSUMER"}, e.Extensions.Code) {
			s.t.Errorf("%v: %s", s, text)
		}
	}
	if len(told.Errors) > 0 {
		return
	}
	if s.after = told.Data.Event.Cursor; s.after == "" || s.events && id != s.after {
		s.t.Errorf("%v: an event with the id %q: %s", s, id, text)
	}
	about := ""
	if told.Data.Event.About != nil {
		about = told.Data.Event.About.Text
	}
	if isHot(about) { // its list had it, and its change was told after the cursor
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, about)
}

// truth is what a subscriber is to be told, as the store has it: posts in no order, comments in the
// order of their numbers, with "" for one that is gone.
func (s *resumed) truth() (all []string) {
	if s.hot < 0 {
		p := s.up[0]
		for after := ""; ; {
			page := p.As("", `query($after: String) { feed(first: 100, after: $after) { edges { node { title } } pageInfo { hasNextPage endCursor } } }`,
				`{"after": `+harness.NullOr(after)+`}`).OK()
			all = append(all, page.All("data.feed.edges", "node.title")...)
			if after = page.At("data.feed.pageInfo.endCursor"); page.At("data.feed.pageInfo.hasNextPage") == "false" {
				return slices.DeleteFunc(all, isHot)
			}
		}
	}
	return s.numbered()
}

// numbered returns the post's comments by their numbers, as their truth has them.
func (s *resumed) numbered() []string {
	post := s.resumption.hot[s.hot]
	standing, _ := (&killing{t: s.t}).below(s.up[0], post)
	byNumber := map[int]string{}
	for _, row := range testkeyspace.Rows(s.t, s.keyspace, "SELECT content, number FROM %s.comments_by_post") {
		number, _ := row["number"].(int)
		content, _ := row["content"].(string)
		if slices.Contains(slices.Collect(maps.Values(standing)), content) {
			byNumber[number] = content
		}
	}
	if len(byNumber) != len(standing) {
		s.t.Errorf("%v: %d have a number, of %d", s, len(byNumber), len(standing))
	}
	all := make([]string, max(0, slices.Max(append(slices.Collect(maps.Keys(byNumber)), 0))))
	for number, content := range byNumber {
		all[number-1] = content
	}
	return all
}

// end has each server make one more of all that is told, and waits until the subscribers have been
// told. How much is all they learn before the last server's: a comment that is gone is counted by
// those with higher numbers, so that one of these has to stand.
func (r *resumption) end() {
	last := len(r.up) - 1
	for i := range last {
		r.makeLast(i)
	}
	for _, s := range r.subscribers {
		want := len(s.truth()) + 1
		s.mu.Lock()
		s.want = want
		s.mu.Unlock()
	}
	r.makeLast(last)
	late := time.After(harness.Soon)
	for _, s := range r.subscribers {
		select {
		case <-s.done:
		case <-late:
			r.t.Errorf("%v: not all events came within %v", s, harness.Soon)
			return
		}
	}
}

// makeLast has the ith server make a post, and a comment on each hot one.
func (r *resumption) makeLast(i int) {
	p, w := r.up[i], r.writers[0].name
	p.As(w, fmt.Sprintf(`mutation { createPost(input: {title: "last post %d", content: "Text."}) { post { id } userErrors { message } } }`, i), "").OK()
	for _, post := range r.hot {
		p.As(w, fmt.Sprintf(`mutation { createComment(input: {postId: %q, content: "last comment %d on %[1]s"}) { comment { id } userErrors { message } } }`, post, i), "").OK()
	}
}

func (r *resumption) stop() {
	r.over()
	r.all.Wait()
}

// judge compares what was told with the store's truth.
func (r *resumption) judge() {
	r.stop()
	for _, s := range r.subscribers {
		want := s.truth()
		r.t.Logf("%v: %d events of %d; lost %d connections beside the cuts; errors %v", s, len(s.got), len(want), s.lost, s.told)
		if s.hot < 0 {
			slices.Sort(s.got)
			slices.Sort(want)
		}
		for i := range max(len(s.got), len(want)) {
			got, wanted := "nothing", "nothing"
			if i < len(s.got) {
				got = cmp.Or(s.got[i], "what is gone")
			}
			if i < len(want) {
				wanted = cmp.Or(want[i], got)
			}
			if got != wanted {
				r.t.Errorf("%v: event %d is %s, want %s", s, i+1, got, wanted)
				break
			}
		}
	}
}
