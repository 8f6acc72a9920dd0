package e2e

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
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
	withoutVariables(t)
	t.Setenv("BROADSHEET_LISTEN", "127.0.0.1:0")
	served := []string{"--data-dir", dir}
	harness.Want(t, 0, "the store: none yet", "check", "--data-dir", filepath.Join(dir, "none", "below"))
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("it made a store")
	}
	s := harness.Start(t, append(served, "--no-demo")...).Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").OK()
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

	others := []string{"--auth", "jwt", "--jwt-audience", "a", "--jwt-key-file", filepath.Join(keys, "jwks.json"), "--data-dir", filepath.Join(dir, "another's"), "--jwt-issuer"}
	harness.Start(t, append(others, "i")...).Ready().Stop()
	harness.Want(t, 0, "warning: the store's accounts are those of i:", append([]string{"check"}, append(others, "j")...)...)
	harness.Want(t, 1, "the store was served with --auth jwt", "check", "--data-dir", filepath.Join(dir, "another's"))

	s = harness.Start(t, harness.On(keyspace, "--no-demo")...).Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").OK()
	s.Stop()
	steps, err := filepath.Glob("cassandra/schema/*.cql")
	if err != nil {
		t.Fatal(err)
	}
	testkeyspace.Execute(t, keyspace, fmt.Sprintf("DELETE FROM %%s.schema_migrations WHERE history = 0 AND version = %d", len(steps)))
	behind := harness.On(keyspace, "check", "--migrate")
	harness.Want(t, 0, "by 1 steps", behind...)
	harness.Want(t, 1, "the store was served with --auth dev", append(behind, append(others[:6:6], "--jwt-issuer", "i")...)...)

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

// withoutVariables takes away what is for the tests, which means nothing to the program, until t ends.
func withoutVariables(t *testing.T) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "BROADSHEET_") {
			t.Setenv(name, value) // has it restored
			os.Unsetenv(name)
		}
	}
}

// What keeps a server from starting check says in the same words, and leaves nothing.
func TestCheckRefusesWhatServeDoes(t *testing.T) {
	dir, free := t.TempDir(), freeAddress(t)
	file, missing := filepath.Join(dir, "file"), filepath.Join(dir, "missing")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	jwt := []string{"--auth", "jwt", "--jwt-issuer", "i", "--jwt-audience", "a", "--jwt-key-file"}
	cassandra, none := testkeyspace.New(t), testkeyspace.Name(t)
	testkeyspace.Execute(t, none, "CREATE KEYSPACE %s_of_three WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 3}")
	t.Cleanup(func() { testkeyspace.Execute(t, none, "DROP KEYSPACE %s_of_three") })
	three := none
	three.Keyspace += "_of_three"
	two := inTwoDatacentres(t)
	testkeyspace.Execute(t, two, "UPDATE %s.checkpoints SET position = 'LOCAL_SERIAL in the datacentre elsewhere' WHERE name = 'writers'")
	withoutVariables(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "collector")
	for name, c := range map[string]struct {
		says  string
		flags []string
	}{
		"an address that is none":      {"can't listen on nonsense; another address is set by --listen", []string{"--listen", "nonsense"}},
		"a port that is none":          {"can't listen on 127.0.0.1:99999", []string{"--listen", "127.0.0.1:99999"}},
		"dev auth for all":             {"--auth dev believes whoever asks", []string{"--listen", ":0"}},
		"one address for two":          {"another address is set by --admin-listen", []string{"--listen", free, "--admin-listen", free}},
		"an admin address for all":     {"as in --admin-listen 127.0.0.1:9090", []string{"--admin-listen", ":0"}},
		"a directory that is a file":   {"is a file: name a directory", []string{"--data-dir", file}},
		"a directory below a file":     {"not a directory", []string{"--data-dir", filepath.Join(file, "data")}},
		"a directory of another":       {"holds something else (file)", []string{"--data-dir", dir}},
		"no trusted documents":         {"--trusted-documents: ", []string{"--trusted-documents", missing}},
		"no keys":                      {missing, append(jwt, missing)},
		"keys that are none":           {"neither a public key in PEM nor a JWK Set", append(jwt, file)},
		"a collector that is none":     {`OTEL_EXPORTER_OTLP_ENDPOINT is "collector"`, []string{"--tracing", "otlp"}},
		"a name without a password":    {"belong together", harness.On(cassandra, "--cassandra-username", "u")},
		"no authorities":               {"the CA file " + missing, harness.On(cassandra, "--cassandra-tls", "--cassandra-ca-file", missing)},
		"no certificate":               {"the client certificate can't be read", harness.On(cassandra, "--cassandra-tls", "--cassandra-cert-file", missing, "--cassandra-key-file", missing)},
		"a node that does not encrypt": {"Cassandra does not encrypt connections", harness.On(cassandra, "--cassandra-tls")},
		"no such datacentre":           {"the cluster has no datacentre \"nowhere\"", harness.On(cassandra, "--cassandra-datacenter", "nowhere")},
		"no schema":                    {"holds no schema", harness.On(none)},
		"more replicas than nodes":     {"a replication of 3 in the datacentre datacenter1 takes as many nodes, and it has 1", harness.On(none, "--migrate", "--cassandra-replication", "3")},
		"another datacentre writes":    {"made at LOCAL_SERIAL in the datacentre elsewhere; at LOCAL_SERIAL in the datacentre datacenter1 they", harness.On(two, "--migrate")},
		"a quorum that is never there": {"can't be used at LOCAL_QUORUM, which takes 2 of its 3 replicas, for the nodes there hold 1: add nodes", harness.On(three, "--migrate")},
	} {
		t.Run(name, func(t *testing.T) {
			flags := append([]string{"--listen", "127.0.0.1:0", "--data-dir", missing}, c.flags...)
			code, _, _ := harness.Command(t, append([]string{"check"}, flags...)...)
			if code == 0 {
				t.Error("check finds nothing")
			}
			harness.Want(t, code, c.says, append([]string{"check"}, flags...)...)
			harness.Want(t, code, c.says, append([]string{"serve"}, flags...)...)
			if _, err := os.Stat(missing); err == nil {
				t.Error("the directory is there")
			}
		})
	}
	harness.Want(t, 1, "a replication of 3", harness.On(none, "migrate", "apply", "--cassandra-replication", "3")...)
	harness.Want(t, 0, "CREATE KEYSPACE IF NOT EXISTS "+none.Keyspace, harness.On(none, "migrate", "plan")...)
	harness.Want(t, 0, "the start makes what it lacks", harness.On(none, "check", "--migrate", "--listen", "127.0.0.1:0")...)
}

