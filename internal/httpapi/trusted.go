package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"broadsheet/graph"
	"broadsheet/internal/httpapi/document"
	"broadsheet/internal/httpapi/limit"
	"broadsheet/internal/relay"
)

// TrustedDocuments are the documents that clients were built with, as their build wrote them to a manifest: texts by
// the manifest's id, by SHA-256, and by sha256: and that. Make them with [ReadTrustedDocuments].
type TrustedDocuments map[string]string

// ReadTrustedDocuments reads a manifest: Apollo's, which says "format": "apollo-persisted-query-manifest", or a JSON
// object of texts by id, as Relay's compiler and GraphQL Code Generator write it. Every document is validated against
// the schema, and is within limits. The error names the file, and the operation that is at fault.
func ReadTrustedDocuments(file string, limits *limit.Values, introspection bool) (TrustedDocuments, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err // it names the file
	}
	entries, err := readManifest(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	trusted := TrustedDocuments{}
	documents := document.New(graph.NewExecutableSchema(graph.Config{}).Schema(), relay.Scalars, limits, introspection)
	for _, e := range entries {
		var err error
		if _, errs := documents.Prepare(context.Background(), nil, e.Body); errs != nil {
			err = errs
		} else {
			err = trusted.add(e)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: operation %s: %w", file, e.called(), err)
		}
	}
	return trusted, nil
}

// holds reports whether a text is, byte for byte, that of a trusted document.
func (t TrustedDocuments) holds(text string) bool {
	known, ok := t[hashOf(text)]
	return ok && known == text
}

// manifestEntry is an operation of Apollo's manifest; Relay's has no names.
type manifestEntry struct{ ID, Name, Body string }

func (e manifestEntry) called() string {
	if e.Name == "" {
		return e.ID
	}
	return e.Name + " (" + e.ID + ")"
}

const apolloFormat = "apollo-persisted-query-manifest"

func readManifest(content []byte) ([]manifestEntry, error) {
	var apollo struct {
		Format     json.RawMessage
		Version    json.RawMessage
		Operations json.RawMessage
	}
	if err := json.Unmarshal(content, &apollo); err != nil {
		return nil, fmt.Errorf("a manifest is a JSON object: %w", err)
	}
	if string(apollo.Format) != `"`+apolloFormat+`"` {
		return readTexts(content)
	}
	if string(apollo.Version) != "1" {
		return nil, fmt.Errorf("the version of a manifest of format %s must be 1", apolloFormat)
	}
	var entries []manifestEntry
	if err := json.Unmarshal(apollo.Operations, &entries); err != nil {
		return nil, fmt.Errorf("operations must be a list of objects with id, name and body: %w", err)
	}
	return entries, nil
}

// readTexts reads a JSON object of texts by id.
func readTexts(content []byte) ([]manifestEntry, error) {
	var texts map[string]string
	if err := json.Unmarshal(content, &texts); err != nil {
		return nil, fmt.Errorf("a manifest has format %q, or maps ids to texts: %w", apolloFormat, err)
	}
	var entries []manifestEntry
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		entries = append(entries, manifestEntry{ID: id, Body: texts[id]})
	}
	return entries, nil
}

func (t TrustedDocuments) add(e manifestEntry) error {
	if e.ID == "" {
		return errors.New("it has no id")
	}
	hash := hashOf(e.Body)
	for _, id := range []string{e.ID, hash, "sha256:" + hash} {
		if other, taken := t[id]; taken && other != e.Body {
			return errors.New("another document has its id")
		}
		t[id] = e.Body
	}
	return nil
}

// hashOf returns the SHA-256 of a text in lower-case hexadecimal digits.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
