package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/recent"
	"broadsheet/internal/refusal"
)

// The room for texts of documents that are persisted automatically, in bytes.
const (
	persistedBytes = 4 << 10 // for each that may be kept: longer ones leave less to others

	// maxPersistedText bounds one. A longer one is executed, and sent again each time.
	maxPersistedText = 64 << 10
)

// documents knows texts by names: those that were trusted at the start, and those that clients persisted automatically.
// gqlgen's own extension keeps texts before they are validated, and its errors have no codes.
type documents struct {
	trusted   TrustedDocuments              // nil: none
	only      bool                          // nothing but trusted is executed
	automatic *recent.Cache[string, string] // by SHA-256 in hex; nil: switched off
}

func newDocuments(c Config) *documents {
	d := &documents{trusted: c.TrustedDocuments, only: c.TrustedDocumentsOnly}
	if kept := c.Limits.Int(limit.PersistedQueries); kept > 0 && !d.only {
		d.automatic = recent.New[string, string](kept, max(kept*persistedBytes, 8*maxPersistedText))
	}
	return d
}

// Why a document is not executed. Clients know the first two by code or by message, so both are Apollo Server's.
var (
	errPersistedQueryNotFound     = refusal.New(refusal.CodePersistedNotFound, "PersistedQueryNotFound")
	errPersistedQueryNotSupported = refusal.New(refusal.CodePersistedNotSupported, "PersistedQueryNotSupported")
	errUntrustedDocument          = refusal.New(refusal.CodeForbidden, "this server executes only the documents that it was started with")
)

// resolve gives a request the text that it names. Its hash is empty unless the text came with one: see keep.
func (d *documents) resolve(p *params) (hash string, err error) {
	switch persisted := p.Extensions["persistedQuery"]; {
	case p.own:
	case p.documentID != "":
		p.Query, err = d.named(p.documentID)
	case persisted != nil:
		hash, err = d.persisted(p, persisted)
	case d.only && !d.trusted.holds(p.Query):
		err = errUntrustedDocument
	}
	return hash, err
}

func (d *documents) named(id string) (string, error) {
	if text, ok := d.trusted[id]; ok {
		return text, nil
	}
	return "", errPersistedQueryNotFound
}

// persisted is Apollo's protocol of automatic persisted queries.
func (d *documents) persisted(p *params, extension any) (hash string, err error) {
	if d.automatic == nil && d.trusted == nil {
		return "", errPersistedQueryNotSupported
	}
	if hash, err = persistedHash(extension); err != nil {
		return "", err
	}
	switch {
	case p.Query == "":
		p.Query, err = d.hashed(hash)
		return "", err
	case hashOf(p.Query) != hash:
		return "", badf(http.StatusBadRequest, "extensions.persistedQuery.sha256Hash is not the SHA-256 of query")
	case d.only && !d.trusted.holds(p.Query):
		return "", errUntrustedDocument
	default:
		return hash, nil
	}
}

func (d *documents) hashed(hash string) (string, error) {
	if d.automatic != nil {
		if text, ok := d.automatic.Get(hash); ok {
			return text, nil
		}
	}
	return d.named(hash)
}

// persistedHash reads extensions.persistedQuery.
func persistedHash(extension any) (string, error) {
	fields, _ := extension.(map[string]any)
	hash, ok := fields["sha256Hash"].(string)
	if !ok {
		return "", badf(http.StatusBadRequest, "extensions.persistedQuery must be an object with version and sha256Hash")
	}
	if version, ok := fields["version"].(json.Number); !ok || version != "1" {
		return "", badf(http.StatusBadRequest, "extensions.persistedQuery.version must be 1")
	}
	return hash, nil
}

// keep persists a text by the hash that it came with. It was found valid, and within all limits.
func (d *documents) keep(hash, text string) {
	if hash != "" && d.automatic != nil && len(text) <= maxPersistedText {
		d.automatic.Add(hash, strings.Clone(text), len(text)) // it may be a part of a long URL
	}
}
