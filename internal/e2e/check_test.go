package e2e

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql/introspection"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/playground"
	"broadsheet/internal/testkeyspace"
)

// check reads what serve would be started with, and starts nothing.
func TestCheck(t *testing.T) {
	dir, keys, keyspace, missing := t.TempDir(), t.TempDir(), testkeyspace.New(t), testkeyspace.Name(t)
	for _, entry := range os.Environ() { // what is for the tests means nothing to the program
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "BROADSHEET_") {
			t.Setenv(name, value) // has it restored
			os.Unsetenv(name)
		}
	}
	served := []string{"--data-dir", dir}
	harness.Want(t, 0, "the store: none yet", "check", "--data-dir", filepath.Join(dir, "none"))
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("it made a store")
	}
	s := harness.Start(t, append(served, "--no-demo")...).Ready()
	harness.Want(t, 1, "in use by another server", append([]string{"check"}, served...)...)
	s.Stop()
	harness.Want(t, 0, "the store: ready", append([]string{"check"}, served...)...)
	harness.Want(t, 0, "the store: ready", append([]string{"check"}, harness.On(keyspace)...)...)
	harness.Want(t, 1, missing.Keyspace, append([]string{"check"}, harness.On(missing)...)...)

	harness.Want(t, 0, "", "token", "--new-key", keys, "--subject", "alice")
	set, err := os.ReadFile(filepath.Join(keys, "jwks.json"))
	if err != nil {
		t.Fatal(err)
	}
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/jwks" {
			_, _ = w.Write(set)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer issuer.Close()
	jwt := []string{"check", "--auth", "jwt", "--jwt-issuer", "i", "--jwt-audience", "a", "--data-dir", filepath.Join(dir, "none")}
	said := harness.Want(t, 0, "the issuer's keys: there", append(jwt, "--jwks-url", issuer.URL+"/jwks")...)
	for _, warning := range []string{"--trusted-proxies", "--admin-listen", "--drain-delay"} {
		if !strings.Contains(said, warning) {
			t.Errorf("no word of %s: %s", warning, said)
		}
	}
	harness.Want(t, 1, "the issuer's keys: ", append(jwt, "--jwks-url", issuer.URL+"/gone")...)
	harness.Want(t, 1, "--auth dev", append(jwt[:len(jwt)-1:len(jwt)-1], dir, "--jwt-key-file", filepath.Join(keys, "jwks.json"))...)

	harness.Want(t, 2, "--limit: tokens=0", "check", "--limit", "tokens=0")
	harness.Want(t, 1, "--trusted-documents: ", "check", "--trusted-documents", filepath.Join(dir, "no.json"))
	quiet := harness.Want(t, 0, "configuration: understood", append([]string{"check"}, served...)...)
	if strings.Contains(quiet, "warning") {
		t.Error(quiet)
	}
	t.Setenv("BROADSHEET_MAX_TOKENS", "5")
	t.Setenv("BROADSHEET_LIMIT", "tokens=5")
	if _, _, log := harness.Command(t, append([]string{"check"}, served...)...); !strings.Contains(log, "mean nothing: BROADSHEET_MAX_TOKENS") {
		t.Error(log)
	}
	harness.Want(t, 2, "mean nothing", append([]string{"check"}, served...)...)
}

// What the app, the playground and introspection send passes the profile for anybody.
func TestThePublicProfileLetsToolsPass(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--profile", "public").Ready()
	documents := appsDocuments(t)
	if len(documents) < 10 {
		t.Fatalf("only %d documents of the app were found", len(documents))
	}
	for _, op := range playground.Operations() {
		documents = append(documents, op.Query)
	}
	// A document is measured before its variables, which are not given here.
	for _, text := range documents {
		if a := s.As("alice", text, ""); !strings.Contains(text, "subscription ") && strings.Contains(a.Text, "QUERY_TOO_COMPLEX") {
			t.Errorf("%s: %s", text, a.Text)
		}
	}
	s.As("", introspection.Query, "").OK()
}

var (
	appsDocument = regexp.MustCompile("(?s)graphql\\(`(.*?)`")
	fragmentName = regexp.MustCompile(`fragment (\w+) on`)
	spread       = regexp.MustCompile(`\.\.\.(\w+)`)
)

// appsDocuments returns the operations of the app, each with the fragments that it spreads.
func appsDocuments(t *testing.T) (documents []string) {
	t.Helper()
	fragments := map[string]string{}
	var operations []string
	err := filepath.WalkDir(filepath.Join(harness.Repository, "web", "src"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tsx") && !strings.HasSuffix(path, ".ts") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range appsDocument.FindAllStringSubmatch(string(text), -1) {
			if name := fragmentName.FindStringSubmatch(found[1]); name != nil {
				fragments[name[1]] = found[1]
			} else {
				operations = append(operations, found[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range operations {
		with := map[string]bool{}
		for whole := ""; whole != text; {
			whole = text
			for _, name := range spread.FindAllStringSubmatch(whole, -1) {
				if !with[name[1]] && fragments[name[1]] != "" {
					with[name[1]] = true
					text += fragments[name[1]]
				}
			}
		}
		documents = append(documents, text)
	}
	return documents
}
