package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"broadsheet/blog"
	"broadsheet/internal/pace"
)

const (
	fetchTimeout = 5 * time.Second // of one attempt, from dialling to the last byte

	askInterval = 10 * time.Second // the issuer is asked for unknown key ids once in this time, however many arrive

	// The pauses between attempts while the issuer is away.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// keySet is the issuer's. What was fetched last is used until the next set arrives, for as long as the issuer is away.
type keySet struct {
	Config
	client   *http.Client
	fetching chan struct{} // has room for one attempt at a time
	arrived  atomic.Uint64 // how many key sets did
	failed   atomic.Uint64 // how many attempts

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // when they were; zero: never
	err     error     // of the last attempt; before the first: errNotYet
	asked   time.Time // when a token last made us ask
}

var (
	errNotYet = errors.New("not asked yet")
	errTooOld = errors.New("the keys were fetched too long ago")

	errIssuerAway = blog.Errorf(blog.Unavailable, "the issuer's keys can't be had now, so its tokens can't be judged: try again later")
	errUnknownKey = invalid("the token is signed by a key that the issuer does not have, or that is not for its algorithm")
)

func newKeySet(c Config) *keySet {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &keySet{
		Config: c, client: &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: checkRedirect},
		fetching: make(chan struct{}, 1), err: errNotYet,
	}
}

// checkURL allows only what can't be changed on the way.
func checkURL(u *url.URL) error {
	if u.User != nil {
		return errors.New("the key set's URL must hold no user and no password: key sets are public")
	}
	if u.Scheme == "https" && u.Hostname() != "" || u.Scheme == "http" && isLoopback(u.Hostname()) {
		return nil
	}
	return errors.New("the key set's URL must begin with https://, or with http:// on loopback: whoever could change it on the way could be anyone")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > 3 {
		return errors.New("more than 3 redirects")
	}
	return checkURL(r.URL)
}

// find returns the keys that may have signed a token. It looks for keys again where those that are known don't fit: after a
// rotation a token may come before the next refresh. [blog.Invalid]: there is none; [blog.Unavailable]: it is unknown now.
func (k *keySet) find(ctx context.Context, keyID string, algorithm jose.SignatureAlgorithm) ([]jose.JSONWebKey, error) {
	keys, err := k.known()
	found := matching(keys, keyID, algorithm)
	if found == nil && k.JWKSURL != "" {
		k.look(ctx)
		keys, err = k.known()
		found = matching(keys, keyID, algorithm)
	}
	switch {
	case found != nil:
		return found, nil
	case err != nil:
		return nil, errIssuerAway
	default:
		return nil, errUnknownKey
	}
}

func (k *keySet) known() ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.KeysAge > 0 && k.keys != nil && k.Clock.Now().Sub(k.fetched) > k.KeysAge {
		return nil, errTooOld
	}
	return k.keys, k.err
}

// generation differs from one set of keys to the next.
func (k *keySet) generation() uint64 { return k.arrived.Load() }

// Ready returns why no token can be judged now, of kind Unavailable; nil from the first keys on, while they are
// believed, though the issuer be away.
func (k *keySet) Ready() error {
	if keys, _ := k.known(); keys == nil {
		return errIssuerAway
	}
	return nil
}

// look returns after an attempt to fetch the keys that began since it was called, or that was under way; at once where
// the last one that a token has caused is too recent.
func (k *keySet) look(ctx context.Context) {
	ended := k.ended()
	waiting, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	select {
	case k.fetching <- struct{}{}:
		defer func() { <-k.fetching }()
	case <-waiting.Done():
		return
	}
	if k.ended() == ended && k.mayAsk() {
		_ = k.fetchOnce(context.WithoutCancel(ctx)) // others wait for it, too
	}
}

// ended returns how many attempts have ended.
func (k *keySet) ended() uint64 { return k.arrived.Load() + k.failed.Load() }

func (k *keySet) mayAsk() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Clock.Now()
	if !k.asked.IsZero() && now.Sub(k.asked) < askInterval {
		return false
	}
	k.asked = now
	return true
}

// Fetch asks for the keys once, where they are not in a file. It is for programs that do not run the verifier.
func (k *keySet) Fetch(ctx context.Context) error {
	if k.JWKSURL == "" {
		return nil
	}
	defer k.client.CloseIdleConnections()
	return k.attempt(ctx)
}

// Fetches returns when the key set was last fetched (zero: never), and how many attempts succeeded and failed. It is
// false where the keys are a file's.
func (k *keySet) Fetches() (last time.Time, ok, failed uint64, changing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fetched, k.arrived.Load(), k.failed.Load(), k.JWKSURL != ""
}

// Run keeps the keys current until ctx ends.
func (k *keySet) Run(ctx context.Context) {
	if k.JWKSURL == "" {
		return
	}
	defer k.client.CloseIdleConnections()
	for retry := firstRetry; ; {
		pause := k.Refresh
		if err := k.attempt(ctx); err != nil {
			pause = min(retry, k.Refresh)
			retry = min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		if pace.Wait(ctx, pause) != nil {
			return
		}
	}
}

// attempt is fetchOnce, when no other is under way.
func (k *keySet) attempt(ctx context.Context) error {
	k.fetching <- struct{}{}
	defer func() { <-k.fetching }()
	return k.fetchOnce(ctx)
}

// fetchOnce fetches the keys, and keeps those that are known where it fails.
func (k *keySet) fetchOnce(ctx context.Context) error {
	var keys []jose.JSONWebKey
	err := blog.Safely(func() (err error) { keys, err = k.fetch(ctx); return err })
	k.mu.Lock()
	defer k.mu.Unlock()
	if ctx.Err() == nil {
		k.report(ctx, k.err, err, len(keys))
	}
	if k.err = err; err == nil {
		k.keys, k.fetched = keys, k.Clock.Now()
		k.arrived.Add(1)
	} else {
		k.failed.Add(1)
	}
	return err
}

// report logs what has changed since the attempt before.
func (k *keySet) report(ctx context.Context, before, err error, keys int) {
	switch {
	case err == nil && before != nil:
		k.Log.InfoContext(ctx, "the issuer's keys are there", "url", k.JWKSURL, "keys", keys)
	case err != nil && (before == nil || before.Error() != err.Error()):
		k.Log.WarnContext(ctx, "the issuer's keys can't be fetched; those that are known go on being used", "error", err)
	}
}

func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.JWKSURL, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := k.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	keys, err := readKeySet(response)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.JWKSURL, err)
	}
	return keys, nil
}

func readKeySet(response *http.Response) ([]jose.JSONWebKey, error) {
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxKeySet+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxKeySet {
		return nil, fmt.Errorf("more than %d bytes", maxKeySet)
	}
	return parseKeySet(text)
}
