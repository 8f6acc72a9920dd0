package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	s := serving(t)
	if got := s.query(t, `mutation {createUser(input: {username: "alice"}) {user {username}}}`, "Authorization", "Bearer alice"); !strings.Contains(got.body, `"alice"`) {
		t.Fatal(got.body)
	}
	const viewer = "{viewer {username}}"
	for name, c := range map[string]struct{ header, viewer string }{
		"alice":                     {"Bearer alice", `{"username":"alice"}`},
		"the scheme in any case":    {"bEARER alice", `{"username":"alice"}`},
		"more than one space":       {"Bearer   alice", `{"username":"alice"}`},
		"somebody without account":  {"Bearer nobody", "null"},
		"characters that JWTs have": {"Bearer ey.J-_=/+~", "null"},
		"the longest":               {"Bearer " + strings.Repeat("a", 255), "null"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.query(t, viewer, "Authorization", c.header)
			if want := `{"data":{"viewer":` + c.viewer + `}}`; got.body != want {
				t.Errorf("%d %s, not %s", got.status, got.body, want)
			}
		})
	}
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	s := serving(t)
	const write = `mutation {createUser(input: {username: "mallory"}) {user {username}}}`
	for name, header := range map[string]string{
		"no scheme":          "alice",
		"no token":           "Bearer",
		"an empty token":     "Bearer  ",
		"another scheme":     "Basic YTpi",
		"two tokens":         "Bearer alice bob",
		"a tab in it":        "Bearer al\tice",
		"a control":          "Bearer al\x01ice",
		"no UTF-8":           "Bearer al\xffice",
		"longer than it may": "Bearer " + strings.Repeat("a", 256),
		"an empty header":    "",
	} {
		t.Run(name, func(t *testing.T) {
			got := s.query(t, write, "Authorization", header)
			got.want(401, "UNAUTHENTICATED")
			if challenge := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
		})
	}
	t.Run("two headers", func(t *testing.T) {
		r := post(`{"query":"{__typename}"}`, "Authorization", "Bearer alice")
		r.Header.Add("Authorization", "Bearer bob")
		s.do(t, r).want(401, "UNAUTHENTICATED")
	})
	if got := s.query(t, `{user(username: "mallory") {id}}`); got.body != `{"data":{"user":null}}` {
		t.Errorf("something was executed: %s", got.body)
	}
}

// Bad tokens beyond an address's budget for them are not judged; a token that is known is, and one of another
// address. Good tokens cost nothing.
func TestBadTokensHaveABudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		judged := 0
		s := limited(t, func(c *httpapi.Config) {
			c.Limits[limit.Work] = 40
			c.Tokens = tokens{known: "known", bearer: func(_ context.Context, token string) (b blog.Bearer, err error) {
				if judged++; strings.HasPrefix(token, "forged") {
					err = blog.Errorf(blog.Invalid, "the token is not signed")
				}
				return blog.Bearer{Subject: token}, err
			}}
		})
		ask := func(token, from string) answer {
			r := post(`{"query":"{__typename}"}`, "Authorization", "Bearer "+token)
			r.RemoteAddr = from + ":1"
			return s.do(t, r)
		}
		for i := range 40 {
			ask(fmt.Sprint("good", i), "192.0.2.1").want(200, "")
		}
		for range 11 { // until there is a debt
			ask("forged", "192.0.2.1").want(401, "UNAUTHENTICATED")
		}
		judged = 0
		for range 100 {
			if got := ask("forged", "192.0.2.1"); got.status != 429 || got.header.Get("Retry-After") != "1" || !strings.Contains(got.body, `"limit":"work"`) {
				t.Fatalf("a bad token beyond the budget: %d, %v, %s", got.status, got.header, got.body)
			}
		}
		if judged > 0 {
			t.Errorf("%d of 100 bad tokens beyond the budget were judged", judged)
		}
		ask("unknown", "192.0.2.1").want(429, "RATE_LIMITED")
		ask("known", "192.0.2.1").want(200, "")
		ask("unknown", "192.0.2.2").want(200, "")
		time.Sleep(time.Second)
		ask("unknown", "192.0.2.1").want(200, "")
	})
}
