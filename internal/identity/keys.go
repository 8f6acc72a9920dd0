package identity

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// The bounds of a key set.
const (
	maxKeySet  = 1 << 20 // bytes
	maxKeys    = 100
	minRSABits = 2048 // RFC 7518, section 3.3
)

// key is a public key of the issuer.
type key struct {
	id        string                  // empty: whatever id a token names
	algorithm jose.SignatureAlgorithm // empty: each that suits its type
	public    crypto.PublicKey
}

// fits reports whether the key may have signed a token whose header says so. The type
// of the key decides which algorithms can be meant, never the token alone (RFC 8725,
// section 3.1): a public RSA key is no secret of HMAC's.
func (k key) fits(keyID string, algorithm jose.SignatureAlgorithm) bool {
	return (k.id == "" || keyID == "" || k.id == keyID) &&
		(k.algorithm == "" || k.algorithm == algorithm) &&
		slices.Contains(algorithmsOf(k.public), algorithm)
}

// algorithmsOf returns the algorithms that a public key is for (RFC 7518, section 3.1;
// RFC 8037), none for what is no public key. An elliptic curve belongs to one.
func algorithmsOf(public crypto.PublicKey) []jose.SignatureAlgorithm {
	switch public := public.(type) {
	case *rsa.PublicKey:
		return []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}
	case *ecdsa.PublicKey:
		switch public.Curve {
		case elliptic.P256():
			return []jose.SignatureAlgorithm{jose.ES256}
		case elliptic.P384():
			return []jose.SignatureAlgorithm{jose.ES384}
		case elliptic.P521():
			return []jose.SignatureAlgorithm{jose.ES512}
		}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}

// allAlgorithms are those that may be allowed: asymmetric ones.
var allAlgorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

func parseAlgorithms(names []string) ([]jose.SignatureAlgorithm, error) {
	if len(names) == 0 {
		names = DefaultAlgorithms
	}
	var allowed []jose.SignatureAlgorithm
	for _, name := range names {
		algorithm := jose.SignatureAlgorithm(name)
		if !slices.Contains(allAlgorithms, algorithm) {
			return nil, fmt.Errorf("%q is no algorithm that can be allowed; these can: %v. Symmetric ones and none can't", name, allAlgorithms)
		}
		allowed = append(allowed, algorithm)
	}
	return allowed, nil
}

// parseKeySet reads a JWK Set, and skips, as RFC 7517, section 5, says, what is not
// for us: keys that are symmetric, private, too weak, of a kind that is not known, or
// for encryption.
func parseKeySet(text []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil || set.Keys == nil {
		return nil, errors.New("this is no JWK Set: a JSON object with keys")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("a JWK Set of %d keys: more than %d", len(set.Keys), maxKeys)
	}
	var keys []key
	for _, text := range set.Keys {
		var jwk jose.JSONWebKey
		if err := json.Unmarshal(text, &jwk); err != nil || jwk.Use != "" && jwk.Use != "sig" {
			continue
		}
		k := key{id: jwk.KeyID, algorithm: jose.SignatureAlgorithm(jwk.Algorithm), public: jwk.Key}
		if usable(k.public) {
			keys = append(keys, k)
		}
	}
	if keys == nil {
		return nil, errors.New("the JWK Set holds no public key for signatures that can be used")
	}
	return keys, nil
}

func usable(public crypto.PublicKey) bool {
	if rsaKey, ok := public.(*rsa.PublicKey); ok && rsaKey.N.BitLen() < minRSABits {
		return false
	}
	return algorithmsOf(public) != nil
}

func matching(keys []key, keyID string, algorithm jose.SignatureAlgorithm) (found []key) {
	for _, k := range keys {
		if k.fits(keyID, algorithm) {
			found = append(found, k)
		}
	}
	return found
}

func errUnknownKey() error {
	return invalid("the token is signed by a key that the issuer does not have, or that is not for its algorithm")
}

// readKeyFile reads the public keys of a file.
func readKeyFile(name string) ([]key, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeyFile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return keys, nil
}

func parseKeyFile(text []byte) ([]key, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return parseKeySet(text)
	}
	var keys []key
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		public, err := parsePEM(block)
		if err != nil {
			return nil, err
		}
		if !usable(public) {
			return nil, fmt.Errorf("a key that can't be used: RSA from %d bits on, P-256, P-384, P-521 and Ed25519 can", minRSABits)
		}
		keys = append(keys, key{public: public})
	}
	if keys == nil {
		return nil, errors.New("this is neither a public key in PEM nor a JWK Set")
	}
	return keys, nil
}

func parsePEM(block *pem.Block) (crypto.PublicKey, error) {
	switch {
	case block.Type == "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case block.Type == "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return nil, errors.New("this is a private key, which only the issuer should have: name its public key")
	default:
		return nil, errors.New("this is neither a public key in PEM nor a JWK Set")
	}
}
