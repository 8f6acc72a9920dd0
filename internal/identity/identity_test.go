package identity_test

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"broadsheet/internal/identity"
)

// the issuer's keys
var published = map[string]crypto.PublicKey{
	"rsa": &rsaKey.PublicKey, "ec": &ecKey.PublicKey, "ed": edPublic, "ec384": &ec384.PublicKey, "weak": &weakRSA.PublicKey,
}

func TestTokensThatAreBelieved(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	for name, token := range map[string]string{
		"RS256":                 signed(t, rsaKey, jose.RS256, "rsa", claims()),
		"ES256":                 signed(t, ecKey, jose.ES256, "ec", claims()),
		"EdDSA":                 signed(t, edKey, jose.EdDSA, "ed", claims()),
		"without a key id":      signed(t, ecKey, jose.ES256, "", claims()),
		"of type JWT":           signed(t, ecKey, jose.ES256, "ec", claims(), "typ", "JWT"),
		"of type at+jwt":        signed(t, ecKey, jose.ES256, "ec", claims(), "typ", "application/AT+jwt"),
		"one of many audiences": signed(t, ecKey, jose.ES256, "ec", claims("aud", []string{"other", audience})),
		"just expired":          signed(t, ecKey, jose.ES256, "ec", claims("exp", now.Add(-29*time.Second).Unix())),
		"of a fast clock":       signed(t, ecKey, jose.ES256, "ec", claims("iat", now.Add(29*time.Second).Unix(), "nbf", now.Add(29*time.Second).Unix())),
		"with other claims":     signed(t, ecKey, jose.ES256, "ec", claims("scope", "all", "roles", []string{"admin"})),
	} {
		t.Run(name, func(t *testing.T) { s.accepted(t, token) })
	}
	alice := signed(t, rsaKey, jose.RS256, "rsa", claims())
	s.as(alice, `mutation {createUser(input: {username: "Alice_1"}) {user {id}}}`)
	if a := s.as(signed(t, ecKey, jose.ES256, "ec", claims()), whoAmI); a.text != `{"data":{"viewer":{"username":"Alice_1"}}}` {
		t.Errorf("the same subject, another token: %s", a.text)
	}
}

// A token is believed for as long as is allowed after its issue, however late its exp is.
func TestTokensHaveAGreatestAge(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, MaxAge: 10 * time.Minute, Clock: c}).ready(t)
	long := signed(t, ecKey, jose.ES256, "ec", claims("exp", int64(1e18)))
	short := signed(t, ecKey, jose.ES256, "ec", claims("exp", now.Add(time.Minute).Unix()))
	s.accepted(t, long)
	s.accepted(t, short)
	s.as(signed(t, ecKey, jose.ES256, "ec", claims("iat", nil)), whoAmI).want(t, 401, "UNAUTHENTICATED", "has no iat")
	c.pass(5 * time.Minute)
	s.accepted(t, long)
	s.as(short, whoAmI).want(t, 401, "UNAUTHENTICATED", "has expired")
	c.pass(5*time.Minute + 30*time.Second)
	s.accepted(t, long)
	c.pass(time.Second)
	s.as(long, whoAmI).want(t, 401, "UNAUTHENTICATED", "issued more than 10m0s ago")
}

