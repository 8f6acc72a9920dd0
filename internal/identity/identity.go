// Package identity finds the subject of a bearer token. A [Verifier] checks JSON Web
// Tokens (RFC 7519) as their Best Current Practices (RFC 8725) ask, against the keys of
// one issuer: a JWK Set (RFC 7517) that is fetched and kept current, or a file. A
// [Signer] makes tokens for local use.
//
//	identity.go  what a token must be
//	keys.go      which key fits which algorithm; key files
//	remote.go    the issuer's key set, across rotations and outages
//	sign.go      keys and tokens of one's own
package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	lru "github.com/hashicorp/golang-lru/v2"

	"broadsheet/blog"
)

// maxToken bounds a token, in bytes. Those of the large issuers have a few thousand.
const maxToken = 16 << 10

// rememberedTokens is how many good tokens are not verified again: a signature costs as much as a small query.
const rememberedTokens = 1 << 14

// leeway is how far the issuer's clock may differ from this machine's.
const leeway = 30 * time.Second

// Config says which tokens are believed; its tags describe the flags that set it. Issuer, Audiences, Refresh and one of
// KeyFile and JWKSURL are required. Claims and Moderator are as [has] reads them; a Moderator NAME is NAME=true.
type Config struct {
	Issuer     string                    `name:"jwt-issuer" placeholder:"ISSUER" help:"Who signs tokens: their iss, exactly. --auth jwt needs it. There is no default."`
	Audiences  []string                  `name:"jwt-audience" placeholder:"AUDIENCE" help:"Whom tokens are for: their aud names one of these. --auth jwt needs it. There is no default."`
	JWKSURL    string                    `name:"jwks-url" placeholder:"URL" xor:"keys" help:"Where the issuer publishes its keys, a JWK Set; https, or http on loopback. --auth jwt needs this or a file. There is no default."`
	KeyFile    string                    `name:"jwt-key-file" placeholder:"FILE" xor:"keys" help:"The issuer's public keys, PEM or a JWK Set. There is no default."`
	Algorithms []jose.SignatureAlgorithm `name:"jwt-algorithms" default:"RS256,ES256,EdDSA" help:"The algorithms that may sign a token: these, RS384, RS512, PS256, PS384, PS512, ES384 or ES512."`
	MaxAge     time.Duration             `name:"jwt-max-age" default:"0s" help:"How long after its iat a token is believed at most, which it then has to have. 0s: until its exp, whenever that is."`
	Claims     []string                  `name:"jwt-required-claims" placeholder:"NAME[=VALUE]" help:"Claims that a token must have: by name, or with a value that it is, or that is in it where it is a list or, as scope, a text of words. The default is none but iss, aud, sub and exp."`
	Moderator  string                    `name:"jwt-moderator-claim" placeholder:"NAME[=VALUE]" help:"The claim that makes a token's subject a moderator: with a value as one of --jwt-required-claims, without one true. A moderator deletes any post or comment, and suspends and restores accounts. There is no default; accounts that broadsheet user promote names are moderators without it."`
	KeysAge    time.Duration             `name:"jwks-max-age" default:"0s" help:"How long after they were fetched the issuer's keys are believed, while it can't be reached; more than --jwks-refresh. 0s: until there are others."`
	Refresh    time.Duration             `name:"jwks-refresh" default:"5m" help:"How often the issuer's keys are fetched anew. A token that names an unknown key makes that happen at once."`

	Log   *slog.Logger `kong:"-"`
	Clock blog.Clock   `kong:"-"` // nil: the machine's
}

// Verifier verifies tokens. Make it with [New]; one with a JWKSURL needs Run beside it.
type Verifier struct {
	*keySet
	good *lru.Cache[[sha256.Size]byte, verified]
}

// verified is what stays true of a token as long as the keys are the same.
type verified struct {
	blog.Bearer
	keys uint64 // the generation that verified it
}

