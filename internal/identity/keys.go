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

// matching returns the keys that may have signed a token whose header says so. The type of a key decides which
// algorithms can be meant, never the token alone (RFC 8725, section 3.1): a public RSA key is no secret of HMAC's.
func matching(keys []jose.JSONWebKey, keyID string, algorithm jose.SignatureAlgorithm) (found []jose.JSONWebKey) {
	for _, k := range keys {
		if (k.KeyID == "" || keyID == "" || k.KeyID == keyID) &&
			(k.Algorithm == "" || k.Algorithm == string(algorithm)) && slices.Contains(algorithmsOf(k.Key), algorithm) {
			found = append(found, k)
		}
	}
	return found
}

// algorithmsOf returns the algorithms that a public key is for (RFC 7518, section 3.1; RFC 8037), none for one that
// is too weak, and for what is no public key. An elliptic curve belongs to one.
func algorithmsOf(public crypto.PublicKey) []jose.SignatureAlgorithm {
	switch public := public.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() < minRSABits {
			return nil
		}
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

// parseKeySet reads a JWK Set, and skips (RFC 7517, section 5) keys that are symmetric, private, too weak, of an
// unknown kind, or for encryption.
func parseKeySet(text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil || set.Keys == nil {
		return nil, errors.New("this is no JWK Set: a JSON object with keys")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("a JWK Set of %d keys: more than %d", len(set.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, text := range set.Keys {
		var jwk jose.JSONWebKey
		err := json.Unmarshal(text, &jwk)
		if err == nil && (jwk.Use == "" || jwk.Use == "sig") && algorithmsOf(jwk.Key) != nil {
			keys = append(keys, jwk)
		}
	}
	if keys == nil {
		return nil, errors.New("the JWK Set holds no public key for signatures that can be used")
	}
	return keys, nil
}

var errUnusable = fmt.Errorf("a key that can't be used: RSA from %d bits on, P-256, P-384, P-521 and Ed25519 can", minRSABits)

// readKeyFile reads the public keys of a file.
func readKeyFile(name string) ([]jose.JSONWebKey, error) {
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

func parseKeyFile(text []byte) ([]jose.JSONWebKey, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return parseKeySet(text)
	}
	var keys []jose.JSONWebKey
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		public, err := parsePEM(block)
		if err != nil {
			return nil, err
		}
		if algorithmsOf(public) == nil {
			return nil, errUnusable
		}
		keys = append(keys, jose.JSONWebKey{Key: public})
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
