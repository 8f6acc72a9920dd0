package httpapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// A text of what HTML would take for its own is answered as it is, and counts by its bytes.
func TestNothingIsEscapedForHTML(t *testing.T) {
	t.Parallel()
	limits := limit.Default
	limits[limit.Answer] = 1000
	for n, code := range map[int]string{900: "", 1000: "QUERY_TOO_COMPLEX"} {
		s := startWith(t, httpapi.Config{Limits: limits})
		text := strings.Repeat("<", n)
		s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
			return blog.Page[blog.Post]{Items: []blog.Post{{Title: text}}}, nil
		}})
		got := s.query(t, "{feed {edges {node {title}}}}")
		if got.want(200, code); code == "" && !strings.Contains(got.body, text) {
			t.Errorf("%s", got.body)
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json;") {
			t.Errorf("a browser may take it for a page: %v", got.header)
		}
	}
}

// Clients that read nothing of their large answers leave memory for those of others.
func TestSlowReadersHoldTheirShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := limit.Default
		limits[limit.Answers] = 8 << 20
		s := startWith(t, httpapi.Config{Limits: limits})
		s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
			return blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 600<<10)}}}, nil
		}})
		var reading sync.WaitGroup
		var all []*slowly
		ask := func(address, subject string) (refused bool) {
			r := post(`{"query":"{feed {edges {node {title}}}}"}`)
			if r.RemoteAddr = address; subject != "" {
				r.Header.Set("Authorization", "Bearer "+subject)
			}
			w := &slowly{ResponseRecorder: httptest.NewRecorder(), read: make(chan error)}
			all = append(all, w)
			reading.Go(func() { s.ServeHTTP(w, r) })
			synctest.Wait()
			return w.Code == http.StatusServiceUnavailable
		}
		refused := 0
		for range 20 {
			if ask("192.0.2.1:1000", "") {
				refused++
			}
		}
		if refused != 15 { // 768 KiB each
			t.Errorf("%d of 20 answers to one address are refused", refused)
		}
		for _, other := range []struct{ address, subject string }{{"192.0.2.1:1000", "alice"}, {"192.0.2.2:1000", ""}, {"192.0.2.1:1000", "bob"}} {
			if ask(other.address, other.subject) {
				t.Errorf("%v is refused", other)
			}
		}
		if s.beyond(t, "answers") != 15 {
			t.Errorf("they are counted %d times", s.beyond(t, "answers"))
		}
		for _, w := range all {
			w.goOn()
		}
		reading.Wait()
		if ask("192.0.2.1:1000", "") {
			t.Error("what was read is not given back")
		}
		all[len(all)-1].goOn()
		reading.Wait()
	})
}

// halfBody is a body of which the rest does not come before it is told to.
type halfBody struct {
	io.Reader
	rest chan struct{}
}

func (h *halfBody) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err == io.EOF {
		<-h.rest
	}
	return n, err
}

func (h *halfBody) Close() error { return nil }

// Clients whose large bodies do not come whole leave memory for those of others. Small bodies
// need none.
func TestSlowBodiesHoldTheirShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := limit.Default
		limits[limit.Bodies] = 8 << 20
		s := startWith(t, httpapi.Config{Limits: limits})
		s.Serve(memory(t, s.Observer()))
		rest := make(chan struct{})
		var coming sync.WaitGroup
		refused := 0
		ask := func(subject string, bytes int) *httptest.ResponseRecorder {
			r, w := post("", "Authorization", "Bearer "+subject), httptest.NewRecorder()
			r.Body = &halfBody{strings.NewReader(`{"query":"{__typename}"` + strings.Repeat(" ", bytes)), rest}
			r.ContentLength = 1 << 20
			coming.Go(func() { s.ServeHTTP(w, r) })
			synctest.Wait()
			return w
		}
		for range 20 {
			if w := ask("mallory", 400<<10); w.Code == http.StatusServiceUnavailable {
				refused++
				if w.Header().Get("Retry-After") != "1" || w.Header().Get("Connection") != "close" || !strings.Contains(w.Body.String(), `"bodies"`) {
					t.Errorf("%v %s", w.Header(), w.Body)
				}
			}
		}
		if refused != 18 { // 2 MiB each: one has as much as it leaves
			t.Errorf("%d of 20 large bodies of one client are refused", refused)
		}
		if w := ask("mallory", 1000); w.Code == http.StatusServiceUnavailable {
			t.Error("a small body is refused")
		}
		if w := ask("alice", 300<<10); w.Code == http.StatusServiceUnavailable {
			t.Error("another client's body is refused")
		}
		if s.beyond(t, "bodies") != 18 {
			t.Errorf("they are counted %d times", s.beyond(t, "bodies"))
		}
		close(rest)
		coming.Wait()
		s.query(t, "{__typename}"+strings.Repeat(" ", 900<<10), "Authorization", "Bearer mallory").want(200, "")
	})
}

// A message of a WebSocket takes of the room from its first bytes on, whether it ends or not.
func TestMessagesThatDoNotEndHoldTheirShare(t *testing.T) {
	t.Parallel()
	limits := limit.Default
	limits[limit.Bodies] = 8 << 20
	s := live(t, httpapi.Config{Limits: limits})
	asked := errors.New("answered")
	refused := func(subject string, bytes int) bool {
		c := s.connect(t, `{"Authorization":"Bearer `+subject+`"}`)
		c.SetPongHandler(func(string) error { return asked }) // what was sent before the ping was read
		if w, err := c.NextWriter(websocket.TextMessage); err == nil {
			_, _ = w.Write([]byte(strings.Repeat(" ", bytes)))
		}
		_ = c.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute))
		_, _, err := c.ReadMessage()
		if err != asked && !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
			t.Error(err)
		}
		return err != asked
	}
	n := 0
	for range 10 {
		if refused("mallory", 400<<10) {
			n++
		}
	}
	if n != 8 { // 2 MiB each: one has as much as it leaves
		t.Errorf("%d of 10 large messages of one client are refused", n)
	}
	if refused("mallory", 1000) {
		t.Error("a small message is refused")
	}
	if refused("alice", 300<<10) {
		t.Error("another client's message is refused")
	}
}
