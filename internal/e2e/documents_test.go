package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// What the flags on documents and caches say reaches the server.
func TestDocumentFlags(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"named":"query Named {__typename}"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo",
		"--trusted-documents", manifest, "--trusted-documents-only", "--cache-max-age", "30s").Ready()
	named := s.Get("/graphql?documentId=named")
	if named.Text != `{"data":{"__typename":"Query"}}` || named.Header.Get("Cache-Control") != "public, max-age=30" {
		t.Errorf("%d %s %v", named.Status, named.Text, named.Header)
	}
	if code := s.As("", "{__typename}", "").Code(); code != "FORBIDDEN" {
		t.Errorf("another document: %q", code)
	}
	const known = `/graphql?extensions={"persistedQuery":{"version":1,"sha256Hash":"00"}}`
	if code := s.Get(known).Code(); code != "PERSISTED_QUERY_NOT_FOUND" {
		t.Errorf("a hash of none of them: %q", code)
	}
	off := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--limit", "persisted_queries=0").Ready()
	if code := off.Get(known).Code(); code != "PERSISTED_QUERY_NOT_SUPPORTED" {
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
	harness.Want(t, 1, "--trusted-documents: "+manifest+": operation old: ", "--trusted-documents", manifest)
}
