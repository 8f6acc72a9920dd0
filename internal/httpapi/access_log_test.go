package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
)

// entry is a line of a log in JSON.
type entry map[string]any

func (l *lines) entries(t *testing.T, message string) (found []entry) {
	t.Helper()
	for _, line := range l.with(`"msg":"` + message + `"`) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		found = append(found, e)
	}
	return found
}

// logging returns an API that logs JSON.
func logging(t *testing.T, c httpapi.Config) server {
	t.Helper()
	log := &lines{}
	c.Log = slog.New(slog.NewJSONHandler(log, nil))
	s := startWith(t, c)
	s.log = log
	return s
}

func TestAccessLogFields(t *testing.T) {
	t.Parallel()
	s := logging(t, httpapi.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	s.Serve(memory(t, s.Observer()))
	s.query(t, "query Front {feed {edges {cursor}} user(username: \"alice\") {id}}", "X-Request-Id", "whole",
		"User-Agent", "curl/8", "X-Forwarded-For", "10.0.0.1, 203.0.113.9")
	found := s.log.entries(t, "request")
	if len(found) != 1 {
		t.Fatalf("%d lines", len(found))
	}
	e := found[0]
	for field, want := range map[string]any{
		"level": "INFO", "method": "POST", "path": "/graphql", "status": 200.0, "request": "whole",
		"remote": "203.0.113.9", "user_agent": "curl/8",
		"operation": "query", "name": "Front", "code": "OK", "statements": 2.0, "partitions": 2.0,
	} {
		if e[field] != want {
			t.Errorf("%s is %v, not %v", field, e[field], want)
		}
	}
	for _, field := range []string{"bytes", "took"} {
		if n, _ := e[field].(float64); n <= 0 {
			t.Errorf("%s is %v", field, e[field])
		}
	}
}

// Of few requests each has a line, and so has each that failed.
func TestAccessLogOfFew(t *testing.T) {
	t.Parallel()
	s := logging(t, httpapi.Config{LogEvery: 1000})
	s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
		return blog.Page[blog.Post]{}, &blog.Error{Kind: blog.Unavailable, Message: "away"}
	}})
	for range 9 {
		s.query(t, "{__typename}")
		s.query(t, feed)
	}
	levels := map[any]int{}
	for _, e := range s.log.entries(t, "request") {
		levels[e["level"]]++
	}
	if levels["INFO"] != 9 || levels["WARN"] != 9 || len(levels) != 2 {
		t.Errorf("%v", levels)
	}
}

// Of many requests in a second no more than a hundred have a line.
func TestAccessLogOfMany(t *testing.T) {
	t.Parallel()
	s := logging(t, httpapi.Config{LogEvery: 1000})
	s.Serve(stub{})
	began := time.Now()
	for range 500 {
		s.query(t, "{__typename}")
	}
	seconds := int(time.Since(began)/time.Second) + 2 // of the clock, that they were in at most
	if n := len(s.log.entries(t, "request")); n > 100*seconds {
		t.Errorf("%d of 500 requests within %d seconds have a line", n, seconds)
	}
}

// Whatever a client sends, a request makes one line, of bounded size, that holds none
// of its secrets.
func TestAccessLogIsSafe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 5000)
	for name, format := range map[string]func(*lines) slog.Handler{
		"text": func(l *lines) slog.Handler {
			return slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
		"json": func(l *lines) slog.Handler {
			return slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := &lines{}
			s := startWith(t, httpapi.Config{Log: slog.New(format(log))})
			s.Serve(memory(t, nil))
			body, err := json.Marshal(map[string]any{"query": "query X($v: String) {sesame(a: $v)}", "variables": map[string]string{"v": "sesame"}})
			if err != nil {
				t.Fatal(err)
			}
			s.do(t, post(string(body), "Authorization", "Bearer sesame", "User-Agent", "a\nlevel=ERROR msg=forged\x1b[31m\xff"+long))
			s.query(t, "query "+strings.Repeat("n", 5000)+" {__typename}", "Cookie", "sesame", "X-Forwarded-For", "sesame")
			s.get(t, "/graphql?query="+url.QueryEscape("{sesame}")+"&variables="+url.QueryEscape(`{"v":"sesame"}`))
			s.get(t, "/"+long+"%0Alevel=ERROR%00")
			s.do(t, httptest.NewRequest(strings.Repeat("M", 5000), "/graphql", nil))
			if n := len(log.with("forged")); n != 1 {
				t.Errorf("a client's line end made %d lines", n)
			}
			all := log.with("")
			if hints := log.with("--trusted-proxies"); len(hints) != 1 || len(all)-len(hints) != 5 {
				t.Errorf("%d lines for 5 requests, and %d hints", len(all)-len(hints), len(hints))
			}
			for _, line := range all {
				if len(line) > 2000 || !utf8.ValidString(line) || strings.ContainsAny(line, "\x00\x1b") {
					t.Errorf("%d bytes: %.3000q", len(line), line)
				}
				if strings.Contains(line, "sesame") {
					t.Errorf("it holds what it must not: %s", line)
				}
			}
		})
	}
}

// What went wrong inside is in the log, under the id that the client is told.
func TestInternalErrorsHideBehindTheirRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Serve(stub{feed: func(context.Context) (blog.Page[blog.Post], error) {
		return blog.Page[blog.Post]{}, errors.New("sesame at 10.1.2.3")
	}})
	got := s.query(t, feed)
	got.want(200, "INTERNAL_SERVER_ERROR")
	id := got.header.Get("X-Request-Id")
	var told struct {
		Errors []struct{ Extensions struct{ RequestID string } }
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(got.body))).Decode(&told); err != nil {
		t.Fatal(err)
	}
	if told.Errors[0].Extensions.RequestID != id || strings.Contains(got.body, "sesame") {
		t.Errorf("the client is told %s, of request %s", got.body, id)
	}
	if lines := s.log.with("request=" + id); len(lines) != 2 || !strings.Contains(lines[0], "sesame at 10.1.2.3") || !strings.Contains(lines[1], "code=INTERNAL_SERVER_ERROR") {
		t.Errorf("the log says of it: %q", lines)
	}
}
