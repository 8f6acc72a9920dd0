package identity_test

import (
	"bytes"
	"context"
	"crypto"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"broadsheet/internal/identity"
)

// The issuer signs with a new key and publishes the old one no more: the first token of
// the new key brings both to every server.
func TestRotation(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, map[string]crypto.PublicKey{"old": &rsaKey.PublicKey})
	s := serve(t, identity.Config{JWKSURL: i.URL}).ready(t)
	old, fresh := signed(t, rsaKey, jose.RS256, "old", claims()), signed(t, ecKey, jose.ES256, "new", claims())
	s.accepted(t, old)
	i.has(map[string]crypto.PublicKey{"new": &ecKey.PublicKey})
	s.accepted(t, fresh)
	s.as(old, whoAmI).want(t, 401, "UNAUTHENTICATED", "a key that the issuer does not have")
	s.accepted(t, fresh)
	if n := i.fetches.Load(); n != 2 {
		t.Errorf("%d fetches, not 2", n)
	}
}

// A key that was withdrawn is found out without anybody's token.
func TestKeysAreRefreshedInTheBackground(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, map[string]crypto.PublicKey{"old": &rsaKey.PublicKey})
	s := serve(t, identity.Config{JWKSURL: i.URL, Refresh: time.Millisecond}).ready(t)
	old := signed(t, rsaKey, jose.RS256, "old", claims())
	s.accepted(t, old)
	i.has(map[string]crypto.PublicKey{"new": &ecKey.PublicKey})
	for deadline := time.Now().Add(time.Minute); s.as(old, whoAmI).status != http.StatusUnauthorized; {
		if time.Now().After(deadline) {
			t.Fatal("the old key is still believed")
		}
	}
}

// A server may be started before its issuer: reads go on, and no token is called bad.
func TestIssuerAwayAtTheStart(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, published)
	i.away()
	c := newClock()
	s := serve(t, identity.Config{JWKSURL: i.URL, Clock: c})
	token := signed(t, ecKey, jose.ES256, "ec", claims())
	a := s.as(token, whoAmI)
	a.want(t, 503, "UNAVAILABLE", "the issuer's keys can't be had now")
	if a.header.Get("Retry-After") == "" || a.header.Get("WWW-Authenticate") != "" {
		t.Errorf("the headers: %v", a.header)
	}
	s.accepted(t, "")
	s.as("nonsense", whoAmI).want(t, 401, "UNAUTHENTICATED", "no signed JSON Web Token")
	if ready := s.get("/readyz"); ready.Code != 503 || !strings.Contains(ready.Body.String(), "the issuer's keys") {
		t.Errorf("/readyz: %d %s", ready.Code, ready.Body)
	}
	i.has(published)
	s.comesToAccept(t, c, token)
	if ready := s.get("/readyz"); ready.Code != 200 {
		t.Errorf("/readyz: %d %s", ready.Code, ready.Body)
	}
}

// comesToAccept sends a token until it is accepted: an attempt that failed may still
// have been under way.
func (s server) comesToAccept(t *testing.T, c *clock, token string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		c.pass(10 * time.Second)
		a := s.as(token, whoAmI)
		if a.status == http.StatusOK {
			return
		}
		a.want(t, 503, "UNAVAILABLE", "")
		if time.Now().After(deadline) {
			t.Fatal("not accepted within a minute")
		}
	}
}

func TestIssuerAwayLater(t *testing.T) {
	t.Parallel()
	// Another address of this machine, that the URL itself could not name.
	elsewhere := strings.Replace(newIssuer(t, published).URL, "127.0.0.1", "0.0.0.0", 1)
	for name, away := range map[string]func(*issuer){
		"an error": func(i *issuer) { i.away() },
		"an error with a set": func(i *issuer) {
			i.answers(func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusBadGateway)
				_, _ = w.Write(jwks(published))
			})
		},
		"a broken answer":   func(i *issuer) { i.answers(func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }) },
		"a set of no keys":  func(i *issuer) { i.has(nil) },
		"a closed listener": func(i *issuer) { i.Close() },
		"an endless set": func(i *issuer) {
			set := append(jwks(published), bytes.Repeat([]byte(" "), 1<<20)...)
			i.answers(func(w http.ResponseWriter) { _, _ = w.Write(set) })
		},
		"a way without TLS": func(i *issuer) {
			i.answers(func(w http.ResponseWriter) {
				w.Header().Set("Location", elsewhere)
				w.WriteHeader(http.StatusFound)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t, map[string]crypto.PublicKey{"old": &rsaKey.PublicKey})
			c := newClock()
			s := serve(t, identity.Config{JWKSURL: i.URL, Clock: c}).ready(t)
			old, fresh := signed(t, rsaKey, jose.RS256, "old", claims()), signed(t, ecKey, jose.ES256, "ec", claims())
			away(i)
			s.as(fresh, whoAmI).want(t, 503, "UNAVAILABLE", "the issuer's keys can't be had now")
			s.accepted(t, old)
			if ready := s.get("/readyz"); ready.Code != 200 {
				t.Errorf("/readyz: %d %s", ready.Code, ready.Body)
			}
			if !strings.Contains(s.log.text(), "the issuer's keys can't be fetched") {
				t.Errorf("the log: %s", s.log.text())
			}
			if name == "a closed listener" {
				return
			}
			i.has(published)
			s.comesToAccept(t, c, fresh)
		})
	}
}