// Check returns what is wrong with the configuration. It reads no file and fetches nothing.
func (c Config) Check() error {
	if c.Issuer == "" || len(c.Audiences) == 0 || slices.Contains(c.Audiences, "") {
		return errors.New("--auth jwt needs --jwt-issuer and --jwt-audience: without them a token for anyone else's service would do here")
	}
	if err := blog.CheckIssuer(c.Issuer); err != nil {
		return err
	}
	if (c.KeyFile == "") == (c.JWKSURL == "") {
		return errors.New("--auth jwt needs --jwks-url, or --jwt-key-file: exactly one of the two")
	}
	if c.Refresh <= 0 || c.MaxAge < 0 || c.KeysAge < 0 {
		return errors.New("--jwks-refresh must be above zero, as in 5m, --jwt-max-age and --jwks-max-age must not be below it")
	}
	if c.KeysAge > 0 && (c.JWKSURL == "" || c.KeysAge <= c.Refresh) {
		return errors.New("a greatest age of keys is for those that are fetched, and must be more than the time between refreshes")
	}
	named := c.Claims
	if c.Moderator != "" {
		named = append(slices.Clip(named), c.Moderator)
	}
	for _, claim := range named {
		if name, _, _ := strings.Cut(claim, "="); name == "" {
			return fmt.Errorf("%q names no claim, as scope or scope=blog do", claim)
		}
	}
	for _, algorithm := range c.Algorithms {
		if !slices.Contains(allAlgorithms, algorithm) {
			return fmt.Errorf("%q is no algorithm that can be allowed; these can: %v. Symmetric ones and none can't", algorithm, allAlgorithms)
		}
	}
	if c.JWKSURL == "" {
		return nil
	}
	u, err := url.Parse(c.JWKSURL)
	if err != nil {
		return fmt.Errorf("the key set's URL: %w", err)
	}
	return checkURL(u)
}

// New returns a verifier. It reads a key file at once, and fetches nothing.
func New(c Config) (*Verifier, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(c.Algorithms) == 0 { // as where the variable is empty
		c.Algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}
	}
	if c.Moderator != "" && !strings.Contains(c.Moderator, "=") {
		c.Moderator += "=true"
	}
	c.Clock = cmp.Or[blog.Clock](c.Clock, blog.SystemClock{})
	good, err := lru.New[[sha256.Size]byte, verified](rememberedTokens)
	if err != nil {
		return nil, err
	}
	v := &Verifier{newKeySet(c), good}
	if c.KeyFile != "" {
		v.keys, v.err = readKeyFile(c.KeyFile)
		return v, v.err
	}
	return v, nil
}

// Bearer returns whom a valid token stands for. An error of kind Invalid says what is wrong with it and repeats nothing
// of it; one of kind Unavailable says that it can't be judged now.
func (v *Verifier) Bearer(ctx context.Context, token string) (blog.Bearer, error) {
	if len(token) > maxToken {
		return blog.Bearer{}, invalid("the token is larger than %d bytes", maxToken)
	}
	digest, generation := sha256.Sum256([]byte(token)), v.generation()
	if known, ok := v.remembered(digest, generation); ok {
		return known.Bearer, nil
	}
	claims, err := v.claims(ctx, token)
	if err == nil {
		err = v.check(claims)
	}
	if err != nil {
		return blog.Bearer{}, err
	}
	good := blog.Bearer{Subject: claims.Subject, Role: v.role(claims), Email: claims.email(), Expires: v.end(claims)}
	v.good.Add(digest, verified{good, generation})
	return good, nil
}

// email returns the address that the claims call verified (OpenID Connect Core, section 5.1); empty: there is none.
func (c claims) email() string {
	if !c.has("email_verified=true") {
		return ""
	}
	email, _ := c.all["email"].(string)
	return email
}

// role returns what the claims let their subject do.
func (v *Verifier) role(claims claims) blog.Role {
	if v.Moderator != "" && claims.has(v.Moderator) {
		return blog.Moderator
	}
	return blog.Member
}

// Known reports whether a token is valid now, as far as that is known without verifying its signature.
func (v *Verifier) Known(token string) bool {
	if len(token) <= maxToken {
		_, known := v.remembered(sha256.Sum256([]byte(token)), v.generation())
		return known
	}
	return false
}

// remembered returns what a generation of keys has verified.
func (v *Verifier) remembered(digest [sha256.Size]byte, generation uint64) (good verified, ok bool) {
	good, ok = v.good.Get(digest)
	return good, ok && good.keys == generation && !v.Clock.Now().After(good.Expires) && v.Ready() == nil
}

// claims returns what a token says; only its signature is verified.
func (v *Verifier) claims(ctx context.Context, token string) (claims claims, err error) {
	parsed, err := jwt.ParseSigned(token, v.Algorithms)
	if err != nil {
		return claims, v.malformed(err)
	}
	header := parsed.Headers[0]
	if !isAccessToken(header) {
		return claims, invalid("the token's typ is another than JWT or at+jwt")
	}
	keys, err := v.find(ctx, header.KeyID, jose.SignatureAlgorithm(header.Algorithm))
	if err != nil {
		return claims, err
	}
	return verify(parsed, keys)
}

