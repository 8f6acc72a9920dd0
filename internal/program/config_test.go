package program

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"broadsheet/internal/httpapi/limit"
)

// TestMain keeps the environment that the tests are started in away from the flags.
func TestMain(m *testing.M) {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "BROADSHEET_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// A command line that is not understood: exit code 2, and what to do instead.
func TestBadCommandLines(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"--nonsense":                                    "unknown flag --nonsense",
		"frobnicate":                                    "unexpected argument frobnicate",
		"serve --store mysql":                           `--store must be one of "embedded","cassandra"`,
		"--store cassandra":                             "needs --cassandra-hosts, as in --cassandra-hosts 10.0.0.1:9042",
		"--cassandra-hosts 10.0.0.1":                    "add --store cassandra, or leave the hosts out",
		"--migrate":                                     "migrations are for --store cassandra",
		"migrate plan":                                  "migrations are for --store cassandra",
		"migrate":                                       `"plan", "apply", "status"`,
		"--limit deadline=10":                           "--limit: deadline=10: want a time with its unit, above 0, as in deadline=10s",
		"--limit max-tokens=5":                          "the limits are, each as name=value:",
		"--max-tokens 5":                                "unknown flag --max-tokens",
		"--keep-alive 25s":                              "unknown flag --keep-alive",
		"--drain-delay=-1s":                             "at least zero, as in 15s",
		"--trusted-proxies 10.0.0.0/8,here":             `"here" is no network, as in 10.0.0.0/8, and no address`,
		"--tracing zipkin":                              `--tracing must be one of "off","otlp"`,
		"--log-level loud":                              `"debug","info","warn","error"`,
		"--trusted-documents-only":                      "needs --trusted-documents, as in",
		"--cache-max-age 1500ms":                        "whole seconds, as in 30s",
		"--cache-max-age=-1s":                           "not below zero",
		"seed --users 0":                                "at least 1",
		"seed --concurrency 0":                          "at least 1",
		"verify --store cassandra":                      "needs --cassandra-hosts",
		"CASSANDRA --cassandra-hosts a:1,b:2":           "a cluster has one",
		"CASSANDRA --cassandra-keyspace A-B":            "use a lower-case letter",
		"CASSANDRA --cassandra-replication none":        "dc1=3",
		"serve --auth none":                             `--auth must be one of "dev","jwt"`,
		"--jwt-issuer i":                                "are for --auth jwt: add it, or leave them out",
		"--auth jwt --jwks-url https://i.org/":          "needs --jwt-issuer and --jwt-audience",
		"JWT":                                           "needs --jwks-url, or --jwt-key-file",
		"JWT --jwks-url https://i.org --jwt-key-file k": "can't be used together",
		"JWT --jwks-url http://issuer.example.org/":     "must begin with https://",
		"JWT --jwt-key-file k --jwt-algorithms HS256":   `"HS256" is no algorithm that can be allowed`,
		"JWT --jwt-key-file k --jwt-algorithms none":    `"none" is no algorithm that can be allowed`,
		"JWT --jwt-key-file k --jwks-refresh 0s":        "--jwks-refresh must be above zero, as in 5m",
		"JWT --jwt-key-file k --jwt-adopt-accounts all": `--jwt-adopt-accounts must be one of "","dev","issuer"`,
		"JWT --jwt-key-file k --demo":                   "the demo dataset is for --auth dev",
		"--cors-origins https://app.example.org":        `pages of "https://app.example.org" could act as anyone`,
		"--cors-origins *":                              `pages of "*" could act as anyone`,
		"--cors-origins https://a.org/path":             `--cors-origins: "https://a.org/path" is no origin`,
		"token --subject alice":                         "--key=FILE or --new-key=DIR",
		"token --new-key d":                             "--subject",
		"token --new-key d --subject a --key k":         "can't be used together",
		"token --new-key d --subject=":                  "--subject: a subject has 1 to 255 bytes",
		"token --new-key d --subject a --issuer=":       "--issuer and --audience must not be empty",
		"token --new-key d --subject a --expires 0s":    "--expires must be at least 1s",
		"CASSANDRA --cassandra-consistency ONE --cassandra-replication 3": "LOCAL_QUORUM",
		"CASSANDRA --cassandra-consistency SOME":                          "LOCAL_QUORUM",
		"CASSANDRA --cassandra-ca-file ca.pem":                            "TLS is off",
		"CASSANDRA --cassandra-feed-shards 0":                             "--cassandra-feed-shards and --cassandra-job-rate must be above zero",
		"CASSANDRA --cassandra-password-file b":                           "a name and a password belong together",
		"CASSANDRA --cassandra-username u":                                "a name and a password belong together",
		"CASSANDRA --cassandra-username u --cassandra-password-file /n/x": "--cassandra-password-file: open /n/x",
		"CASSANDRA --cassandra-password a --cassandra-password-file b":    "can't be used together",
	} {
		line = strings.Replace(line, "JWT", "serve --auth jwt --jwt-issuer i --jwt-audience a", 1)
		line = strings.Replace(line, "CASSANDRA", "serve --store cassandra --cassandra-hosts 127.0.0.1:1", 1)
		var out, complaint strings.Builder
		_, understood, code := parse(strings.Fields(line), &out, &complaint)
		if said := complaint.String(); understood != nil || code != 2 || out.String() != "" || !strings.Contains(said, says) || !strings.HasSuffix(said, "\nTry broadsheet --help.\n") {
			t.Errorf("broadsheet %s: exit code %d, %s%s", line, code, out.String(), said)
		}
	}
}