func TestRequiredClaims(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Claims: []string{"scope=blog", "groups=writers", "email_verified=true", "tenant"}}).ready(t)
	good := []any{"scope", "openid blog", "groups", []string{"readers", "writers"}, "email_verified", true, "tenant", "any"}
	s.accepted(t, signed(t, ecKey, jose.ES256, "ec", claims(good...)))
	for name, c := range map[string]struct {
		claim string
		value any
		says  string
	}{
		"another scope":          {"scope", "openid blogs", "needed here: scope=blog"},
		"no scope":               {"scope", nil, "needed here: scope=blog"},
		"another group":          {"groups", []string{"readers"}, "needed here: groups=writers"},
		"groups of another kind": {"groups", map[string]any{"writers": true}, "needed here: groups=writers"},
		"another truth":          {"email_verified", false, "needed here: email_verified=true"},
		"words with true":        {"email_verified", "not true", "needed here: email_verified=true"},
		"no tenant":              {"tenant", nil, "needed here: tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			token := signed(t, ecKey, jose.ES256, "ec", claims(append(slices.Clone(good), c.claim, c.value)...))
			s.as(token, whoAmI).want(t, 401, "UNAUTHENTICATED", c.says)
		})
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	spki := must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey))
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
	good := signed(t, ecKey, jose.ES256, "ec", claims())
	parts := strings.Split(good, ".")
	encoded := func(v any) string { return base64.RawURLEncoding.EncodeToString(must(json.Marshal(v))) }
	none := func(alg string) string {
		return encoded(map[string]string{"alg": alg, "kid": "ec"}) + "." + parts[1] + "."
	}
	const (
		algorithm = "an algorithm that is not taken here; these are: RS256, ES256, EdDSA"
		signature = "signature is not that of a key of the issuer"
		unknown   = "signed by a key that the issuer does not have"
		noToken   = "no signed JSON Web Token"
		malformed = "claims are malformed"
	)
	for name, c := range map[string]struct{ token, says string }{
		"another key under its id":       {signed(t, otherRSA, jose.RS256, "rsa", claims()), signature},
		"another key without an id":      {signed(t, otherRSA, jose.RS256, "", claims()), signature},
		"another key's id":               {signed(t, otherRSA, jose.RS256, "mine", claims()), unknown},
		"alg none":                       {none("none"), algorithm},
		"alg None":                       {none("None"), algorithm},
		"no alg":                         {encoded(map[string]string{"kid": "ec"}) + "." + parts[1] + "." + parts[2], ""},
		"no signature":                   {parts[0] + "." + parts[1] + ".", signature},
		"HS256, secret the public PEM":   {signed(t, publicPEM, jose.HS256, "rsa", claims()), algorithm},
		"HS256, secret the public DER":   {signed(t, spki, jose.HS256, "rsa", claims()), algorithm},
		"HS256, secret the modulus":      {signed(t, rsaKey.N.Bytes(), jose.HS256, "rsa", claims()), algorithm},
		"an algorithm not allowed":       {signed(t, rsaKey, jose.PS256, "rsa", claims()), algorithm},
		"an algorithm of another key":    {signed(t, ecKey, jose.ES256, "rsa", claims()), unknown},
		"a key that is too weak":         {signed(t, weakRSA, jose.RS256, "weak", claims()), unknown},
		"a key of its own in the header": {ownKey(t), signature},
		"expired":                        {signed(t, ecKey, jose.ES256, "ec", claims("exp", now.Add(-31*time.Second).Unix())), "the token has expired"},
		"no exp":                         {signed(t, ecKey, jose.ES256, "ec", claims("exp", nil)), "no exp"},
		"exp null":                       {signed(t, ecKey, jose.ES256, "ec", map[string]any{"iss": issuerName, "aud": audience, "sub": "alice", "exp": nil}), "no exp"},
		"exp a string":                   {signed(t, ecKey, jose.ES256, "ec", claims("exp", "tomorrow")), malformed},
		"not yet valid":                  {signed(t, ecKey, jose.ES256, "ec", claims("nbf", now.Add(31*time.Second).Unix())), "not valid yet"},
		"issued in the future":           {signed(t, ecKey, jose.ES256, "ec", claims("iat", now.Add(31*time.Second).Unix())), "not valid yet"},
		"another issuer":                 {signed(t, ecKey, jose.ES256, "ec", claims("iss", "https://issuer.example.org")), "another issuer"},
		"no issuer":                      {signed(t, ecKey, jose.ES256, "ec", claims("iss", nil)), "another issuer"},
		"another audience":               {signed(t, ecKey, jose.ES256, "ec", claims("aud", []string{"a", "b"})), "another audience"},
		"no audience":                    {signed(t, ecKey, jose.ES256, "ec", claims("aud", nil)), "another audience"},
		"no subject":                     {signed(t, ecKey, jose.ES256, "ec", claims("sub", nil)), "sub: a subject has 1 to 255 bytes"},
		"a subject that is too long":     {signed(t, ecKey, jose.ES256, "ec", claims("sub", strings.Repeat("a", 256))), "sub: a subject has 1 to 255 bytes"},
		"a control in the subject":       {signed(t, ecKey, jose.ES256, "ec", claims("sub", "a\x00b")), "sub: a subject has"},
		"a subject that is a number":     {signed(t, ecKey, jose.ES256, "ec", claims("sub", 7)), malformed},
		"claims that are no object":      {signed(t, ecKey, jose.ES256, "ec", "alice"), malformed},
		"a token for a logout":           {signed(t, ecKey, jose.ES256, "ec", claims(), "typ", "logout+jwt"), "typ is another"},
		"a critical extension":           {signed(t, ecKey, jose.ES256, "ec", claims(), "crit", "x"), ""},
		"another payload":                {parts[0] + "." + encoded(claims("sub", "bob")) + "." + parts[2], signature},
		"a claim named twice":            {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"a","sub":"b"}`)) + "." + parts[2], signature},
		"a name":                         {"alice", noToken},
		"three dots":                     {"...", noToken},
		"larger than a token may be":     {signed(t, ecKey, jose.ES256, "ec", claims("x", strings.Repeat("x", 16<<10))), "larger than 16384 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.as(c.token, `mutation {createUser(input: {username: "mallory"}) {user {id}}}`)
			a.want(t, 401, "UNAUTHENTICATED", c.says)
			challenge := a.header.Get("WWW-Authenticate")
			if !strings.HasPrefix(challenge, `Bearer realm="broadsheet", error="invalid_token", error_description="`) || !strings.Contains(challenge, c.says) {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
			for _, part := range strings.Split(c.token, ".") {
				if len(part) > 5 && (strings.Contains(a.text, part) || strings.Contains(challenge, part)) {
					t.Errorf("the answer repeats %s", part)
				}
			}
		})
	}
	if a := s.as("", `{user(username: "mallory") {id}}`); a.text != `{"data":{"user":null}}` {
		t.Errorf("something was executed: %s", a.text)
	}
}

