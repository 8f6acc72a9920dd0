package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// A unit of work stands for as much of a processor's time by whatever way it is used: at most three times as much as
// a unit of a query whose fields are short, which takes more for one than other queries. The time is this process'
// own, its clients included; no other test runs beside this one.
func TestTimeFollowsUnits(t *testing.T) {
	long := strings.Repeat("x", 256<<10)
	ways := map[string]func(s liveServer, pages *longPages, post string) func(){
		"a body": func(s liveServer, _ *longPages, _ string) func() {
			return func() { s.send(t, `{"query":"{__typename}","variables":{"a":"`+long+`"}}`, true) }
		},
		"a body without its length": func(s liveServer, _ *longPages, _ string) func() {
			return func() { s.send(t, `{"query":"{__typename}","variables":{"a":"`+long+`"}}`, false) }
		},
		"values": func(s liveServer, _ *longPages, _ string) func() {
			return func() {
				s.send(t, `{"query":"{__typename}","variables":{"a":[`+strings.Repeat("0,", 15_000)+`0]}}`, true)
			}
		},
		"a document": func(s liveServer, _ *longPages, _ string) func() {
			return func() { s.query(t, "{__typename} # "+long, "Authorization", "Bearer alice").want(http.StatusOK, "") }
		},
		"texts that are not written": func(s liveServer, _ *longPages, post string) func() {
			return func() { s.ask(t, "http", fmt.Sprintf(kinds["query"].text, post, manyPages("first: 100", "cursor"))) }
		},
		"small requests": func(s liveServer, _ *longPages, _ string) func() {
			return func() { s.ask(t, "http", "{__typename}") }
		},
		"messages": func(s liveServer, _ *longPages, _ string) func() {
			return func() {
				c := s.connect(t, `{"Authorization":"Bearer alice"}`)
				defer c.Close()
				for range 20 {
					c.send(`{"type":"ping","payload":{"a":"` + long[:20<<10] + `"}}`)
					c.next()
				}
			}
		},
	}
	for _, transport := range transports(t) {
		for name, kind := range kinds {
			switch {
			case kind.of == ast.Subscription && transport == "http": // it does not come
			case name == "begin":
				ways[name+" by "+transport] = func(s liveServer, pages *longPages, post string) func() {
					missed := pages.missed(t, post, 3000)
					return func() { s.ask(t, transport, missed) }
				}
			default:
				ways[name+" by "+transport] = func(s liveServer, _ *longPages, post string) func() {
					names := "comments(first: 100) { edges { node { "
					for i := range 30 {
						names += fmt.Sprintf("a%d: author { username } ", i)
					}
					return func() { s.ask(t, transport, fmt.Sprintf(kind.text, post, names+"} } }")) }
				}
			}
		}
	}
	reference := 0.0
	for _, transport := range transports(t) {
		reference = max(reference, perUnit(t, ways["query by "+transport]))
	}
	for name, way := range ways {
		took := perUnit(t, way)
		t.Logf("%s: %.0f µs of a processor a unit, a query %.0f", name, took, reference)
		if took > 3*reference {
			t.Errorf("%s takes %.0f µs a unit, a query %.0f", name, took, reference)
		}
	}
}

// perUnit returns the microseconds of a processor that a unit takes.
func perUnit(t *testing.T, way func(s liveServer, pages *longPages, post string) func()) float64 {
	t.Helper()
	const rate = 4000
	s, pages, post := longPagesOf(t, func(c *httpapi.Config) { c.Limits[limit.Work], c.Limits[limit.Cost] = rate, rate })
	once := way(s, pages, post)
	once() // what is kept is not paid again
	var cheap strings.Builder
	for i := range 30 {
		fmt.Fprintf(&cheap, "f%d: feed(first: 100) { edges { node { content } } } ", i)
	}
	took, spent := time.Duration(0), 0.0
	for took < 60*time.Millisecond {
		for s.left(t) > 2*rate { // a budget that is whole is not paid back: it takes two seconds to be so from here
			s.query(t, "{"+cheap.String()+"}", "Authorization", "Bearer alice").want(http.StatusOK, "")
		}
		left, began, cpu := s.left(t), time.Now(), ownTime(t)
		once()
		took += ownTime(t) - cpu
		spent += float64(left-s.left(t)) + rate*time.Since(began).Seconds()
	}
	return took.Seconds() / spent * 1e6
}

// ownTime is what this process has taken of processors.
func ownTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// send posts a body of alice's, with its length or without.
func (s liveServer) send(t *testing.T, body string, measured bool) {
	t.Helper()
	r := post(body, "Authorization", "Bearer alice")
	if !measured {
		r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(body))
	}
	s.do(t, r).want(http.StatusOK, "")
}
