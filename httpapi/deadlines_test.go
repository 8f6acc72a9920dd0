package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/httpapi"
)

// timed is a response whose connection has deadlines. Those that are set are noted.
type timed struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (w *timed) SetReadDeadline(at time.Time) error {
	w.read = append(w.read, at)
	return nil
}

func (w *timed) SetWriteDeadline(at time.Time) error {
	w.write = append(w.write, at)
	return nil
}

// The deadline for reading a request ends with its body, or else a long operation would be
// cancelled as if its client had left. It stays for a body that does not come whole.
func TestTheTimeForReadingEndsWithTheBody(t *testing.T) {
	t.Parallel()
	s := serving(t)
	whole := post(`{"query":"{__typename}"}`)
	broken := httptest.NewRequest(http.MethodPost, "/graphql", iotest.ErrReader(errors.New("gone")))
	broken.Header.Set("Content-Type", "application/json")
	long := post(`{"query":"{__typename}"}` + strings.Repeat(" ", 2<<20))
	long.ContentLength = -1
	for name, c := range map[string]struct {
		r    *http.Request
		ends bool
	}{"whole": {whole, true}, "broken": {broken, false}, "too long": {long, false}} {
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		s.ServeHTTP(w, c.r)
		if ended := len(w.read) == 1 && w.read[0].IsZero(); ended != c.ends || len(w.read) > 1 {
			t.Errorf("%s: the deadlines %v were set", name, w.read)
		}
	}
}

// A large answer has its own time from when it is written: its operation may have taken most
// of the request's. A small one is the system's at once.
func TestALargeAnswerHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, rows := range []int{0, 50} {
			s := start(t)
			s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
				time.Sleep(9 * time.Second)
				return blog.Page[blog.Post]{Items: make([]blog.Post, rows)}, nil
			}})
			w := &timed{ResponseRecorder: httptest.NewRecorder()}
			s.ServeHTTP(w, post(`{"query":"{feed {edges {cursor node {id title}}}}"}`))
			size := w.Body.Len()
			switch want := time.Now().Add(httpapi.WriteTimeout); {
			case rows == 0 && (len(w.write) > 0 || size > 1000):
				t.Errorf("%d bytes: the deadlines %v were set", size, w.write)
			case rows > 0 && (len(w.write) != 1 || !w.write[0].Equal(want) || size < 4<<10):
				t.Errorf("%d bytes: the deadlines %v were set, want %v", size, w.write, want)
			}
		}
	})
}
