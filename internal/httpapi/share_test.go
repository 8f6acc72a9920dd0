package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// Four who ask the same at once: one is answered by the read that has begun, the others
// share the next one. Whoever asks something else, or has a token, does not share it.
func TestSharedAnswers(t *testing.T) {
	const text = "query Feed($n: Int) {feed(first: $n) {edges {cursor}}}"
	const same, another = `{"query":"` + text + `","variables":{"n":3}}`, `{"query":"` + text + `","variables":{"n":4}}`
	synctest.Test(t, func(t *testing.T) {
		s := startWith(t, httpapi.Config{Limits: limit.Default})
		held := newHoldingFeed(func() (blog.Page[blog.Post], error) { return blog.Page[blog.Post]{}, nil })
		s.Serve(held)
		s.together(held, 5, func(i int) {
			got := s.do(t, post([]string{same, same, same, same, another}[i]))
			if got.want(200, ""); got.body != `{"data":{"feed":{"edges":[]}}}` {
				t.Errorf("%s", got.body)
			}
		})
		if held.reads.Load() != 3 || s.shared(t) != 2 {
			t.Errorf("the feed was read %d times, and %d shared what another was told", held.reads.Load(), s.shared(t))
		}
	})
}

// holdingFeed is a store whose feed is not read before it is told to.
type holdingFeed struct {
	stub
	reads atomic.Int64
	leave chan struct{}
}

// newHoldingFeed returns one whose feed is then what read returns.
func newHoldingFeed(read func() (blog.Page[blog.Post], error)) *holdingFeed {
	s := &holdingFeed{leave: make(chan struct{})}
	s.feed = func(context.Context) (blog.Page[blog.Post], error) {
		s.reads.Add(1)
		<-s.leave
		return read()
	}
	return s
}

// together has requests made, one after the other, of which the first is not answered before
// the last has come. Each is given its number. It is called in a bubble, where no time passes
// meanwhile.
func (s server) together(held *holdingFeed, requests int, make func(i int)) {
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() { make(i) })
		synctest.Wait()
	}
	close(held.leave)
	all.Wait()
}

// shared returns how many requests joined others for a whole answer.
func (s server) shared(t *testing.T) (n int) {
	t.Helper()
	const metric = "\nbroadsheet_shared_reads_total{query=\"response\"} "
	text := s.get(t, "/metrics").body
	if at := strings.Index(text, metric); at >= 0 {
		_, _ = fmt.Sscan(text[at+len(metric):], &n)
	}
	return n
}

// manyFeeds is a query of many lists.
func manyFeeds() string {
	text := "{"
	for i := range feeds {
		text += fmt.Sprintf(" f%d: feed(first: %d) {edges {cursor}}", i, i+1)
	}
	return text + "}"
}

const feeds = 25

// An answer with errors that any request of the same has is shared, each with its own
// request's limits: there are more errors than are told, with messages longer than are told.
func TestSharedErrors(t *testing.T) {
	const requests = 8
	synctest.Test(t, func(t *testing.T) {
		s := startWith(t, httpapi.Config{Limits: limit.Default})
		held := newHoldingFeed(func() (blog.Page[blog.Post], error) {
			return blog.Page[blog.Post]{}, blog.Errorf(blog.Invalid, "%s", strings.Repeat("é", 400))
		})
		s.Serve(held)
		answers := make([]answer, requests)
		s.together(held, requests, func(i int) { answers[i] = s.query(t, manyFeeds(), "X-Request-Id", fmt.Sprint("request", i)) })
		for i, got := range answers {
			if got.want(200, "BAD_USER_INPUT"); got.header.Get("X-Request-Id") != fmt.Sprint("request", i) {
				t.Errorf("request %d: %v", i, got.header)
			}
			if told := strings.Count(got.body, `"message":"`+strings.Repeat("é", 299)+`…"`); told != 20 {
				t.Errorf("%d errors are told: %s", told, got.body)
			}
		}
		if s.beyond(t, "errors") != requests || held.reads.Load() != 2*feeds {
			t.Errorf("%d requests had too many errors, after %d reads", s.beyond(t, "errors"), held.reads.Load())
		}
	})
}

