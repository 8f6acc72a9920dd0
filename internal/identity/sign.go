package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The files that [NewKey] makes.
const (
	PrivateKeyFile = "private.pem"
	KeySetFile     = "jwks.json"
)

// Signer signs tokens with a private key, whose id is its thumbprint (RFC 7638).
type Signer struct{ key jose.JSONWebKey }

// NewKey makes a key for ES256, and writes to a directory the private key, which only its owner may read, and the JWK
// Set for verifiers. A key that is there already is an error, and stays.
func NewKey(dir string) (*Signer, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	s, err := newSigner(private)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return s, s.write(dir)
}

func (s *Signer) write(dir string) error {
	der, err := x509.MarshalPKCS8PrivateKey(s.key.Key)
	if err != nil {
		return err
	}
	set, err := json.MarshalIndent(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{s.key.Public()}}, "", "  ")
	if err != nil {
		return err
	}
	private := filepath.Join(dir, PrivateKeyFile)
	err = writeNew(private, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: sign with it, or name another directory", private)
	}
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(dir, KeySetFile), append(set, '\n'), 0o644); err != nil {
		return errors.Join(err, os.Remove(private))
	}
	return nil
}

func writeNew(name string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// ReadKey reads a private key, in PEM: PKCS #8, PKCS #1 or SEC 1.
func ReadKey(name string) (*Signer, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s holds no private key in PEM", name)
	}
	private, err := parsePrivate(block)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return newSigner(private)
}

func parsePrivate(block *pem.Block) (any, error) {
	switch block.Type {
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("a %s, and no private key without a password", block.Type)
	}
}

func newSigner(private any) (*Signer, error) {
	key := jose.JSONWebKey{Key: private, Use: "sig"}
	algorithms := algorithmsOf(key.Public().Key)
	if algorithms == nil {
		return nil, errUnusable
	}
	thumbprint, err := key.Thumbprint(crypto.SHA256)
	key.KeyID, key.Algorithm = base64.RawURLEncoding.EncodeToString(thumbprint), string(algorithms[0])
	return &Signer{key}, err
}

// Sign returns a token of a subject, which is valid for a while from now on.
func (s *Signer) Sign(subject, issuer, audience string, valid time.Duration) (string, error) {
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.SignatureAlgorithm(s.key.Algorithm), Key: s.key},
		(&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	now := time.Now()
	return jwt.Signed(signer).Claims(jwt.Claims{
		Subject: subject, Issuer: issuer, Audience: jwt.Audience{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(valid)),
	}).Serialize()
}
