package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"broadsheet/blog"
	"broadsheet/internal/httpapi"
	"broadsheet/internal/identity"
)

const authJWT = "jwt"

// devSubject is the subject of the token that the playground and the start's message show.
const devSubject = "alice"

// jwtFlags say which tokens --auth jwt believes.
type jwtFlags struct {
	identity.Config
	ClientID string `name:"oidc-client-id" placeholder:"ID" help:"The app's client id at --jwt-issuer: readers sign in there by OpenID Connect (code flow with PKCE), and the app sends access tokens for the first --jwt-audience. There is no default: the app asks for a token."`
	Adopt    string `name:"jwt-adopt-accounts" enum:",dev,issuer" default:"" placeholder:"FROM" help:"Have accounts of before belong to this issuer's tokens with the same sub. dev: those that were made with --auth dev, whose sub is a name; issuer: those of the issuer that the store was served with, as when it has a new name. Once is enough. The default is neither: a store of dev auth is refused, and two issuers' subjects are two's."`
}

// validateAccess checks the flags of tokens and of origins.
func (c *serveCommand) validateAccess() error {
	for _, origin := range c.CORSOrigins {
		if err := httpapi.CheckOrigin(origin); err != nil {
			return fmt.Errorf("--cors-origins: %w", err)
		}
		if u, err := url.Parse(origin); c.Auth == authDev && (err != nil || !httpapi.NamesLoopback(u.Host)) {
			return fmt.Errorf("--cors-origins: pages of %q could act as anyone: --auth dev is for pages of this machine, as in http://localhost:5173", origin)
		}
	}
	if err := httpapi.CheckPublicURL(c.PublicURL); c.PublicURL != "" && err != nil {
		return fmt.Errorf("--public-url: %w", err)
	}
	f := &c.JWT
	if c.Auth != authJWT {
		if len(f.Audiences) > 0 || f.Issuer+f.JWKSURL+f.KeyFile+f.ClientID+f.Adopt != "" {
			return errors.New("--jwt-issuer, --jwt-audience, --jwks-url, --jwt-key-file, --oidc-client-id and --jwt-adopt-accounts are for --auth jwt: add it, or leave them out")
		}
		return nil
	}
	if c.Demo != nil && *c.Demo {
		return errors.New("the demo dataset is for --auth dev: the accounts of its users would be those of whoever gets a token for their names")
	}
	return f.Config.Check()
}

// noteAuthentication records in the store the authentication that it is served with.
func (c *serveCommand) noteAuthentication(ctx context.Context, p *program, store blog.Store) error {
	before, err := store.Noted(ctx, blog.Authentication)
	if err != nil || before == c.Auth {
		return cmp.Or(err, c.noteIssuer(ctx, p, store))
	}
	if err := c.maySucceed(ctx, before, store); err != nil {
		return err
	}
	if before == authDev && c.JWT.Adopt == authDev {
		p.log.Warn("accounts that were made with --auth dev belong to who gets a token for their names from now on")
	}
	return cmp.Or(c.noteIssuer(ctx, p, store), store.Note(ctx, blog.Authentication, before, c.Auth))
}

// noteIssuer records in the store the issuer of the tokens, where there was none before: its subjects are the
// store's own. Those of another are others, unless an operator says that they are the same.
func (c *serveCommand) noteIssuer(ctx context.Context, p *program, store blog.Store) error {
	if c.Auth != authJWT {
		return nil
	}
	own, err := store.Noted(ctx, blog.Issuer)
	switch {
	case err != nil:
		return err
	case own != "" && own != c.JWT.Issuer && c.JWT.Adopt != "issuer":
		p.log.Warn("the store's accounts are another issuer's: a token of this one has its own, whatever its sub (relink, or --jwt-adopt-accounts issuer)", "issuer", c.JWT.Issuer, "other", own)
		p.issuer.Store(&c.JWT.Issuer)
		return nil
	case own != "" && own != c.JWT.Issuer:
		p.log.Warn("accounts of another issuer belong to this one's tokens with the same sub from now on", "issuer", c.JWT.Issuer, "other", own)
	}
	if own != c.JWT.Issuer {
		err = store.Note(ctx, blog.Issuer, own, c.JWT.Issuer)
	}
	if err == nil {
		p.issuer.Store(new(string))
	}
	return err
}

// tokens are those of an issuer.
type tokens struct {
	*identity.Verifier
	program *program
}

// Bearer returns whom a token stands for, with the issuer where its subjects are not the store's own.
func (t tokens) Bearer(ctx context.Context, token string) (blog.Bearer, error) {
	b, err := t.Verifier.Bearer(ctx, token)
	if err != nil {
		return b, err
	}
	issuer := t.program.issuer.Load()
	if issuer == nil {
		return blog.Bearer{}, blog.Errorf(blog.Unavailable, "the store is not there yet")
	}
	b.Subject = blog.SubjectOf(*issuer, b.Subject)
	return b, nil
}

// maySucceed returns why this server may not serve what one with another authentication served: any client may have
// made the accounts of dev auth, unless there are none, and any would have those of tokens.
func (c *serveCommand) maySucceed(ctx context.Context, before string, store blog.Store) error {
	switch {
	case before == "" || before == c.Auth || before == authDev && c.JWT.Adopt == authDev:
		return nil
	case before == authJWT:
		return errors.New("the store was served with --auth jwt, and with --auth dev any client could act for its accounts: add --auth jwt, or name another --data-dir or --cassandra-keyspace")
	}
	if empty, err := store.Empty(ctx); err != nil || empty {
		return err
	}
	return errors.New("the store was served with --auth dev, so its accounts would be those of whoever gets a token for their names: name another --data-dir or --cassandra-keyspace, or accept them by --jwt-adopt-accounts dev")
}

// access configures how the API judges tokens. Until stop is called, the issuer's keys are kept current.
func (c *serveCommand) access(ctx context.Context, p *program, to *httpapi.Config) (stop func(), err error) {
	if c.Auth != authJWT {
		to.Tokens, to.SignIn.DevSubject, to.LoopbackOnly = httpapi.DevTokens{}, devSubject, true
		return func() {}, nil
	}
	c.JWT.Log = to.Log
	verifier, err := identity.New(c.JWT.Config)
	if err != nil {
		return nil, err
	}
	to.Tokens = tokens{verifier, p}
	to.SignIn.ClientID, to.SignIn.Issuer, to.SignIn.Audience = c.JWT.ClientID, c.JWT.Issuer, c.JWT.Audiences[0]
	// Requests that are in flight when ctx ends may still need a key.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { verifier.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}, nil
}

// whoYouAre says which token a request needs, for the message at the start.
func (c *serveCommand) whoYouAre() string {
	if c.Auth == authJWT {
		return fmt.Sprintf("a token of %s, for %s", c.JWT.Issuer, c.JWT.Audiences[0])
	}
	return devSubject + "   (any name will do: dev auth takes the token for it)"
}
