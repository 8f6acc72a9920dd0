//go:build proxy

package e2e

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"broadsheet/internal/e2e/harness"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/testkeyspace"
)

// deploy/Caddyfile, as it stands, in front of two servers of one keyspace: TLS, HTTP/2, clients'
// addresses, streams, and a server that is stopped while requests come.
func TestBehindCaddy(t *testing.T) {
	t.Parallel()
	keyspace := testkeyspace.New(t)
	one := harness.Start(t, harness.On(keyspace, "--trusted-proxies", "127.0.0.1", "--drain-delay", "3s")...).Ready()
	other := harness.Start(t, harness.On(keyspace, "--trusted-proxies", "127.0.0.1")...).Ready()
	front := startCaddy(t, 0, one, other)
	front.As("alice", `mutation { createUser(input: {username: "alice"}) { user { id } userErrors { code } } }`, "").OK()

	t.Run("what clients get", func(t *testing.T) {
		response, err := front.Client.Get(front.URL + "/graphql?query=%7B__typename%7D")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.ProtoMajor != 2 || response.TLS == nil || response.Header.Get("Strict-Transport-Security") == "" || response.StatusCode != http.StatusOK {
			t.Errorf("%s %d %v", response.Proto, response.StatusCode, response.Header)
		}
		harness.Eventually(t, "the log has the client's address", func() bool {
			return strings.Contains(one.Log.String()+other.Log.String(), "remote="+proxiedClient)
		})
		for path, status := range map[string]int{"/livez": 404, "/readyz": 404, "/metrics": 404, "/": 200, "/schema.graphql": 200} {
			if got := front.Get(path).Status; got != status {
				t.Errorf("%s: %d", path, got)
			}
		}
		large := front.Do(http.MethodPost, "/graphql", `{"query": "`+strings.Repeat(" ", 1<<20)+`"}`, map[string]string{"Content-Type": "application/json"})
		if large.Status != http.StatusRequestEntityTooLarge || !strings.Contains(large.Text, "BAD_REQUEST") {
			t.Errorf("a body that is too large: %d %.200s", large.Status, large.Text)
		}
	})
	t.Run("streams", func(t *testing.T) {
		told := make(chan string, 2)
		cursor := front.As("", `{ feed(first: 1) { liveCursor } }`, "").OK().At("data.feed.liveCursor")
		front.socket(t, cursor, told)
		front.eventStream(t, cursor, told)
		front.As("alice", `mutation { createPost(input: {title: "Told.", content: "C"}) { post { id } userErrors { code } } }`, "").OK()
		for range 2 {
			select {
			case event := <-told:
				if !strings.Contains(event, "Told.") {
					t.Errorf("told %s", event)
				}
			case <-time.After(harness.Soon):
				t.Fatal("a stream tells nothing")
			}
		}
	})
	t.Run("probes elsewhere", func(t *testing.T) {
		s := harness.Start(t, "--data-dir", t.TempDir(), "--no-demo", "--admin-listen", "127.0.0.1:0").Ready()
		startCaddy(t, netip.MustParseAddrPort(strings.TrimPrefix(s.Operators().URL, "http://")).Port(), s) // it answers
	})
	t.Run("a server is stopped", func(t *testing.T) {
		var clients sync.WaitGroup
		stopped := make(chan struct{})
		answered := make([]int, 8)
		for i := range answered {
			clients.Go(func() {
				for more := 20; more > 0; answered[i]++ {
					select {
					case <-stopped:
						more--
					default:
					}
					a := front.As("alice", []string{
						`mutation { createPost(input: {title: "T", content: "C"}) { post { id } userErrors { code } } }`,
						`{ feed(first: 2) { edges { node { title } } } }`,
					}[i%2], "")
					if a.Status != http.StatusOK || strings.Contains(a.Text, `"errors"`) {
						t.Errorf("%d %s", a.Status, a.Text)
						return
					}
				}
			})
		}
		if code := one.Stop(); code != 0 {
			t.Errorf("exit code %d: %s", code, one.Log.String())
		}
		close(stopped)
		clients.Wait()
		t.Logf("answered: %v", answered)
	})
}

