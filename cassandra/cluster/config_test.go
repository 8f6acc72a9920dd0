package cluster

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

func TestConfigCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Config)
		want string // part of the message; empty: accepted
	}{
		{"defaults", func(c *Config) {}, ""},
		{"no hosts", func(c *Config) { c.Hosts = nil }, "as in --cassandra-hosts 10"},
		{"hosts of two ports", func(c *Config) { c.Hosts = []string{"a:1", "b:2"} }, "different ports"},
		{"a default port beside another", func(c *Config) { c.Hosts = []string{"a", "b:9043"} }, "different ports"},
		{"a port that is none", func(c *Config) { c.Hosts = []string{"a:http"} }, "no port"},
		{"a keyspace in capitals", func(c *Config) { c.Keyspace = "Blog" }, "lower-case"},
		{"a keyspace with more in it", func(c *Config) { c.Keyspace = "a; DROP KEYSPACE b" }, "lower-case"},
		{"replication by datacentre", func(c *Config) { c.Replication, c.Datacenter = "dc1=3, dc2=3", "dc1" }, ""},
		{"replication that is no number", func(c *Config) { c.Replication = "three" }, "as in 3"},
		{"replication of none", func(c *Config) { c.Replication = "0" }, "as in 3"},
		{"replication mixed", func(c *Config) { c.Replication = "3,dc1=3" }, "as in 3"},
		{"replication twice", func(c *Config) { c.Replication = "dc1=3,dc1=2" }, "as in 3"},
		{"replication that closes the quote", func(c *Config) { c.Replication = "dc1'=3" }, "as in 3"},
		{"consistency in lower case", func(c *Config) { c.Consistency = "quorum" }, ""},
		{"each quorum can't be read", func(c *Config) { c.Consistency = "EACH_QUORUM" }, "LOCAL_QUORUM"},
		{"one replica sees nothing of another", func(c *Config) { c.Consistency = "ONE" }, "LOCAL_QUORUM"},
		{"serial that isn't", func(c *Config) { c.SerialConsistency = "QUORUM" }, "LOCAL_SERIAL"},
		{"two datacentres, both local", func(c *Config) { c.Replication = "a=3,b=3" }, "name the one datacentre"},
		{"two datacentres, local Paxos", func(c *Config) { c.Replication, c.Consistency = "a=3,b=3", "QUORUM" }, "name the one datacentre"},
		{"two datacentres as one", func(c *Config) {
			c.Replication, c.Consistency, c.SerialConsistency = "a=3,b=3", "QUORUM", "SERIAL"
		}, ""},
		{"half a client certificate", func(c *Config) { c.TLS, c.CertFile = true, "a.pem" }, "both"},
		{"a name without a password", func(c *Config) { c.Username = "u" }, "belong together"},
		{"a password without a name", func(c *Config) { c.Password = "p" }, "belong together"},
		{"certificates without TLS", func(c *Config) { c.CAFile = "ca.pem" }, "TLS is off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{Hosts: []string{"10.0.0.1:9042"}}
			c.edit(&config)
			err := config.Check()
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (blog.KindOf(err) != blog.Invalid || err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want a hint at %q", err, c.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	simple := ReplicationFrom(map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3"})
	network := ReplicationFrom(map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "a": "3", "b": "3/1"})
	for _, c := range []struct {
		name       string
		config     Config
		nodes      Nodes
		replicas   Replication
		datacenter string // that is used
		want       string // part of the message
	}{
		{"the only datacentre is taken", Config{}, Nodes{"a": 3}, Replication{"a": 3}, "a", ""},
		{"a strategy without datacentres", Config{}, Nodes{"a": 3}, simple, "a", ""},
		{"the same over two", Config{}, Nodes{"a": 3, "b": 3}, simple, "", "name the one datacentre"},
		{"its replicas are in either", Config{Consistency: "QUORUM", SerialConsistency: "SERIAL"}, Nodes{"a": 2, "b": 1}, simple, "", ""},
		{"two, one named", Config{Datacenter: "b"}, Nodes{"a": 3, "b": 3}, network, "b", ""},
		{"two, none named", Config{}, Nodes{"a": 3, "b": 3}, network, "", "name the one datacentre"},
		{"one that does not exist", Config{Datacenter: "c"}, Nodes{"a": 3, "b": 3}, network, "c", "no datacentre"},
		{"all of the cluster", Config{Consistency: "QUORUM", SerialConsistency: "SERIAL"}, Nodes{"a": 3, "b": 3}, network, "", ""},

		{"a quorum of nodes", Config{}, Nodes{"a": 2}, Replication{"a": 3}, "a", ""},
		{"fewer nodes than a quorum", Config{}, Nodes{"a": 1}, Replication{"a": 3}, "a", "LOCAL_QUORUM, which takes 2 of its 3 replicas, for the nodes there hold 1: add nodes"},
		{"fewer nodes than ALL", Config{Consistency: "ALL"}, Nodes{"a": 2}, Replication{"a": 3}, "a", "ALL, which takes 3 of its 3"},
		{"fewer nodes than SERIAL", Config{SerialConsistency: "SERIAL", Datacenter: "a"}, Nodes{"a": 1, "b": 3}, Replication{"a": 1, "c": 3}, "a", "SERIAL, which takes 3 of its 4"},
		{"no replica in the datacentre", Config{Datacenter: "a"}, Nodes{"a": 3, "b": 3}, Replication{"b": 3}, "a", "takes 1 of its 0"},
		{"no replica for ALL", Config{Consistency: "ALL", Datacenter: "a"}, Nodes{"a": 3}, Replication{"b": 3}, "a", "takes 3 of its 3"},
		{"no replica at all", Config{}, Nodes{"a": 3}, Replication{}, "a", "takes 1 of its 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.config.WithDefaults().Resolve(c.nodes, c.replicas)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if got.Datacenter != c.datacenter {
				t.Errorf("uses datacentre %q, want %q", got.Datacenter, c.datacenter)
			}
		})
	}
}