// Keys that were fetched too long ago are not believed: a key may have been withdrawn since.
func TestKeysHaveAGreatestAge(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, published)
	c := newClock()
	s := serve(t, identity.Config{JWKSURL: i.URL, Clock: c, KeysAge: time.Hour}).ready(t)
	token := signed(t, ecKey, jose.ES256, "ec", claims("exp", now.Add(24*time.Hour).Unix()))
	s.accepted(t, token)
	i.away()
	c.pass(time.Hour)
	s.accepted(t, token)
	c.pass(time.Second)
	s.as(token, whoAmI).want(t, 503, "UNAVAILABLE", "the issuer's keys can't be had now")
	if ready := s.get("/readyz"); ready.Code != 200 || !strings.Contains(ready.Body.String(), `"writesRefused":"the issuer's keys`) {
		t.Errorf("/readyz: %d %s", ready.Code, ready.Body)
	}
	s.accepted(t, "")
	i.has(published)
	s.comesToAccept(t, c, token)
}

// How current the keys are is told.
func TestKeysTellTheirAge(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, published)
	i.away()
	c := newClock()
	v, err := identity.New(complete(identity.Config{JWKSURL: i.URL, Clock: c}))
	if err != nil {
		t.Fatal(err)
	}
	if last, ok, failed, changing := v.Fetches(); !last.IsZero() || ok > 0 || failed > 0 || !changing {
		t.Errorf("before the first: %v, %d, %d, %v", last, ok, failed, changing)
	}
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	running.Go(func() { v.Run(ctx) })
	defer running.Wait()
	defer cancel()
	until := func(holds func(last time.Time, ok, failed uint64) bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			last, ok, failed, _ := v.Fetches()
			if holds(last, ok, failed) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal(last, ok, failed)
			}
		}
	}
	until(func(last time.Time, ok, failed uint64) bool { return failed > 0 && ok == 0 && last.IsZero() })
	i.has(published)
	until(func(last time.Time, ok, _ uint64) bool { return ok > 0 && last.Equal(now) })
}

// Tokens that anybody can make up must not turn this server against the issuer.
func TestAFloodOfUnknownKeys(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, published)
	c := newClock()
	s := serve(t, identity.Config{JWKSURL: i.URL, Clock: c}).ready(t)
	good := signed(t, ecKey, jose.ES256, "ec", claims())
	garbage := make([]string, 200)
	for n := range garbage {
		garbage[n] = signed(t, ecKey, jose.ES256, fmt.Sprint("garbage", n), claims())
	}
	flood := func() {
		var senders sync.WaitGroup
		for n := range 20 {
			senders.Go(func() {
				for k := n; k < len(garbage); k += 20 {
					s.as(garbage[k], whoAmI).want(t, 401, "UNAUTHENTICATED", "a key that the issuer does not have")
					s.accepted(t, good)
				}
			})
		}
		senders.Wait()
	}
	for _, want := range []int64{2, 3} { // the first fetch, and one for each flood
		flood()
		if n := i.fetches.Load(); n != want {
			t.Errorf("the issuer was asked %d times, not %d", n, want)
		}
		c.pass(10 * time.Second)
	}
}

// All who wait for a new key share one fetch.
func TestOneFetchForAllWhoWait(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, map[string]crypto.PublicKey{"old": &rsaKey.PublicKey})
	s := serve(t, identity.Config{JWKSURL: i.URL}).ready(t)
	asked, release := make(chan struct{}), make(chan struct{})
	set := jwks(published)
	i.answers(func(w http.ResponseWriter) {
		close(asked) // a second time panics
		<-release
		_, _ = w.Write(set)
	})
	fresh := signed(t, ecKey, jose.ES256, "ec", claims())
	var waiting sync.WaitGroup
	waiting.Go(func() { s.accepted(t, fresh) })
	<-asked
	for range 10 {
		waiting.Go(func() { s.accepted(t, fresh) })
	}
	s.as("nonsense", whoAmI).want(t, 401, "UNAUTHENTICATED", "")
	close(release)
	waiting.Wait()
	if n := i.fetches.Load(); n != 2 {
		t.Errorf("%d fetches, not 2", n)
	}
}

// An issuer that takes a connection and never answers holds nobody for long.
func TestIssuerThatHangs(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, nil)
	hanging := make(chan struct{})
	t.Cleanup(func() { close(hanging) })
	i.answers(func(http.ResponseWriter) { <-hanging })
	s := serve(t, identity.Config{JWKSURL: i.URL})
	s.as(signed(t, ecKey, jose.ES256, "ec", claims()), whoAmI).want(t, 503, "UNAVAILABLE", "the issuer's keys can't be had now")
}

// Of a key set without an end no more is read than a set may have.
func TestAnEndlessSetIsNotRead(t *testing.T) {
	t.Parallel()
	const all = 64 << 20 // bytes; what lies in sockets is far less
	i := newIssuer(t, published)
	written := make(chan int, 1)
	i.answers(func(w http.ResponseWriter) {
		n, spaces := 0, bytes.Repeat([]byte(" "), 1<<20)
		for n < all {
			some, err := w.Write(spaces)
			if n += some; err != nil {
				break
			}
		}
		written <- n
	})
	s := serve(t, identity.Config{JWKSURL: i.URL})
	s.as(signed(t, ecKey, jose.ES256, "ec", claims()), whoAmI).want(t, 503, "UNAVAILABLE", "the issuer's keys can't be had now")
	if n := <-written; n > all/2 {
		t.Errorf("%d MiB of it were read", n>>20)
	}
}
