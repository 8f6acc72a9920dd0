package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// What the flags on documents and caches say reaches the server.
func TestDocumentFlags(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"named":"query Named {__typename}"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--data-dir", t.TempDir(), "--no-demo",
		"--trusted-documents", manifest, "--trusted-documents-only", "--cache-max-age", "30s").ready()
	named := s.get("/graphql?documentId=named")
	if named.text != `{"data":{"__typename":"Query"}}` || named.header.Get("Cache-Control") != "public, max-age=30" {
		t.Errorf("%d %s %v", named.status, named.text, named.header)
	}
	if code := s.as("", "{__typename}", "").code(); code != "FORBIDDEN" {
		t.Errorf("another document: %q", code)
	}
	const known = `/graphql?extensions={"persistedQuery":{"version":1,"sha256Hash":"00"}}`
	if code := s.get(known).code(); code != "PERSISTED_QUERY_NOT_FOUND" {
		t.Errorf("a hash of none of them: %q", code)
	}
	off := start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "persisted_queries=0").ready()
	if code := off.get(known).code(); code != "PERSISTED_QUERY_NOT_SUPPORTED" {
		t.Errorf("switched off: %q", code)
	}
}

// A manifest of another schema keeps the server from starting.
func TestManifestThatDoesNotFit(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"old":"query Old {gone}"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, 1, "--trusted-documents: "+manifest+": operation old: ", "--trusted-documents", manifest)
}