func TestReplicationOfWhatTheClusterHas(t *testing.T) {
	for _, c := range []struct {
		text  string
		nodes Nodes
		want  string
	}{
		{"3", Nodes{"a": 3}, "{'class': 'NetworkTopologyStrategy', 'a': 3}"},
		{"b=2,a=3", Nodes{"a": 3, "b": 3}, "{'class': 'NetworkTopologyStrategy', 'a': 3, 'b': 2}"},
		{"3", Nodes{"a": 3, "b": 3}, "a=3,b=3"},
		{"c=3", Nodes{"a": 3, "b": 3}, "3 in the datacentre c takes as many nodes, and it has 0 (the cluster: map[a:3 b:3])"},
		{"3", Nodes{"a": 2}, "3 in the datacentre a takes as many nodes, and it has 2"},
		{"a=3,b=3", Nodes{"a": 3, "b": 2}, "ask for fewer by --cassandra-replication"},
	} {
		wanted, err := ParseReplication(c.text)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err = wanted.In(c.nodes)
		got := wanted.CQL()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s in %v: %s, want %s", c.text, c.nodes, got, c.want)
		}
	}
}

func TestClusterConfig(t *testing.T) {
	c := Config{Hosts: []string{"10.0.0.1:9999"}, Username: "u", Password: "p", TLS: true}.WithDefaults()
	cluster, err := c.cluster("blog")
	if err != nil {
		t.Fatal(err)
	}
	if cluster.RetryPolicy != nil {
		t.Error("the driver would repeat statements by itself")
	}
	if !cluster.Events.DisableSchemaEvents {
		t.Error("a change of the schema on a bad network would have the driver wait for itself")
	}
	if d, is := c.Watch.dialer.(dialer); !is || !d.TLS || cluster.HostDialer != c.Watch {
		t.Error("connections would not be encrypted")
	}
	if cluster.Port != 9999 || cluster.Keyspace != "blog" || cluster.Consistency != gocql.LocalQuorum || cluster.SerialConsistency != gocql.LocalSerial {
		t.Errorf("port %d, keyspace %s, %v, %v", cluster.Port, cluster.Keyspace, cluster.Consistency, cluster.SerialConsistency)
	}
	c.Password, c.PasswordFile = "", filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(c.PasswordFile, []byte(" from a file \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cluster, err = c.cluster("blog")
	if err != nil {
		t.Fatal(err)
	}
	want := gocql.PasswordAuthenticator{Username: "u", Password: " from a file "}
	if login, err := cluster.AuthProvider(nil); err != nil || !reflect.DeepEqual(login, want) {
		t.Errorf("a password in a file: %v, %v", login, err)
	}
	want.Password = "renewed"
	if err := os.WriteFile(c.PasswordFile, []byte(want.Password), 0o600); err != nil {
		t.Fatal(err)
	}
	if login, err := cluster.AuthProvider(nil); err != nil || !reflect.DeepEqual(login, want) {
		t.Errorf("another password in the file: %v, %v", login, err)
	}
	c.CAFile = "/does/not/exist"
	if _, err := c.tls(); blog.KindOf(err) != blog.Invalid {
		t.Errorf("a CA file that lacks: %v", err)
	}
}

// A node that was convicted when a connection to it had just been made was not asked again by the process.
func TestNoNodeIsConvicted(t *testing.T) {
	driver, err := Config{Hosts: []string{"127.0.0.1"}}.WithDefaults().cluster("")
	if err != nil {
		t.Fatal(err)
	}
	if driver.ConvictionPolicy.AddFailure(io.EOF, &gocql.HostInfo{}) {
		t.Error("a node that can't be connected to is put aside")
	}
}