// Every flag has its environment variable, and a default that its line says.
func TestEveryFlagIsDescribed(t *testing.T) {
	t.Parallel()
	_, line, _ := parse([]string{"version"}, io.Discard, io.Discard)
	groups := line.Model.AllFlags(false)
	for _, leaf := range line.Model.Leaves(false) {
		groups = append(groups, leaf.Flags)
	}
	n := 0
	for _, group := range groups {
		for _, flag := range group {
			if flag.Name == "help" {
				continue
			}
			n++
			name := "BROADSHEET_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if len(flag.Envs) != 1 || flag.Envs[0] != name {
				t.Errorf("--%s has the variables %v, want %s", flag.Name, flag.Envs, name)
			}
			if !flag.HasDefault && !regexp.MustCompile(`default|user's|account`).MatchString(flag.Help) {
				t.Errorf("--%s says no default: %s", flag.Name, flag.Help)
			}
			if !strings.HasSuffix(flag.Help, ".") {
				t.Errorf("--%s: %s", flag.Name, flag.Help)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d flags were seen", n)
	}
}

// A limit is set by the command line, else by the variable, else by the profile.
func TestLimits(t *testing.T) {
	serving := func(line string) limit.Values {
		t.Helper()
		f, understood, code := parse(strings.Fields(line), io.Discard, os.Stderr)
		if understood == nil || code != 0 {
			t.Fatalf("broadsheet %s: exit code %d", line, code)
		}
		return f.Serve.limits
	}
	const jwt = "serve --auth jwt --jwt-issuer i --jwt-audience a --jwt-key-file k "
	if dev, tokens := serving(""), serving(jwt); dev[limit.Work] != 0 || tokens[limit.Work] != 1000 {
		t.Errorf("dev: %v, jwt: %v", dev, tokens)
	}
	t.Setenv("BROADSHEET_LIMIT", "selections=44,tokens=3000")
	t.Setenv("BROADSHEET_PROFILE", "public")
	want := func(line string, selections, tokens, depth float64) {
		t.Helper()
		if v := serving(line); v[limit.Selections] != selections || v[limit.Tokens] != tokens || v[limit.Depth] != depth {
			t.Errorf("broadsheet %s: %v", line, v)
		}
	}
	want("", 44, 3000, 15)
	want("--limit tokens=4000 --limit depth=9", 44, 4000, 9)
	want("--limit tokens=4000,depth=9", 44, 4000, 9)
	want("--profile local", 44, 3000, 20)
}
