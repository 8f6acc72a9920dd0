package e2e

import (
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/testkeyspace"
)

// A store that dev auth wrote to is served with tokens only where an operator says so, and never again with dev auth.
func TestDevAccountsAreNotServedWithTokens(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	harness.Want(t, 0, "", "token", "--new-key", keys, "--subject", "alice")
	jwt := []string{"--auth", "jwt", "--jwt-key-file", keys + "/jwks.json", "--jwt-issuer", "broadsheet", "--jwt-audience", "broadsheet"}
	for name, store := range map[string]func(t *testing.T) []string{
		"embedded":  func(t *testing.T) []string { return []string{"--data-dir", t.TempDir()} },
		"cassandra": func(t *testing.T) []string { return harness.On(testkeyspace.New(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := store(t)
			serve := func(more ...string) {
				t.Helper()
				s := harness.Start(t, append(flags, more...)...).Ready()
				if code := s.Stop(); code != 0 {
					t.Fatalf("exit code %d: %s", code, s.Log.String())
				}
			}
			refused := func(before string, more ...string) {
				t.Helper()
				harness.Want(t, 1, "the store was served with --auth "+before, append(append([]string{"--listen", "127.0.0.1:0"}, flags...), more...)...)
			}
			serve("--no-demo") // nothing is written
			serve(jwt...)
			refused("jwt", "--demo")
			serve(jwt...)
			flags = store(t)
			dev := harness.Start(t, append(flags, "--no-demo")...).Ready()
			dev.As("alice", `mutation { createUser(input: {username: "alice"}) { user { id } userErrors { code } } }`, "").OK()
			dev.Stop()
			refused("dev", jwt...)
			serve(append(jwt, "--jwt-adopt-accounts", "dev")...)
			serve(jwt...)
			refused("jwt", "--no-demo")
			refused("jwt", "--demo")
		})
	}
}

// The accounts of one issuer are not those of another whose tokens have the same sub, unless an operator says
// so: for one account, or for all.
func TestAnIssuersAccountsAreNotAnothers(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	harness.Want(t, 0, "", "token", "--new-key", keys, "--subject", "alice")
	token := func(issuer, subject string) string {
		return strings.TrimSpace(harness.Want(t, 0, "", "token", "--key", keys+"/private.pem", "--issuer", issuer, "--subject", subject))
	}
	const first, second = "https://first.example", "https://second.example"
	for name, store := range map[string]func(t *testing.T) []string{
		"embedded":  func(t *testing.T) []string { return []string{"--data-dir", t.TempDir()} },
		"cassandra": func(t *testing.T) []string { return harness.On(testkeyspace.New(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flags := store(t)
			served := func(issuer string, with func(s *harness.Server), more ...string) {
				t.Helper()
				jwt := append([]string{"--auth", "jwt", "--jwt-key-file", keys + "/jwks.json", "--jwt-issuer", issuer, "--jwt-audience", "broadsheet"}, more...)
				s := harness.Start(t, append(flags, jwt...)...).Ready()
				with(s)
				if code := s.Stop(); code != 0 {
					t.Fatalf("exit code %d: %s", code, s.Log.String())
				}
			}
			viewer := func(s *harness.Server, token, username string) {
				t.Helper()
				s.As(token, `{ viewer { username } }`, "").OK().Want("data.viewer", username)
			}
			user := func(text string, args ...string) {
				t.Helper()
				harness.Want(t, 0, text, append(append([]string{"user"}, args...), flags...)...)
			}
			make := func(s *harness.Server, token, username string) {
				t.Helper()
				s.As(token, `mutation { createUser(input: {username: "`+username+`"}) { user { username } userErrors { code } } }`, "").OK().
					Want("data.createUser.user.username", username)
			}
			const alice, another = `{"username":"alice"}`, `{"username":"another"}`
			served(first, func(s *harness.Server) { make(s, token(first, "alice"), "alice") })
			served(second, func(s *harness.Server) {
				viewer(s, token(second, "alice"), "null")
				make(s, token(second, "alice"), "another")
				viewer(s, token(second, "alice"), another)
			})
			user(`"issuer": "`+first+`"`, "--username", "alice")
			user(`"issuer": "`+second+`"`, "--username", "another")
			served(first, func(s *harness.Server) { viewer(s, token(first, "alice"), alice) })
			user(`"subject": "alice at the second"`, "relink", "--username", "alice", "--to-issuer", second, "--to-subject", "alice at the second")
			harness.Want(t, 1, "already has an account", append([]string{"user", "relink", "--username", "alice", "--to-issuer", second, "--to-subject", "alice"}, flags...)...)
			served(first, func(s *harness.Server) { viewer(s, token(first, "alice"), "null") })
			served(second, func(s *harness.Server) { viewer(s, token(second, "alice at the second"), alice) })
			user(`"issuer": "`+first+`"`, "relink", "--username", "alice", "--to-subject", "alice")
			served(second, func(s *harness.Server) { viewer(s, token(second, "alice"), alice) }, "--jwt-adopt-accounts", "issuer")
			served(second, func(s *harness.Server) { viewer(s, token(second, "alice"), alice) })
			served(first, func(s *harness.Server) { viewer(s, token(first, "alice"), "null") })
			harness.Want(t, 0, "", append([]string{"verify"}, flags...)...)
		})
	}
	for _, from := range []string{"dev", "issuer"} {
		if _, _, said := harness.Command(t, "--jwt-adopt-accounts", from); !strings.Contains(said, "--jwt-adopt-accounts are for --auth jwt") {
			t.Error(said)
		}
	}
	harness.Want(t, 1, "leave it out, or serve it first", "user", "relink", "--username", "alice", "--to-issuer", first, "--to-subject", "a", "--data-dir", seeded(t))
}

// seeded returns the directory of a store that was never served.
func seeded(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	harness.Want(t, 0, "", "seed", "--users", "1", "--data-dir", dir)
	return dir
}
