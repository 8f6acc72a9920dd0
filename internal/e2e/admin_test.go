package e2e

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"broadsheet/internal/e2e/harness"
)

// With --admin-listen nothing that is for operators is answered where clients are.
func TestAdminListener(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--admin-listen", "127.0.0.1:0").Ready()
	admin := s.Operators()
	for path, has := range map[string]string{
		"/livez": `"live":true`, "/readyz": `"ready":true`, "/metrics": "broadsheet_ready 1\n", "/debug/pprof/": "goroutine",
	} {
		if a := admin.Get(path); a.Status != http.StatusOK || !strings.Contains(a.Text, has) {
			t.Errorf("%s: %d %.300s", path, a.Status, a.Text)
		}
		if a := s.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s where clients are answered: %d", path, a.Status)
		}
	}
	for _, path := range []string{"/graphql?query=%7B__typename%7D", "/playground", "/schema.graphql", "/", "/debug/pprof/cmdline"} {
		if a := admin.Get(path); a.Status != http.StatusNotFound {
			t.Errorf("%s where operators are answered: %d", path, a.Status)
		}
	}
	s.As("", `{ __typename }`, "").OK()
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	if _, err := admin.Try(http.MethodGet, "/livez", nil, nil); err == nil {
		t.Error("it outlives the server")
	}
	harness.Want(t, 1, "--auth dev believes whoever asks: listen on loopback, as in --admin-listen 127.0.0.1:9090", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--admin-listen", ":0")
	harness.Want(t, 1, "another address is set by --admin-listen", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--admin-listen", "127.0.0.1:none")
}

// A server of trusted documents shows no schema, and no page that sends other documents, unless it is
// asked to.
func TestPagesThatCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(manifest, []byte(`{"named": "{ __typename }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	only := []string{"--trusted-documents", manifest, "--trusted-documents-only"}
	for name, c := range map[string]struct {
		flags              []string
		playground, schema int
	}{
		"by default":                   {nil, 200, 200},
		"switched off":                 {[]string{"--no-playground", "--no-introspection"}, 404, 404},
		"trusted documents only":       {only, 404, 404},
		"trusted documents, asked for": {append([]string{"--playground"}, only...), 200, 404},
		"without introspection":        {[]string{"--no-introspection"}, 200, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := harness.Start(t, append([]string{"--data-dir", t.TempDir(), "--no-demo"}, c.flags...)...).Ready()
			if got := s.Get("/playground").Status; got != c.playground {
				t.Errorf("/playground: %d", got)
			}
			if got := s.Get("/schema.graphql").Status; got != c.schema {
				t.Errorf("/schema.graphql: %d", got)
			}
			if a := s.Do("GET", "/graphql", "", map[string]string{"Accept": "text/html"}); (a.Status == http.StatusOK || a.Status == http.StatusSeeOther) != (c.playground == 200) {
				t.Errorf("a browser at /graphql: %d %.200s", a.Status, a.Text)
			}
			harness.Eventually(t, "the welcome is whole", func() bool { return strings.Contains(s.Out.String(), "who you are") })
			if said := strings.Contains(s.Out.String(), "/playground"); said != (c.playground == 200) {
				t.Errorf("the welcome: %s", s.Out.String())
			}
		})
	}
}

// A trusted proxy tells by the PROXY protocol whom it is asked by.
func TestProxyProtocol(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--admin-listen", "127.0.0.1:0",
		"--proxy-protocol", "--trusted-proxies", "127.0.0.1,10.0.0.0/8", "--limit", "work=0.5", "--limit", "connections_per_client=2").Ready()
	admin := s.Operators()
	ask := func(client string) string {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		text := "PROXY TCP4 " + client + " 192.0.2.1 4711 443\r\n" +
			"GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.1\r\nConnection: close\r\n\r\n"
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
	for _, c := range []struct{ client, status string }{
		{"203.0.113.9", "200"}, {"203.0.113.9", "429"}, {"203.0.113.10", "200"},
		{"10.1.1.1", "200"}, {"10.1.1.1", "429"}, // though its address be among the proxies'
	} {
		if got := ask(c.client); !strings.HasPrefix(got, "HTTP/1.1 "+c.status) {
			t.Errorf("%s: %s", c.client, got)
		}
	}
	for i := range 3 { // nor has it as many connections as it likes
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = io.WriteString(conn, "PROXY TCP4 10.1.1.2 192.0.2.1 4711 443\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if n, readErr := conn.Read(make([]byte, 1)); err != nil || (i < 2) != (n == 1) {
			t.Errorf("connection %d: %d bytes, %v, %v", i, n, err, readErr)
		}
	}
	harness.Eventually(t, "the log has the client's address", func() bool { return strings.Contains(s.Log.String(), "remote=203.0.113.10") })
	if text := admin.Get("/metrics").Text; strings.Contains(text, "broadsheet_hints_total{") || strings.Contains(s.Log.String(), "198.51.100.1") {
		t.Error("X-Forwarded-For is looked at")
	}
	if code := s.Stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.Log.String())
	}
	harness.Want(t, 2, "--proxy-protocol needs --trusted-proxies", "--proxy-protocol", "--data-dir", t.TempDir())
}
