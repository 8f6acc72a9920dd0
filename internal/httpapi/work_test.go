package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// working returns an API whose clients may each have so many units of work done a second.
func working(t *testing.T, perSecond float64) server {
	t.Helper()
	return limited(t, func(c *httpapi.Config) { c.Limits[limit.Work] = perSecond })
}

const costly = "{feed(first: 100) {edges {node {content}}}}" // 103 partitions

// A client's work is refused once its budget is used up, until there is some again; another's is
// not.
func TestABudgetOfWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := working(t, 100)
		ask := func(subject string) answer {
			return s.query(t, costly, "Authorization", "Bearer "+subject)
		}
		for range 5 { // 500 units at once
			ask("alice").want(200, "")
		}
		refused := ask("alice")
		refused.want(429, "RATE_LIMITED")
		wait, err := strconv.Atoi(refused.header.Get("Retry-After"))
		if err != nil || wait != 1 || !strings.Contains(refused.body, `"limit":"work"`) || s.beyond(t, "work") != 1 {
			t.Errorf("Retry-After %q; counted %d times: %s", refused.header.Get("Retry-After"), s.beyond(t, "work"), refused.body)
		}
		if got := refused.header.Get("RateLimit"); got != `"work";r=0;t=6` || refused.header.Get("RateLimit-Policy") != `"work";q=500;w=5;qu="work-units"` {
			t.Errorf("RateLimit: %s", got)
		}
		ask("bob").want(200, "")
		time.Sleep(time.Duration(wait) * time.Second)
		ask("alice").want(200, "")
		ask("alice").want(429, "RATE_LIMITED")
		time.Sleep(6 * time.Second)
		if got := ask("alice"); got.header.Get("RateLimit") != `"work";r=395;t=2` {
			t.Errorf("after some time: %s", got.header.Get("RateLimit"))
		}
	})
}

// budget asks an operation with the extension, and returns what that tells.
func (s server) budget(t *testing.T, text, headers string) (told struct{ Limit, PerSecond, Remaining, Spent float64 }) {
	t.Helper()
	body, _ := json.Marshal(text)
	got := s.do(t, post(`{"query":`+string(body)+`,"extensions":{"budget":true}}`, "Authorization", "Bearer "+headers))
	var response struct {
		Extensions struct {
			Budget *struct{ Limit, PerSecond, Remaining, Spent float64 }
		}
	}
	if err := json.Unmarshal([]byte(got.body), &response); err != nil || response.Extensions.Budget == nil {
		t.Fatalf("nothing is told: %v %s", err, got.body)
	}
	return *response.Extensions.Budget
}

// The extension tells what a request took and what is left: a document is paid for when it is
// new.
func TestTheBudgetIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := working(t, 1000)
		first := s.budget(t, costly, "alice")
		if first.Limit != 5000 || first.PerSecond != 1000 || first.Spent != 2+1+103 || first.Remaining != 5000-first.Spent {
			t.Errorf("%+v", first)
		}
		if again := s.budget(t, costly, "alice"); again.Spent != first.Spent-1 || again.Remaining != first.Remaining-again.Spent {
			t.Errorf("the second time: %+v", again)
		}
	})
	s := serving(t)
	if got := s.do(t, post(`{"query":"{__typename}","extensions":{"budget":true}}`)); strings.Contains(got.body, "extensions") || got.header.Get("RateLimit") != "" {
		t.Errorf("a server without budgets tells one: %s", got.body)
	}
}

// What fails is paid for, too: large bodies, unknown names, fields that repeat.
func TestFailuresArePaidFor(t *testing.T) {
	t.Parallel()
	var unknown strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&unknown, "unknown%d ", i)
	}
	for name, c := range map[string]struct {
		text  string
		units int
	}{
		"unknown names": {"{" + unknown.String() + "}", 4000 / 16},
		"repetition":    {"{" + strings.Repeat("__typename ", 220) + "}", 220 * 220 / 2 / 400},
		"a long body":   {"{nothing}" + strings.Repeat(" ", 1_000_000), 2 * 1_000_000 / 4096},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := working(t, 1000)
				got := s.query(t, c.text, "Authorization", "Bearer alice")
				var left int
				if _, err := fmt.Sscanf(got.header.Get("RateLimit"), `"work";r=%d;`, &left); err != nil || 5000-left < c.units || 5000-left > c.units+60 {
					t.Errorf("it took %d units, not some %d: %v, %.100s", 5000-left, c.units, err, got.body)
				}
			})
		})
	}
}

// A large answer is paid for while it is written, and ends where its client is too deep in debt.
// A mutation whose answer can't be paid says that it was executed, and is no 429: nobody is to try it again.
func TestAnAnswerThatCantBePaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := working(t, 10)
		store := memory(t, s.Observer())
		s.Serve(feedOf{store, blog.Page[blog.Post]{Items: []blog.Post{{Title: strings.Repeat("x", 1<<20)}}}})
		got := s.query(t, "{feed {edges {node {title}}}}", "Authorization", "Bearer alice")
		if got.want(429, "RATE_LIMITED"); strings.Contains(got.body, `"data"`) || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, `"limit":"work"`) {
			t.Errorf("%v %.200s", got.header, got.body)
		}
		s.query(t, "{__typename}", "Authorization", "Bearer alice").want(429, "RATE_LIMITED")
		s.query(t, `mutation {createUser(input: {username: "bob"}) {user {id}}}`, "Authorization", "Bearer bob").want(200, "")
		time.Sleep(10 * time.Second)
		text := strings.Repeat("x", 60_000)
		got = s.query(t, `mutation {createPost(input: {title: "T", content: "`+text+`"}) {post {`+strings.Repeat("content ", 1)+`a: content b: content c: content d: content e: content f: content}}}`, "Authorization", "Bearer bob")
		if got.want(200, "RATE_LIMITED"); !strings.Contains(got.body, `"executed":true`) || !strings.HasSuffix(strings.TrimSpace(got.body), `"data":null}`) {
			t.Errorf("%.300s", got.body)
		}
		time.Sleep(time.Minute)
		if got := s.query(t, `{user(username: "bob") {posts {edges {node {title}}}}}`, "Authorization", "Bearer bob"); strings.Count(got.body, `"title"`) != 1 {
			t.Errorf("it was not executed once: %.300s", got.body)
		}
	})
}

// feedOf is a store with a feed of its own.
type feedOf struct {
	blog.Store
	page blog.Page[blog.Post]
}

func (f feedOf) Feed(context.Context, blog.PageRequest[blog.PostID]) (blog.Page[blog.Post], error) {
	return f.page, nil
}
