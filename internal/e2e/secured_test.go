package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/cassandratest"
	"broadsheet/internal/e2e/harness"
)

// A cluster that encrypts and asks for a name and a password: what does not fit is told, and ends the program; what
// is renewed is used for the next connections, without a restart.
func TestSecuredCassandra(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write(t, file("password"), "cassandra\n")
	write(t, file("wrong"), "wrong")
	newAuthority(t, file("ca.pem"), file("node.pem"))
	newAuthority(t, file("stranger.pem"), file("unused.pem"))
	nodes := cassandratest.Launch(t, cassandratest.Options{
		Settings: map[string]string{
			"authenticator": "PasswordAuthenticator",
			"client_encryption_options": `{enabled: true, optional: true, keystore: "` + file("node.pem") + `", truststore: "` + file("ca.pem") +
				`", ssl_context_factory: {class_name: org.apache.cassandra.security.PEMBasedSslContextFactory}}`,
			"commitlog_sync":        "periodic",
			"commitlog_sync_period": "10s",
			"tables_fail_threshold": "20",
			"read_request_timeout":  "61s",
		},
		JVM: []string{"-Dcassandra.superuser_setup_delay_ms=0"},
	})
	address := nodes.Hosts()[0]
	named := forward(t, address)
	on := func(host string, more ...string) []string {
		c := cassandra.Config{Config: cluster.Config{Hosts: []string{host}, Keyspace: "secured"}}
		return harness.On(c, append(more, "--listen", "127.0.0.1:0", "--cassandra-tls", "--cassandra-timeout", "1m", harness.Patient)...)
	}
	login := []string{"--cassandra-username", "cassandra", "--cassandra-password-file"}
	known := append(login, file("password"), "--cassandra-ca-file", file("ca.pem"))
	c := cluster.Config{
		Hosts: []string{named}, Keyspace: "secured", TLS: true, CAFile: file("ca.pem"), Username: "cassandra", PasswordFile: file("password"),
		Timeout: harness.Soon,
	}
	harness.Eventually(t, "the node has its first user, which it makes once it serves", func() bool {
		session, _, err := c.WithDefaults().ConnectAnywhere(t.Context())
		if err == nil {
			session.Close()
		}
		return err == nil
	})
	s := harness.Launch(t, on(named, append(known, "--migrate")...)...).Ready()
	s.As("ann", `mutation { createUser(input: {username: "ann"}) { user { id } userErrors { code } } }`, "").OK()

	for _, c := range []struct {
		name, says string
		flags      []string
	}{
		{"a wrong password", "Cassandra refuses the name or the password", on(named, append(login, file("wrong"), "--cassandra-ca-file", file("ca.pem"))...)},
		{"no password", "Cassandra asks for a name and a password", on(named, "--cassandra-ca-file", file("ca.pem"))},
		{"another authority", "an authority of --cassandra-ca-file", on(named, append(login, file("password"), "--cassandra-ca-file", file("stranger.pem"))...)},
		{"another name", "the first name of --cassandra-hosts", on(address, known...)},
	} {
		harness.Want(t, 1, c.says, c.flags...)
	}
	for _, warning := range []string{"set commitlog_sync to group or batch", "stands in the way of the schema", "on one node only", "raise that above theirs"} {
		if !strings.Contains(s.Log.String(), warning) {
			t.Errorf("no word of what it %s: %s", warning, s.Log.String())
		}
	}

	session, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Query("ALTER ROLE cassandra WITH PASSWORD = 'renewed'").Exec(); err != nil {
		t.Fatal(err)
	}
	session.Close()
	newAuthority(t, file("ca.pem"), file("node.pem"))
	write(t, file("password"), "renewed\n")
	if err := nodes.Node(0).Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the server reads from the node as it is now", func() bool {
		return s.As("ann", `{ viewer { username } }`, "").At("data.viewer.username") == "ann"
	})
}

// newAuthority writes an authority's certificate, and a node's, which names localhost, with its key.
func newAuthority(t *testing.T, authority, node string) {
	t.Helper()
	now := time.Now()
	template := x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	own := template
	own.Subject.CommonName = "node"
	own.SerialNumber, own.IsCA, own.DNSNames = big.NewInt(now.UnixNano()+1), false, []string{"localhost"}
	own.KeyUsage, own.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	keys := make([]*ecdsa.PrivateKey, 2)
	for i := range keys {
		var err error
		if keys[i], err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	signed := func(c *x509.Certificate, key *ecdsa.PrivateKey) string {
		der, err := x509.CreateCertificate(rand.Reader, c, &template, &key.PublicKey, keys[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	key, err := x509.MarshalPKCS8PrivateKey(keys[1])
	if err != nil {
		t.Fatal(err)
	}
	write(t, authority, signed(&template, keys[0]))
	write(t, node, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))+signed(&own, keys[1]))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// forward passes connections to localhost on to the same port of another address, until t ends, and returns its name.
func forward(t *testing.T, address string) string {
	t.Helper()
	port := address[strings.LastIndexByte(address, ':'):]
	l, err := net.Listen("tcp", "127.0.0.1"+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			node, err := net.Dial("tcp", address)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(node, client); node.Close() }()
			go func() { _, _ = io.Copy(client, node); client.Close() }()
		}
	}()
	return "localhost" + port
}