// ownKey is a token that brings the key to verify it with.
func ownKey(t *testing.T) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: otherRSA, KeyID: "own"}}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	return must(must(signer.Sign(must(json.Marshal(claims())))).CompactSerialize())
}

// An algorithm that was not allowed is the operator's to allow; another curve's is not.
func TestAlgorithmsAreAllowedByName(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Algorithms: []jose.SignatureAlgorithm{jose.PS256, jose.ES384}}).ready(t)
	s.accepted(t, signed(t, rsaKey, jose.PS256, "rsa", claims()))
	s.accepted(t, signed(t, ec384, jose.ES384, "ec384", claims()))
	s.as(signed(t, rsaKey, jose.RS256, "rsa", claims()), whoAmI).want(t, 401, "UNAUTHENTICATED", "these are: PS256, ES384")
	for _, name := range []jose.SignatureAlgorithm{"HS256", "none", "rs256", ""} {
		_, err := identity.New(complete(identity.Config{JWKSURL: "https://issuer.example.org/", Algorithms: []jose.SignatureAlgorithm{name}}))
		if err == nil || !strings.Contains(err.Error(), "is no algorithm that can be allowed") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A key says which algorithm it is for, or what it is not for.
func TestWhatAKeyIsFor(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "jwks.json")
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: &rsaKey.PublicKey, KeyID: "rs512", Algorithm: "RS512"},
		{Key: &ecKey.PublicKey, KeyID: "encrypts", Use: "enc"},
		{Key: []byte("a secret of thirty-two characters"), KeyID: "symmetric"},
		{Key: edPublic, KeyID: "any"},
	}}
	text := strings.Replace(string(must(json.Marshal(set))), `"keys":[`, `"keys":[{"kty":"of tomorrow","kid":"x"},`, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, identity.Config{KeyFile: file}).ready(t)
	s.accepted(t, signed(t, edKey, jose.EdDSA, "any", claims()))
	for _, token := range []string{
		signed(t, rsaKey, jose.RS256, "rs512", claims()),
		signed(t, ecKey, jose.ES256, "encrypts", claims()),
	} {
		s.as(token, whoAmI).want(t, 401, "UNAUTHENTICATED", "or that is not for its algorithm")
	}
	s.as(signed(t, []byte("a secret of thirty-two characters"), jose.HS256, "symmetric", claims()), whoAmI).
		want(t, 401, "UNAUTHENTICATED", "not taken here")
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	block := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	ec := block("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(&ecKey.PublicKey)))
	rsaPKCS1 := block("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey))
	for name, c := range map[string]struct {
		text  []byte
		fails string // empty: the file is taken, and verifies ecKey's tokens
	}{
		"one key in PEM":      {ec, ""},
		"two keys in PEM":     {append(rsaPKCS1, ec...), ""},
		"a JWK Set":           {jwks(published), ""},
		"a private key":       {block("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(ecKey))), "this is a private key, which only the issuer should have"},
		"a private JWK":       {must(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: ecKey}}})), "no public key for signatures"},
		"a weak key":          {block("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(&weakRSA.PublicKey))), "RSA from 2048 bits on"},
		"a broken key":        {block("PUBLIC KEY", []byte("x")), "asn1"},
		"an empty set":        {[]byte(`{"keys":[]}`), "no public key for signatures"},
		"JSON that is no set": {[]byte(`{"a":1}`), "this is no JWK Set"},
		"something else":      {[]byte("hello"), "neither a public key in PEM nor a JWK Set"},
		"nothing":             {nil, "neither a public key in PEM nor a JWK Set"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(file, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			config := complete(identity.Config{KeyFile: file})
			if c.fails != "" {
				if _, err := identity.New(config); err == nil || !strings.Contains(err.Error(), c.fails) || !strings.Contains(err.Error(), file) {
					t.Errorf("%v, which does not say %s", err, c.fails)
				}
				return
			}
			s := serve(t, config).ready(t)
			s.accepted(t, signed(t, ecKey, jose.ES256, "ec", claims()))
			s.as(signed(t, otherRSA, jose.RS256, "rsa", claims()), whoAmI).want(t, 401, "UNAUTHENTICATED", "")
		})
	}
}

// A token ends while it is in use.
func TestTokenExpiresInUse(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL, Clock: c}).ready(t)
	token := signed(t, ecKey, jose.ES256, "ec", claims("exp", now.Add(time.Minute).Unix()))
	for range 3 {
		s.accepted(t, token)
		c.pass(30 * time.Second)
	}
	s.accepted(t, token)
	c.pass(time.Second)
	s.as(token, whoAmI).want(t, 401, "UNAUTHENTICATED", "the token has expired")
}

