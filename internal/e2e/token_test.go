package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/internal/shown"
)

func TestToken(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys")
	code, first, log := command(t, "token", "--new-key", dir, "--subject", "alice")
	if code != 0 || strings.Count(first, ".") != 2 || strings.Count(first, "\n") != 1 {
		t.Fatalf("exit code %d, and a token that is none: %s%s", code, first, log)
	}
	key := filepath.Join(dir, "private.pem")
	if !strings.Contains(log, "broadsheet serve --auth jwt --jwt-key-file "+filepath.Join(dir, "jwks.json")+" --jwt-issuer broadsheet --jwt-audience broadsheet\n") {
		t.Errorf("it does not say how to go on: %s", log)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the private key: %v %v", info.Mode(), err)
	}
	before := fileText(t, key)
	if set := fileText(t, filepath.Join(dir, "jwks.json")); strings.Contains(set, `"d"`) || !strings.Contains(set, `"kid"`) {
		t.Errorf("the public set: %s", set)
	}
	want(t, 1, key+" is there already: sign with it, or name another directory", "token", "--new-key", dir, "--subject", "alice")
	if fileText(t, key) != before {
		t.Error("the key has changed")
	}
	if second := want(t, 0, "", "token", "--key", key, "--subject", "alice"); second == first || strings.Count(second, ".") != 2 {
		t.Errorf("another token: %s", second)
	}
	want(t, 1, "holds no private key in PEM", "token", "--key", filepath.Join(dir, "jwks.json"), "--subject", "alice")
	want(t, 1, "no such file", "token", "--key", filepath.Join(dir, "nothing"), "--subject", "alice")
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the documents show to try tokens with, as a person would run it.
func TestShownTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	var tokens []string
	var serve []string
	for _, line := range shown.Commands(t, repository) {
		args := strings.Fields(strings.ReplaceAll(line, " keys", " "+keys))
		switch {
		case strings.HasPrefix(line, "broadsheet token "):
			if strings.Contains(line, "--new-key") && tokens != nil {
				continue // README.md and docs/identity.md both begin so
			}
			tokens = append(tokens, strings.TrimSpace(want(t, 0, "", args[1:]...)))
		case strings.HasPrefix(line, "broadsheet serve --auth jwt --jwt-key-file "):
			serve = args[2:]
		}
	}
	if len(tokens) < 2 || serve == nil {
		t.Fatalf("the documents show %d ways to a token, and to serve: %v", len(tokens), serve)
	}
	s := start(t, append(serve, "--data-dir", filepath.Join(dir, "data"), "--log-level", "debug")...).ready()
	alice, bob := tokens[0], tokens[1]
	s.as(alice, `mutation { createUser(input: {username: "alice"}) { user { username } } }`, "").ok().want("data.createUser.user.username", "alice")
	s.as(bob, `{ viewer { username } }`, "").ok().want("data.viewer", "null")
	written := s.as(alice, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } } }`, "").ok()
	s.as(bob, `mutation { createUser(input: {username: "bob"}) { user { username } } }`, "").ok()
	s.as(bob, `mutation { deletePost(input: {id: "`+written.at("data.createPost.post.id")+`"}) { userErrors { code } } }`, "").
		want("data.deletePost.userErrors.0.code", "FORBIDDEN")

	foreign := want(t, 0, "", "token", "--key", filepath.Join(keys, "private.pem"), "--subject", "alice", "--audience", "another")
	for token, says := range map[string]string{"alice": "no signed JSON Web Token", strings.TrimSpace(foreign): "for another audience"} {
		if a := s.as(token, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } } }`, ""); a.status != 401 || !strings.Contains(a.text, says) {
			t.Errorf("%d %s, which does not say %s", a.status, a.text, says)
		}
	}
	if n := total(s); n != 1 {
		t.Errorf("the feed has %d posts, not alice's one", n)
	}
	log := s.log.String() + s.out.String()
	for _, token := range append(tokens, foreign) {
		for part := range strings.SplitSeq(strings.TrimSpace(token), ".") {
			if strings.Contains(log, part) {
				t.Errorf("the log has %s", part)
			}
		}
	}
	if page := s.get("/playground").text; !strings.Contains(page, `"headers":"","tabs"`) {
		t.Error("the playground shows a token")
	}
}

// The issuer's keys by HTTP: it may come later than the server.
func TestIssuerThatComesLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := strings.TrimSpace(want(t, 0, "", "token", "--new-key", dir, "--subject", "alice"))
	away := make(chan struct{})
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-away:
			http.ServeFile(w, r, filepath.Join(dir, "jwks.json"))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(issuer.Close)
	s := start(t, "--listen", "0.0.0.0:0", "--auth", "jwt", "--jwks-url", issuer.URL, "--jwt-issuer", "broadsheet", "--jwt-audience", "broadsheet", "--data-dir", filepath.Join(dir, "data"))
	eventually(t, "/readyz names the issuer", func() bool {
		a := s.get("/readyz")
		return a.status == 503 && strings.Contains(a.text, "the issuer's keys")
	})
	s.as("", `{ feed { edges { cursor } } }`, "").ok().want("data.feed.edges", "[]")
	if a := s.as(token, `{ viewer { id } }`, ""); a.status != 503 || !strings.Contains(a.text, `"UNAVAILABLE"`) || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.text)
	}
	close(away)
	s.ready().as(token, `{ viewer { id } }`, "").ok().want("data.viewer", "null")
}

// Whom dev auth would believe must not come by another name.
func TestDevAuthAnswersLoopbackNamesOnly(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo").ready()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/graphql?query=%7B__typename%7D", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example.net"
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestCORSFlag(t *testing.T) {
	t.Parallel()
	s := start(t, "--data-dir", t.TempDir(), "--no-demo", "--cors-origins", "http://localhost:5173,http://127.0.0.1:3000").ready()
	for origin, allowed := range map[string]string{"http://127.0.0.1:3000": "http://127.0.0.1:3000", "http://127.0.0.1:3001": ""} {
		a := s.do(http.MethodGet, "/graphql?query=%7B__typename%7D", "", map[string]string{"Origin": origin})
		if got := a.header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("%s: %q, not %q", origin, got, allowed)
		}
	}
}
