package load

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/storetest"
	"broadsheet/internal/testkeyspace"
)

// subscriberBytes is what a subscriber that waits may take of the server's heap and stacks, over a
// WebSocket of its own, in bytes: see docs/performance.md.
const subscriberBytes int64 = 20_000

// TestSubscribers is TestSoakSubscribers with few of them, of which one takes as much more as the
// collector likes.
func TestSubscribers(t *testing.T) {
	testSubscribers(t, 200, 0, "--data-dir", t.TempDir())
}

// TestSoakSubscribers has 10,000 WebSockets subscribe to new posts, or as many as
// BROADSHEET_SOAK_SUBSCRIBERS says: what each takes of memory, how long an event takes to all
// of them, and that an event costs the store what it costs for one subscriber.
func TestSoakSubscribers(t *testing.T) {
	storetest.Soaks(t)
	n, err := strconv.Atoi(cmp.Or(os.Getenv(storetest.SoakEnv+"_SUBSCRIBERS"), "10000"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("embedded", func(t *testing.T) { testSubscribers(t, n, subscriberBytes, "--data-dir", t.TempDir()) })
	t.Run("cassandra", func(t *testing.T) {
		cassandratest.Real(t, "the reads of a server that waits")
		testSubscribers(t, n, subscriberBytes, harness.On(testkeyspace.New(t))...)
	})
}

func testSubscribers(t *testing.T, n int, most int64, args ...string) {
	p := harness.LaunchProcess(t, append(args, "--limit", "connections=0", "--limit", "live_connections=0", "--admin-listen", "127.0.0.1:0")...)
	p.As("alice", `mutation { createUser(input: {username: "alice"}) { user { id } } }`, "").OK()
	all := newSubscribers(p)
	all.subscribe(1)
	all.tell() // what is made once is there
	one, _ := all.tell()
	quietOne := all.quiet(most > 0)
	all.subscribe(100)
	all.tell()

	settle(p)
	before, held := memoryOf(p), heldBy(p)
	all.subscribe(n)
	settle(p)
	each, heldEach := (int64(memoryOf(p))-int64(before))/int64(n-100), (heldBy(p)-held)/int64(n-100)
	quietMany := all.quiet(most > 0)
	readBefore, began := readsOf(p), time.Now()
	var reads []int
	var delays []time.Duration
	for range 10 {
		n, more := all.tell()
		reads, delays = append(reads, n), append(delays, more...)
	}
	readAfter := readsOf(p)
	slices.Sort(reads)
	slices.Sort(delays)
	many := reads[len(reads)/2]                                                    // recovery reads all its shards at once, now and then: beside one of them
	meanwhile := int(time.Since(began) / 10 * time.Duration(quietMany) / quietFor) // is read by recovery and for the feed
	t.Log(heapOf(p))
	t.Logf("%d subscribers, %d bytes of memory (RSS) each, %d of heap and stacks", n, each, heldEach)
	t.Logf("10 posts, each told to all: p50 %v, p99 %v, the last %v after the request began",
		delays[len(delays)/2], delays[len(delays)*99/100], delays[len(delays)-1])
	t.Logf("reads for a post that is told to one: %d; to all: %d; %d in the %v of all posts", one, many, readAfter-readBefore, time.Since(began).Round(time.Millisecond))
	t.Logf("reads in %v without a writer: %d for one, %d for all", quietFor, quietOne, quietMany)
	if quietMany > quietOne*3/2 { // recovery looks at other times
		t.Errorf("%d reads without a writer for all, and %d for one", quietMany, quietOne)
	}
	if most > 0 && heldEach > most {
		t.Errorf("a subscriber takes %d bytes, and %d are allowed", heldEach, most)
	}
	if many > one+4+meanwhile {
		t.Errorf("%d reads for a post that is told to all, and %d for one", many, one)
	}
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	all.closed()
	if <-p.Ended; p.Code != 0 {
		t.Errorf("exit code %d: %s", p.Code, p.Log.String())
	}
}

// subscribers are sockets that wait for posts.
type subscribers struct {
	p     *harness.Process
	post  int
	conns []*websocket.Conn
	told  chan telling
	ended sync.WaitGroup
	errs  sync.Map // texts of what sockets ended with
}

// telling is that an event has come to a subscriber.
type telling struct {
	title string
	at    time.Time
}

func newSubscribers(p *harness.Process) *subscribers {
	return &subscribers{p: p, told: make(chan telling, 1<<16)}
}

// subscribe makes them so many, and returns when all of them wait.
func (s *subscribers) subscribe(n int) {
	var opening sync.WaitGroup
	var mu sync.Mutex
	next := len(s.conns)
	for range 16 {
		opening.Go(func() {
			for {
				mu.Lock()
				if next == n {
					mu.Unlock()
					return
				}
				next++
				mu.Unlock()
				conn := s.open()
				if conn == nil {
					return
				}
				mu.Lock()
				s.conns = append(s.conns, conn)
				mu.Unlock()
			}
		})
	}
	opening.Wait()
	harness.Eventually(s.p.T, fmt.Sprintf("%d subscriptions", n), func() bool {
		return strings.Contains(s.p.Operators().Get("/metrics").Text, fmt.Sprintf("broadsheet_subscriptions_open{transport=\"websocket\"} %d\n", n))
	})
}

func (s *subscribers) open() *websocket.Conn {
	dialer := websocket.Dialer{Subprotocols: []string{graphqlws.Subprotocol}, ReadBufferSize: 512, WriteBufferPool: &sync.Pool{}, WriteBufferSize: 512}
	conn, _, err := dialer.Dial("ws"+strings.TrimPrefix(s.p.URL, "http")+"/graphql", nil)
	if err == nil {
		err = conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"connection_init"}`))
	}
	if err == nil {
		_, _, err = conn.ReadMessage()
	}
	if err == nil {
		err = conn.WriteMessage(websocket.TextMessage, []byte(`{"id":"1","type":"subscribe","payload":{"query":"subscription { postCreated { cursor post { title author { username } } } }"}}`))
	}
	if err != nil {
		s.p.T.Error(err)
		return nil
	}
	s.p.T.Cleanup(func() { conn.Close() })
	s.ended.Go(func() { s.listen(conn) })
	return conn
}

func (s *subscribers) listen(conn *websocket.Conn) {
	for {
		_, text, err := conn.ReadMessage()
		at := time.Now()
		if err != nil {
			s.errs.Store(err.Error(), true)
			return
		}
		var m struct {
			Type    string
			Payload json.RawMessage
		}
		_ = json.Unmarshal(text, &m)
		if m.Type != "next" {
			continue
		}
		var told struct {
			Data struct {
				PostCreated struct{ Post struct{ Title string } }
			}
		}
		_ = json.Unmarshal(m.Payload, &told)
		s.told <- telling{told.Data.PostCreated.Post.Title, at}
	}
}

// tell creates a post, and waits until all were told of it once. It returns what the server read
// meanwhile, and how long each telling took.
func (s *subscribers) tell() (reads int, delays []time.Duration) {
	s.p.T.Helper()
	s.post++
	title := strconv.Itoa(s.post)
	before, began := readsOf(s.p), time.Now()
	s.p.As("alice", `mutation { createPost(input: {title: "`+title+`", content: "text"}) { post { id } } }`, "").OK()
	late := time.After(time.Minute)
	for range s.conns {
		select {
		case told := <-s.told:
			if told.title != title {
				s.p.T.Errorf("told of %s, not of %s", told.title, title)
			}
			delays = append(delays, told.at.Sub(began))
		case <-late:
			s.p.T.Fatalf("%d of %d were told", len(delays), len(s.conns))
		}
	}
	return readsOf(s.p) - before, delays
}

// quietFor is for how long reads without a writer are counted.
const quietFor = 10 * time.Second

// quiet returns what the server reads while nothing is written, where that is to be measured.
func (s *subscribers) quiet(measured bool) int {
	if !measured {
		return 0
	}
	before := readsOf(s.p)
	<-time.After(quietFor)
	return readsOf(s.p) - before
}

// closed waits until all sockets are closed, as by a server that drains.
func (s *subscribers) closed() {
	s.ended.Wait()
	s.errs.Range(func(err, _ any) bool {
		if !strings.Contains(err.(string), "close 1001") {
			s.p.T.Errorf("a socket ended with %v", err)
		}
		return true
	})
}

var readsLine = regexp.MustCompile(`(?m)^broadsheet_round_trips_total\{kind="read"\} (\d+)$`)

// reads returns how many reads the server's store has answered.
func readsOf(p *harness.Process) int {
	found := readsLine.FindStringSubmatch(p.Operators().Get("/metrics").Text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// settle has the collector run a few times: each halves stacks that are too large.
func settle(p *harness.Process) {
	for range 4 {
		heapOf(p)
	}
}

var heldLine = regexp.MustCompile(`(?m)^go_memstats_(heap_inuse|stack_inuse)_bytes (\S+)$`)

// held returns what is in use of Go's heap and stacks, in bytes.
func heldBy(p *harness.Process) (n int64) {
	for _, found := range heldLine.FindAllStringSubmatch(p.Operators().Get("/metrics").Text, -1) {
		bytes, _ := strconv.ParseFloat(found[2], 64)
		n += int64(bytes)
	}
	return n
}
