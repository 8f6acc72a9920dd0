package identity_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"go.uber.org/goleak"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// One key of each kind, and another RSA key, that the tests share: RSA's take time.
var (
	rsaKey             = must(rsa.GenerateKey(rand.Reader, 2048))
	otherRSA           = must(rsa.GenerateKey(rand.Reader, 2048))
	weakRSA            = must(rsa.GenerateKey(rand.Reader, 1024))
	ecKey              = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	ec384              = must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	edPublic, edKey, _ = ed25519.GenerateKey(rand.Reader)
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// now is the tests' time, unless they move it.
var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that a test sets.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.nanos.Store(now.UnixNano())
	return c
}

func (c *clock) Now() time.Time { return time.Unix(0, c.nanos.Load()) }

func (c *clock) pass(d time.Duration) { c.nanos.Add(int64(d)) }

const (
	issuerName = "https://issuer.example.org/"
	audience   = "https://blog.example.org"
)

// claims are those of a good token for alice, changed by pairs of a name and a value;
// nil takes one away.
func claims(changes ...any) map[string]any {
	all := map[string]any{"iss": issuerName, "aud": audience, "sub": "alice", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
	for i := 0; i+1 < len(changes); i += 2 {
		if all[changes[i].(string)] = changes[i+1]; changes[i+1] == nil {
			delete(all, changes[i].(string))
		}
	}
	return all
}

// signed returns a token. An empty keyID: the header has none.
func signed(t *testing.T, key any, algorithm jose.SignatureAlgorithm, keyID string, payload any, headers ...string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	for i := 0; i+1 < len(headers); i += 2 {
		options.WithHeader(jose.HeaderKey(headers[i]), headers[i+1])
	}
	if keyID != "" {
		options.WithHeader("kid", keyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	return must(signature.CompactSerialize())
}

// jwks is the set of some keys, by their ids.
func jwks(keys map[string]crypto.PublicKey) []byte {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for id, k := range keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: k, KeyID: id, Use: "sig"})
	}
	return must(json.Marshal(set))
}

// issuer serves a key set.
type issuer struct {
	*httptest.Server
	fetches atomic.Int64
	answer  atomic.Pointer[func(http.ResponseWriter)]
}

func newIssuer(t *testing.T, keys map[string]crypto.PublicKey) *issuer {
	t.Helper()
	i := &issuer{}
	i.has(keys)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.fetches.Add(1)
		(*i.answer.Load())(w)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) answers(answer func(http.ResponseWriter)) { i.answer.Store(&answer) }

func (i *issuer) has(keys map[string]crypto.PublicKey) {
	set := jwks(keys)
	i.answers(func(w http.ResponseWriter) { _, _ = w.Write(set) })
}

func (i *issuer) away() {
	i.answers(func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
}

// server is the API, with a verifier and an empty store.
type server struct {
	*httpapi.API
	log   *lines
	store blog.Store
}

// complete is a configuration with what every one needs.
func complete(c identity.Config) identity.Config {
	if c.Issuer == "" {
		c.Issuer, c.Audiences = issuerName, []string{audience}
	}
	if c.Clock == nil {
		c.Clock = newClock()
	}
	c.Refresh, c.Log = cmp.Or(c.Refresh, 5*time.Minute), slog.New(slog.DiscardHandler)
	return c
}

// serve runs an API whose verifier is configured so, beside what every one needs.
func serve(t *testing.T, c identity.Config) server {
	t.Helper()
	log := &lines{}
	c = complete(c)
	c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	v, err := identity.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { v.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	store, err := embedded.InMemory(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	s := server{httpapi.New(httpapi.Config{Log: c.Log, Tokens: v, SDL: "type Query\n"}), log, store}
	s.Serve(store)
	return s
}

// besideDev returns another server of the same store, whose tokens are subjects.
func (s server) besideDev(t *testing.T) server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(s.log, nil))
	s.API = httpapi.New(httpapi.Config{Log: log, Tokens: httpapi.DevTokens{}, SDL: "type Query\n"})
	s.Serve(s.store)
	return s
}

// ready waits until the issuer's keys have arrived.
func (s server) ready(t *testing.T) server {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for s.get("/readyz").Code != http.StatusOK {
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %s", s.log.text())
		}
		time.Sleep(time.Millisecond)
	}
	return s
}

func (s server) get(target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// as sends an operation with a token; none where it is empty.
func (s server) as(token, query string) answer {
	body := must(json.Marshal(map[string]string{"query": query}))
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

type answer struct {
	status int
	header http.Header
	text   string
}

// want fails the test unless the answer has a status and a code, and says something.
func (a answer) want(t *testing.T, status int, code, says string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.text, `"code":"`+code+`"`) || !strings.Contains(a.text, says) {
		t.Errorf("%d %s; want %d %s: %s", a.status, a.text, status, code, says)
	}
}

const whoAmI = `{viewer {username}}`

// accepted fails the test unless a token is.
func (s server) accepted(t *testing.T, token string) {
	t.Helper()
	if a := s.as(token, whoAmI); a.status != http.StatusOK || !strings.HasPrefix(a.text, `{"data":{"viewer":`) {
		t.Errorf("%d %s", a.status, a.text)
	}
}

type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