// proxiedClient is where the clients of the proxy dial from.
const proxiedClient = "127.0.0.9"

// caddy is the proxy, as clients reach it.
type caddy struct {
	harness.Server
	dialer websocket.Dialer
}

// startCaddy runs Caddy by deploy/Caddyfile until t ends, on an address of its own of this machine. admin is the port of the servers
// --admin-listen.
func startCaddy(t *testing.T, admin uint16, servers ...*harness.Server) *caddy {
	t.Helper()
	program, err := exec.LookPath("caddy")
	if err != nil {
		t.Fatal("this test runs deploy/Caddyfile: it needs Caddy, 2.6 or newer, as `make test-clients` does")
	}
	address := net.IPv4(127, byte(64+mathrand.N(64)), byte(mathrand.N(256)), byte(1+mathrand.N(254)))
	dir := t.TempDir()
	certificate := newCertificate(t, dir, address)
	var upstreams []string
	for _, s := range servers {
		upstreams = append(upstreams, strings.TrimPrefix(s.URL, "http://"))
	}
	c := &caddy{}
	c.T, c.URL = t, "https://"+address.String()+":8443"
	cmd := exec.Command(program, "run", "--adapter", "caddyfile", "--config", filepath.Join("deploy", "Caddyfile"))
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "BIND="+address.String(), "HTTP_PORT=8080", "HTTPS_PORT=8443",
		"SITE="+c.URL, "TLS="+filepath.Join(dir, "certificate.pem")+" "+filepath.Join(dir, "key.pem"), "SERVERS="+strings.Join(upstreams, " "), fmt.Sprint("ADMIN=", admin))
	cmd.Stdout, cmd.Stderr = &c.Out, &c.Log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	dial := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(proxiedClient)}}
	transport := &http.Transport{DialContext: dial.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	c.Client = &http.Client{Transport: transport, Timeout: harness.Soon}
	c.dialer = websocket.Dialer{NetDialContext: dial.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, Subprotocols: []string{graphqlws.Subprotocol}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = cmd.Process.Kill()
		<-ended
	})
	harness.Eventually(t, "the proxy answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("Caddy ended: %s", c.Log.String())
		default:
		}
		a, err := c.Try(http.MethodGet, "/graphql?query=%7B__typename%7D", nil, nil)
		return err == nil && a.Status == http.StatusOK
	})
	return c
}

// newCertificate writes a certificate for an address, and its key, to a folder.
func newCertificate(t *testing.T, dir string, address net.IP) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{address},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"certificate.pem": {Type: "CERTIFICATE", Bytes: signed}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// postsSince is a subscription to what is created after a cursor.
func postsSince(cursor string) string {
	return harness.Quote(`subscription { postCreated(after: "` + cursor + `") { post { title } } }`)
}

// socket subscribes over a WebSocket, and tells the first event.
func (c *caddy) socket(t *testing.T, cursor string, told chan<- string) {
	t.Helper()
	conn, _, err := c.dialer.DialContext(t.Context(), "wss"+strings.TrimPrefix(c.URL, "https")+"/graphql", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, message := range []string{`{"type":"connection_init"}`, `{"id":"1","type":"subscribe","payload":{"query":` + postsSince(cursor) + `}}`} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			if strings.Contains(string(message), "postCreated") {
				told <- string(message)
				return
			}
		}
	}()
}

// eventStream subscribes by an event stream, and tells the first event.
func (c *caddy) eventStream(t *testing.T, cursor string, told chan<- string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/graphql", strings.NewReader(`{"query":`+postsSince(cursor)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := c.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		response.Body.Close()
	})
	go func() {
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "postCreated") {
				told <- lines.Text()
				return
			}
		}
	}()
}