// An answer with errors that may have passed is one request's: the others ask again, and where
// that fails, too, each is told so under its own name.
func TestFailuresAreNotShared(t *testing.T) {
	const requests = 8
	for name, tc := range map[string]struct {
		reads int64 // that fail
		want  int   // requests that fail
	}{
		"the read that all wait for, and the one that they share": {2 * feeds, 2},
		"all reads": {1 << 30, requests},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := startWith(t, httpapi.Config{Limits: limit.Default})
				var ended atomic.Int64
				held := newHoldingFeed(func() (blog.Page[blog.Post], error) {
					if ended.Add(1) > tc.reads {
						return blog.Page[blog.Post]{}, nil
					}
					return blog.Page[blog.Post]{}, blog.Errorf(blog.Unavailable, "%s", strings.Repeat("é", 400))
				})
				s.Serve(held)
				answers := make([]answer, requests)
				s.together(held, requests, func(i int) { answers[i] = s.query(t, manyFeeds(), "X-Request-Id", fmt.Sprint("request", i)) })
				failed := 0
				for i, got := range answers {
					if got.code() == "" {
						continue
					}
					failed++
					if told := strings.Count(got.body, fmt.Sprintf(`"requestId":"request%d"`, i)); told != 20 || strings.Count(got.body, `"requestId"`) != 20 || !strings.Contains(got.body, "é…") {
						t.Errorf("request %d: %s", i, got.body)
					}
				}
				if failed != tc.want || s.beyond(t, "errors") != tc.want {
					t.Errorf("%d requests failed, %d with too many errors, want %d", failed, s.beyond(t, "errors"), tc.want)
				}
			})
		})
	}
}

// A large answer that many are given is in memory once, and takes room once: from when the
// first of them has it until the last has read it, or left.
func TestSharedAnswersTakeRoomOnce(t *testing.T) {
	const readers = 24
	page := blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 600<<10)}}}
	const text = "{feed {edges {node {title}}}}"
	get := func() *http.Request { return httptest.NewRequest("GET", "/graphql?query="+url.QueryEscape(text), nil) }
	for name, ask := range map[string]func() *http.Request{
		"posted":   func() *http.Request { return post(`{"query":"` + text + `"}`) },
		"in a URL": get,
		"and unchanged": func() *http.Request {
			r := get()
			r.Header.Set("Accept", "application/graphql-response+json")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limits := limit.Default
				limits[limit.Answers] = 3584 << 10 // an answer takes 768 KiB of it
				s := startWith(t, httpapi.Config{Limits: limits})
				held := newHoldingFeed(func() (blog.Page[blog.Post], error) { return page, nil })
				s.Serve(held)
				var reading sync.WaitGroup
				var all []*slowly
				end := func() {
					for _, w := range all {
						w.goOn()
					}
					reading.Wait()
				}
				defer end()
				slow := func(r *http.Request) *slowly {
					w := &slowly{ResponseRecorder: httptest.NewRecorder(), read: make(chan error)}
					all = append(all, w)
					reading.Go(func() { s.ServeHTTP(w, r) })
					synctest.Wait()
					return w
				}
				own := func() *slowly { return slow(post(`{"query":"`+text+`"}`, "Authorization", "Bearer alice")) }
				fits := func(w *slowly, want bool) {
					t.Helper()
					if refused := w.Code == http.StatusServiceUnavailable; refused == want {
						t.Errorf("status %d: that it has room is not %v", w.Code, want)
					}
				}

				first := slow(ask()) // which is answered alone
				var sharing []*slowly
				for range readers {
					sharing = append(sharing, slow(ask()))
				}
				left, leave := context.WithCancel(t.Context())
				sharing = append(sharing, slow(ask().WithContext(left)))
				leave()
				close(held.leave)
				synctest.Wait()
				if held.reads.Load() != 2 || s.shared(t) != readers {
					t.Fatalf("%d reads, and %d shared what another was told", held.reads.Load(), s.shared(t))
				}
				first.goOn()
				synctest.Wait()
				second := own()
				fits(second, true)
				fits(own(), false) // three are more than half, two are not
				for i, w := range sharing[:readers] {
					fits(w, true)
					switch {
					case i == readers-1:
					case i%2 > 0:
						w.read <- errors.New("the client has left")
					default:
						w.goOn()
					}
				}
				synctest.Wait()
				fits(own(), false) // one still reads
				sharing[readers-1].goOn()
				synctest.Wait()
				third := own()
				fits(third, true)
				end()
				for i, w := range sharing[:readers] {
					if w.Code != 200 || i%2 == 0 && w.Body.String() != first.Body.String() {
						t.Errorf("reader %d has another answer: %d, %d bytes", i, w.Code, w.Body.Len())
					}
				}
			})
		})
	}
}

// slowly is a client that reads nothing before it is told to.
type slowly struct {
	*httptest.ResponseRecorder
	read chan error // is closed, or says why the client reads no more
	once sync.Once
}

func (s *slowly) goOn() { s.once.Do(func() { close(s.read) }) }

func (s *slowly) Write(p []byte) (int, error) {
	if s.Code == http.StatusServiceUnavailable {
		return s.ResponseRecorder.Write(p)
	}
	if err := <-s.read; err != nil {
		return 0, err
	}
	return s.ResponseRecorder.Write(p)
}
