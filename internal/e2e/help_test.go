package e2e

import (
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// help returns what --help says of the program and of each command.
func help(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"", "serve", "migrate", "migrate plan", "migrate apply", "migrate status", "seed", "verify", "token", "user", "user suspend", "user restore", "user promote", "user demote", "check", "schema", "version"} {
		all[name] = harness.Want(t, 0, "Usage: broadsheet", append(strings.Fields(name), "--help")...)
	}
	return all
}

func TestHelp(t *testing.T) {
	t.Parallel()
	all := help(t)
	for _, c := range []struct{ command, has string }{
		{"", "Without a command it serves"},
		{"serve", `--listen="127.0.0.1:8080"`},
		{"serve", "--[no-]demo"},
		{"serve", "--cassandra-hosts=HOST[:PORT],..."},
		{"seed", "--users=200"},
		{"verify", `--data-dir="data"`},
	} {
		if !strings.Contains(all[c.command], c.has) {
			t.Errorf("%s --help lacks %s:\n%s", c.command, c.has, all[c.command])
		}
	}
	for name, text := range all {
		if strings.Contains(text, "=STRING") {
			t.Errorf("%s --help does not say what a flag takes:\n%s", name, text)
		}
	}
}
