package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/shown"
)

func TestToken(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "keys")
	code, first, log := harness.Command(t, "token", "--new-key", dir, "--subject", "alice")
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
	harness.Want(t, 1, key+" is there already: sign with it, or name another directory", "token", "--new-key", dir, "--subject", "alice")
	if fileText(t, key) != before {
		t.Error("the key has changed")
	}
	if second := harness.Want(t, 0, "", "token", "--key", key, "--subject", "alice"); second == first || strings.Count(second, ".") != 2 {
		t.Errorf("another token: %s", second)
	}
	harness.Want(t, 1, "holds no private key in PEM", "token", "--key", filepath.Join(dir, "jwks.json"), "--subject", "alice")
	harness.Want(t, 1, "no such file", "token", "--key", filepath.Join(dir, "nothing"), "--subject", "alice")
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
	for _, line := range shown.Commands(t, harness.Repository) {
		args := strings.Fields(strings.ReplaceAll(line, " keys", " "+keys))
		switch {
		case strings.HasPrefix(line, "broadsheet token "):
			if strings.Contains(line, "--new-key") && tokens != nil {
				continue // README.md and docs/identity.md both begin so
			}
			tokens = append(tokens, strings.TrimSpace(harness.Want(t, 0, "", args[1:]...)))
		case strings.HasPrefix(line, "broadsheet serve --auth jwt --jwt-key-file "):
			serve = args[2:]
		}
	}
	if len(tokens) < 2 || serve == nil {
		t.Fatalf("the documents show %d ways to a token, and to serve: %v", len(tokens), serve)
	}
	s := harness.Start(t, append(serve, "--data-dir", filepath.Join(dir, "data"), "--log-level", "debug")...).Ready()
	alice, bob := tokens[0], tokens[1]
	s.As(alice, `mutation { createUser(input: {username: "alice"}) { user { username } } }`, "").OK().Want("data.createUser.user.username", "alice")
	s.As(bob, `{ viewer { username } }`, "").OK().Want("data.viewer", "null")
	written := s.As(alice, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } } }`, "").OK()
	s.As(bob, `mutation { createUser(input: {username: "bob"}) { user { username } } }`, "").OK()
	s.As(bob, `mutation { deletePost(input: {id: "`+written.At("data.createPost.post.id")+`"}) { userErrors { code } } }`, "").
		Want("data.deletePost.userErrors.0.code", "FORBIDDEN")

	foreign := harness.Want(t, 0, "", "token", "--key", filepath.Join(keys, "private.pem"), "--subject", "alice", "--audience", "another")
	for token, says := range map[string]string{"alice": "no signed JSON Web Token", strings.TrimSpace(foreign): "for another audience"} {
		if a := s.As(token, `mutation { createPost(input: {title: "T", content: "C"}) { post { id } } }`, ""); a.Status != 401 || !strings.Contains(a.Text, says) {
			t.Errorf("%d %s, which does not say %s", a.Status, a.Text, says)
		}
	}
	if n := total(s); n != 1 {
		t.Errorf("the feed has %d posts, not alice's one", n)
	}
	log := s.Log.String() + s.Out.String()
	for _, token := range append(tokens, foreign) {
		for part := range strings.SplitSeq(strings.TrimSpace(token), ".") {
			if strings.Contains(log, part) {
				t.Errorf("the log has %s", part)
			}
		}
	}
	if page := s.Get("/playground").Text; !strings.Contains(page, `"headers":"","tabs"`) {
		t.Error("the playground shows a token")
	}
}

// The issuer's keys by HTTP: it may come later than the server.
func TestIssuerThatComesLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := strings.TrimSpace(harness.Want(t, 0, "", "token", "--new-key", dir, "--subject", "alice"))
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
	s := harness.Start(t, "--listen", "0.0.0.0:0", "--auth", "jwt", "--jwks-url", issuer.URL, "--jwt-issuer", "broadsheet", "--jwt-audience", "broadsheet", "--data-dir", filepath.Join(dir, "data"))
	harness.Eventually(t, "/readyz names the issuer", func() bool {
		a := s.Get("/readyz")
		return a.Status == 503 && strings.Contains(a.Text, "the issuer's keys")
	})
	s.As("", `{ feed { edges { cursor } } }`, "").OK().Want("data.feed.edges", "[]")
	if a := s.As(token, `{ viewer { id } }`, ""); a.Status != 503 || !strings.Contains(a.Text, `"UNAVAILABLE"`) || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.Status, a.Text)
	}
	close(away)
	s.Ready().As(token, `{ viewer { id } }`, "").OK().Want("data.viewer", "null")
}

// Whom dev auth would believe must not come by another name.
func TestDevAuthAnswersLoopbackNamesOnly(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo").Ready()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/graphql?query=%7B__typename%7D", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example.net"
	response, err := s.Client.Do(r)
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
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--cors-origins", "http://localhost:5173,http://127.0.0.1:3000").Ready()
	for origin, allowed := range map[string]string{"http://127.0.0.1:3000": "http://127.0.0.1:3000", "http://127.0.0.1:3001": ""} {
		a := s.Do(http.MethodGet, "/graphql?query=%7B__typename%7D", "", map[string]string{"Origin": origin})
		if got := a.Header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("%s: %q, not %q", origin, got, allowed)
		}
	}
}