// Nobody but its owner reads a private key; a key set is for everybody.
func TestWhoReadsANewKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := identity.NewKey(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{identity.PrivateKeyFile: 0o600, identity.KeySetFile: 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got&^want != 0 {
			t.Errorf("%s may be read by %o, want %o at most", name, got, want)
		}
	}
}

// Whoever reads the log, at whatever level, can't act for anyone.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	s := serve(t, identity.Config{JWKSURL: newIssuer(t, published).URL}).ready(t)
	for _, token := range []string{
		signed(t, ecKey, jose.ES256, "ec", claims()),
		signed(t, ecKey, jose.ES256, "ec", claims("exp", 1)),
		signed(t, otherRSA, jose.RS256, "rsa", claims()),
		signed(t, otherRSA, jose.RS256, "unknown", claims()),
		"no-token-at-all",
	} {
		before := len(s.log.text())
		s.as(token, `mutation {createPost(input: {title: "T", content: "C"}) {userErrors {code}}}`)
		log := s.log.text()[before:]
		if !strings.Contains(log, "path=/graphql") {
			t.Errorf("nothing is logged: %s", log)
		}
		for part := range strings.SplitSeq(token, ".") {
			if strings.Contains(log, part) {
				t.Errorf("the log has %s: %s", part, log)
			}
		}
	}
}

func TestBadConfigurations(t *testing.T) {
	t.Parallel()
	good := complete(identity.Config{JWKSURL: "https://issuer.example.org/jwks"})
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*identity.Config)
		says   string
	}{
		"no issuer":         {func(c *identity.Config) { c.Issuer = "" }, "needs --jwt-issuer and --jwt-audience"},
		"no audience":       {func(c *identity.Config) { c.Audiences = nil }, "needs --jwt-issuer and --jwt-audience"},
		"an empty audience": {func(c *identity.Config) { c.Audiences = []string{""} }, "needs --jwt-issuer and --jwt-audience"},
		"no keys":           {func(c *identity.Config) { c.JWKSURL = "" }, "exactly one"},
		"keys twice":        {func(c *identity.Config) { c.KeyFile = "x" }, "exactly one"},
		"no refresh":        {func(c *identity.Config) { c.Refresh = 0 }, "above zero"},
		"an age below 0":    {func(c *identity.Config) { c.MaxAge = -1 }, "below it"},
		"keys too young":    {func(c *identity.Config) { c.KeysAge, c.Refresh = time.Minute, time.Minute }, "more than the time between refreshes"},
		"an age of a file":  {func(c *identity.Config) { c.KeysAge, c.JWKSURL, c.KeyFile = time.Hour, "", "x" }, "for those that are fetched"},
		"no name of claims": {func(c *identity.Config) { c.Claims = []string{"=x"} }, "names no claim"},
		"plain HTTP":        {func(c *identity.Config) { c.JWKSURL = "http://issuer.example.org/jwks" }, "https://"},
		"another scheme":    {func(c *identity.Config) { c.JWKSURL = "file:///etc/jwks" }, "https://"},
		"no URL":            {func(c *identity.Config) { c.JWKSURL = "https://%" }, "key set's URL"},
		"a password in it":  {func(c *identity.Config) { c.JWKSURL = "https://a:b@issuer.example.org/" }, "no user and no password"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			c.change(&bad)
			if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, which does not say %s", err, c.says)
			}
		})
	}
	for _, url := range []string{"http://127.0.0.1:1/jwks", "http://localhost/jwks", "http://[::1]:80/"} {
		local := good
		local.JWKSURL = url
		if err := local.Check(); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}
