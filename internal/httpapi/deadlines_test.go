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
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
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
// of the request's. It is read at a pace, piece by piece. A small one is the system's at once.
func TestALargeAnswerHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const grace, rate = 10 * time.Second, 64 << 10 // so a piece has a second
		for _, rows := range []int{0, 50, 3000} {
			config := httpapi.Config{Limits: limit.Default}
			config.Limits[limit.AnswerPace] = float64(rate)
			s := startWith(t, config)
			s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
				time.Sleep(9 * time.Second)
				return blog.Page[blog.Post]{Items: make([]blog.Post, rows)}, nil
			}})
			w := &timed{ResponseRecorder: httptest.NewRecorder()}
			s.ServeHTTP(w, post(`{"query":"{feed {edges {cursor node {id title}}}}"}`))
			size, last := w.Body.Len(), time.Now().Add(grace)
			if rows == 0 {
				if len(w.write) > 0 || size > 1000 {
					t.Errorf("%d bytes: the deadlines %v were set", size, w.write)
				}
				continue
			}
			for _, at := range w.write {
				if further := at.Sub(last); further <= 0 || further > time.Second {
					t.Errorf("%d bytes: a deadline is %v behind the one before: %v", size, further, w.write)
				}
				last = at
			}
			if want := grace + time.Duration(size)*time.Second/rate; (time.Until(last)-want).Abs() > time.Millisecond || size < 4<<10 {
				t.Errorf("%d bytes: the last deadline is %v from now, want %v", size, time.Until(last), want)
			}
		}
	})
}

// Where no pace is asked for, all of an answer has one time.
func TestAnAnswerOfAnyPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := httpapi.Config{Limits: limit.Default}
		config.Limits[limit.AnswerPace] = 0
		s := startWith(t, config)
		s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
			return blog.Page[blog.Post]{Items: make([]blog.Post, 3000)}, nil
		}})
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		s.ServeHTTP(w, post(`{"query":"{feed {edges {cursor node {id title}}}}"}`))
		if len(w.write) != 1 || !w.write[0].Equal(time.Now().Add(httpapi.WriteTimeout)) {
			t.Errorf("the deadlines %v were set", w.write)
		}
	})
}
