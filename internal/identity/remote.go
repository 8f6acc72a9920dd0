package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"broadsheet/blog"
)

const (
	fetchTimeout = 5 * time.Second // of one attempt, from dialling to the last byte

	// Tokens with an unknown key id make a server ask the issuer at once, but once in
	// this time only, however many such tokens arrive.
	askInterval = 10 * time.Second

	// The pauses between attempts while the issuer is away.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// remote is the issuer's key set. Only run fetches; what was fetched last is used until
// the next set arrives, for as long as the issuer is away.
type remote struct {
	url     string
	client  *http.Client
	refresh time.Duration
	most    time.Duration // for which a set is believed; 0: until the next
	log     *slog.Logger
	now     func() time.Time

	ask     chan struct{} // wakes run; holds one
	arrived atomic.Uint64 // how many key sets did
	failed  atomic.Uint64 // how many attempts

	mu       sync.Mutex
	keys     []key
	fetched  time.Time     // when they were; zero: never
	err      error         // of the last attempt; before the first: errNotYet
	fetching bool          // an attempt is under way, or asked for
	done     chan struct{} // closed when that attempt, or else the next one, ends
	asked    time.Time     // when a token last made us ask
}

var _ source = (*remote)(nil)

var (
	errNotYet = errors.New("not asked yet")
	errTooOld = errors.New("the keys were fetched too long ago")
)

func newRemote(c Config) *remote {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &remote{
		url: c.JWKSURL, refresh: c.Refresh, most: c.KeysAge, log: c.Log, now: c.Now,
		client: &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: checkRedirect},
		ask:    make(chan struct{}, 1), err: errNotYet, done: make(chan struct{}),
	}
}

func checkKeySetURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("the key set's URL: %w", err)
	}
	return checkURL(u)
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

// find looks for keys again where those that are known don't fit: after a rotation a
// token may come before the next refresh.
func (r *remote) find(ctx context.Context, keyID string, algorithm jose.SignatureAlgorithm) ([]key, error) {
	keys, _ := r.known()
	if found := matching(keys, keyID, algorithm); found != nil {
		return found, nil
	}
	r.look(ctx)
	keys, err := r.known()
	if found := matching(keys, keyID, algorithm); found != nil {
		return found, nil
	}
	if err != nil {
		return nil, errIssuerAway()
	}
	return nil, errUnknownKey()
}

func (r *remote) known() ([]key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 && r.keys != nil && r.now().Sub(r.fetched) > r.most {
		return nil, errTooOld
	}
	return r.keys, r.err
}

func (r *remote) generation() uint64 { return r.arrived.Load() }

func (r *remote) ready() error {
	if keys, _ := r.known(); keys == nil {
		return errIssuerAway()
	}
	return nil
}

func errIssuerAway() error {
	return blog.Errorf(blog.Unavailable, "the issuer's keys can't be had now, so its tokens can't be judged: try again later")
}

// look returns after an attempt to fetch the keys, or at once where the last one that
// a token has caused is too recent.
func (r *remote) look(ctx context.Context) {
	r.mu.Lock()
	done := r.done
	if !r.fetching {
		now := r.now()
		if !r.asked.IsZero() && now.Sub(r.asked) < askInterval {
			r.mu.Unlock()
			return
		}
		r.asked, r.fetching = now, true
		r.ask <- struct{}{}
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (r *remote) run(ctx context.Context) {
	defer r.client.CloseIdleConnections()
	for retry := firstRetry; ; {
		pause := r.refresh
		if err := r.attempt(ctx); err != nil {
			pause = min(retry, r.refresh)
			retry = min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-r.ask:
			timer.Stop()
		}
	}
}

// attempt fetches the keys once, and keeps those that are known where it fails.
func (r *remote) attempt(ctx context.Context) error {
	r.mu.Lock()
	r.fetching = true
	select {
	case <-r.ask: // this attempt is what was asked for
	default:
	}
	r.mu.Unlock()

	var keys []key
	err := blog.Safely(func() (err error) { keys, err = r.fetch(ctx); return err })
	if ctx.Err() == nil {
		r.report(ctx, r.last(), err, len(keys))
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err = err; err == nil {
		r.keys, r.fetched = keys, r.now()
		r.arrived.Add(1)
	} else {
		r.failed.Add(1)
	}
	r.fetching = false
	close(r.done)
	r.done = make(chan struct{})
	return err
}

// last returns the error of the last attempt.
func (r *remote) last() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// report logs what has changed since the attempt before.
func (r *remote) report(ctx context.Context, before, err error, keys int) {
	switch {
	case err == nil && before != nil:
		r.log.InfoContext(ctx, "the issuer's keys are there", "url", r.url, "keys", keys)
	case err != nil && (before == nil || before.Error() != err.Error()):
		r.log.WarnContext(ctx, "the issuer's keys can't be fetched; those that are known go on being used", "error", err)
	}
}

func (r *remote) fetch(ctx context.Context) ([]key, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", r.url, response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxKeySet+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.url, err)
	}
	if len(text) > maxKeySet {
		return nil, fmt.Errorf("%s: more than %d bytes", r.url, maxKeySet)
	}
	keys, err := parseKeySet(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.url, err)
	}
	return keys, nil
}