// claims are what a token says.
type claims struct {
	jwt.Claims
	all map[string]any
}

// has reports whether there is a claim: of any value where none is named; else of that, or a list or a
// text of words, as scope is, that has it. A truth is true or "true", and no word of anything.
func (c claims) has(claim string) bool {
	name, value, named := strings.Cut(claim, "=")
	if got := c.all[name]; value == "true" || value == "false" {
		return got == value || got == (value == "true")
	}
	switch got := c.all[name].(type) {
	case nil:
		return false
	case string:
		return !named || got == value || slices.Contains(strings.Fields(got), value)
	case []any:
		return !named || slices.Contains(got, any(value))
	default:
		return !named || fmt.Sprint(got) == value
	}
}

// verify returns the claims of a token that one of the keys has signed.
func verify(token *jwt.JSONWebToken, keys []jose.JSONWebKey) (claims, error) {
	for _, k := range keys {
		said := claims{}
		err := token.Claims(k.Key, &said.Claims, &said.all)
		switch {
		case err == nil:
			return said, nil
		case !errors.Is(err, jose.ErrCryptoFailure):
			return claims{}, invalid("the token's claims are malformed")
		}
	}
	return claims{}, invalid("the token's signature is not that of a key of the issuer")
}

// check returns what the claims lack to be good now.
func (v *Verifier) check(claims claims) error {
	if claims.Expiry == nil {
		return invalid("the token has no exp, the time of its end")
	}
	expected := jwt.Expected{Issuer: v.Issuer, AnyAudience: v.Audiences, Time: v.Clock.Now()}
	if err := claims.ValidateWithLeeway(expected, leeway); err != nil {
		return invalid("%s", wrong(err))
	}
	if v.MaxAge > 0 && claims.IssuedAt == nil {
		return invalid("the token has no iat, the time of its issue, which is needed here")
	}
	if v.Clock.Now().After(v.end(claims)) {
		return invalid("the token was issued more than %s ago, which is as long as one is believed here", v.MaxAge)
	}
	for _, claim := range v.Claims {
		if !claims.has(claim) {
			return invalid("the token lacks a claim that is needed here: %s", claim)
		}
	}
	if err := blog.CheckSubject(claims.Subject); err != nil {
		return invalid("the token's sub: %s", err)
	}
	return nil
}

// end returns until when a token is believed: for the leeway longer than it says, as [jwt.Claims] has it.
func (v *Verifier) end(claims claims) time.Time {
	end := claims.Expiry.Time()
	if v.MaxAge > 0 {
		if aged := claims.IssuedAt.Time().Add(v.MaxAge); aged.Before(end) {
			end = aged
		}
	}
	return end.Add(leeway)
}

// wrong says which claim does not hold.
func wrong(err error) string {
	for known, text := range map[error]string{
		jwt.ErrExpired:           "the token has expired",
		jwt.ErrNotValidYet:       "the token is not valid yet: its nbf is in the future",
		jwt.ErrIssuedInTheFuture: "the token is not valid yet: its iat is in the future",
		jwt.ErrInvalidIssuer:     "the token is from another issuer",
		jwt.ErrInvalidAudience:   "the token is for another audience",
	} {
		if errors.Is(err, known) {
			return text
		}
	}
	return "the token's claims do not hold"
}

func (v *Verifier) malformed(err error) error {
	if _, unexpected := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); unexpected {
		return invalid("the token is signed by an algorithm that is not taken here; these are: %s", v.names())
	}
	return invalid("the token is no signed JSON Web Token")
}

func (v *Verifier) names() string {
	names := make([]string, len(v.Algorithms))
	for i, algorithm := range v.Algorithms {
		names[i] = string(algorithm)
	}
	return strings.Join(names, ", ")
}

// isAccessToken keeps out tokens that the same issuer signed for something else, as
// for a logout (RFC 8725, section 3.11). Many issuers name no type, or the general one.
func isAccessToken(header jose.Header) bool {
	typ, named := header.ExtraHeaders[jose.HeaderType]
	if !named {
		return true
	}
	name, _ := typ.(string)
	name = strings.TrimPrefix(strings.ToLower(name), "application/")
	return name == "jwt" || name == "at+jwt"
}

func invalid(format string, args ...any) error { return blog.Errorf(blog.Invalid, format, args...) }
