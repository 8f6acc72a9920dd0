package httpapi_test

import (
	"strings"
	"testing"
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