// freeAddress returns one that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// What a server starts with, though it is likely a mistake, is a warning. check changes nothing in a store.
func TestCheckWarns(t *testing.T) {
	keyspace, dir, keys := testkeyspace.New(t), seeded(t), t.TempDir()
	harness.Want(t, 0, "", "token", "--new-key", keys, "--subject", "alice")
	withoutVariables(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(300 << 20))
	before := files(t, dir)
	for says, flags := range map[string][]string{
		"the limit cost is 0":                        {"--limit", "cost=0"},
		"the limit answers is 0":                     {"--limit", "answers=0"},
		"GOMEMLIMIT is 300 MiB, and by the limits":   {},
		"--cassandra-timeout is longer":              harness.On(keyspace, "--cassandra-timeout", "60s", "--limit", "deadline=2s"),
		"each row is on one node only":               harness.On(keyspace),
		"the store was never backed up":              {"--data-dir", dir, "--auth", "jwt", "--jwt-issuer", "i", "--jwt-audience", "a", "--jwt-key-file", filepath.Join(keys, "jwks.json")},
		"the limit deadline is longer than shutdown": {"--limit", "deadline=1h"},
	} {
		harness.Want(t, 0, says, append([]string{"check", "--listen", "127.0.0.1:0", "--data-dir", dir}, flags...)...)
	}
	if after := files(t, dir); after != before {
		t.Errorf("the directory had\n%s\nand has\n%s", before, after)
	}
	said := harness.Want(t, 0, "configuration: understood", "check", "--listen", "127.0.0.1:0", "--data-dir", dir, "--limit", "queue=0,answers=64MiB,bodies=32MiB")
	if strings.Contains(said, "warning") {
		t.Error(said)
	}
}

// files lists a directory's files, with their sizes and times, but for the lock.
func files(t *testing.T, dir string) (all string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "LOCK" }) {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintln(entry.Name(), info.Size(), info.ModTime())
	}
	return all
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
