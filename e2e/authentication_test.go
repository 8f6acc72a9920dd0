package e2e

import (
	"strings"
	"testing"

	"broadsheet/cassandra/testkeyspace"
)

// A store that dev auth served is served with tokens only where an operator says so, and that once.
func TestDevAccountsAreNotServedWithTokens(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	want(t, 0, "", "token", "--new-key", keys, "--subject", "alice")
	jwt := []string{"--auth", "jwt", "--jwt-key-file", keys + "/jwks.json", "--jwt-issuer", "broadsheet", "--jwt-audience", "broadsheet"}
	for name, store := range map[string]func(t *testing.T) []string{
		"embedded":  func(t *testing.T) []string { return []string{"--data-dir", t.TempDir()} },
		"cassandra": func(t *testing.T) []string { return on(testkeyspace.New(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := store(t)
			serve := func(more ...string) {
				t.Helper()
				s := start(t, append(flags, more...)...).ready()
				if code := s.stop(); code != 0 {
					t.Fatalf("exit code %d: %s", code, s.log.String())
				}
			}
			refused := func() {
				t.Helper()
				want(t, 1, "the store was served with --auth dev", append(append([]string{"--listen", "127.0.0.1:0"}, flags...), jwt...)...)
			}
			serve(jwt...) // it is nobody's yet
			serve("--no-demo")
			refused()
			serve(append(jwt, "--accept-dev-accounts")...)
			serve(jwt...)
			serve("--no-demo")
			refused()
		})
	}
	_, _, said := command(t, "--accept-dev-accounts")
	if !strings.Contains(said, "--accept-dev-accounts is for --auth jwt") {
		t.Error(said)
	}
}
