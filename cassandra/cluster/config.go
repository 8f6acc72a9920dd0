package cluster

import (
	"cmp"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Config says where a cluster is and how it is used; its tags describe the flags that set it. The zero value of a
// field is its default; only Hosts has none. The other nodes are learnt from Hosts, and all share one port, 9042
// unless named. With Consistency a read sees every write that was acknowledged before. Writers with LOCAL_SERIAL in two
// datacentres don't see each other: where servers do not all name one Datacenter, SerialConsistency is SERIAL. The
// Timeout is more than a node itself waits for a read or a write, so that its own answer is what is seen.
type Config struct {
	Hosts             []string      `name:"cassandra-hosts" placeholder:"HOST[:PORT]" help:"Some nodes of the Cassandra cluster. There is no default."`
	Keyspace          string        `name:"cassandra-keyspace" default:"broadsheet" help:"The keyspace of all tables."`
	Replication       string        `name:"cassandra-replication" default:"1" help:"How many replicas a keyspace that has to be created keeps: 3, or by datacentre dc1=3,dc2=3. The default, 1, loses data with a disk."`
	Consistency       string        `name:"cassandra-consistency" default:"LOCAL_QUORUM" help:"The consistency of reads and writes: LOCAL_QUORUM, QUORUM or ALL."`
	SerialConsistency string        `name:"cassandra-serial-consistency" default:"LOCAL_SERIAL" help:"The consistency of conditional writes: LOCAL_SERIAL, with all servers in one datacentre, or SERIAL."`
	Datacenter        string        `name:"cassandra-datacenter" placeholder:"NAME" help:"The datacentre whose nodes are used. The default is the cluster's only one."`
	Username          string        `name:"cassandra-username" placeholder:"NAME" help:"The name to log in with. The default is none."`
	Password          string        `name:"cassandra-password" placeholder:"SECRET" xor:"password" help:"The password to log in with. Others on the machine may see it: rather set BROADSHEET_CASSANDRA_PASSWORD or a file. The default is none."`
	PasswordFile      string        `name:"cassandra-password-file" placeholder:"FILE" xor:"password" help:"A file with the password, read for each connection. The default is none."`
	TLS               bool          `name:"cassandra-tls" help:"Encrypt connections and verify the nodes' certificates: for the first name among the hosts, or each for the node's address where those are addresses. Files of certificates are read for each connection. The default is no."`
	CAFile            string        `name:"cassandra-ca-file" placeholder:"FILE" help:"The authorities that sign the nodes' certificates, PEM. The default is the system's."`
	CertFile          string        `name:"cassandra-cert-file" placeholder:"FILE" help:"The client's certificate, PEM. The default is none."`
	KeyFile           string        `name:"cassandra-key-file" placeholder:"FILE" help:"The client's private key, PEM. The default is none."`
	Timeout           time.Duration `name:"cassandra-timeout" default:"6s" help:"The longest that one statement may take; more than the nodes' own limits, 5s for a read."`

	// ConnectTimeout bounds each step of connecting to a node. Default 5 s.
	ConnectTimeout time.Duration `kong:"-"`

	// Received takes the size in bytes, without its header, of every frame that a node sends, by many connections
	// at once. nil: none.
	Received func(bytes int) `kong:"-"`

	ClusterClock blog.Clock   `kong:"-"` // the cluster's time, set by tests; nil: its nodes are asked
	Watch        *Watch       `kong:"-"` // of the nodes; nil: a new one
	Log          *slog.Logger `kong:"-"` // of what happens to the cluster; nil: the default
}

var (
	keyspaceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

	consistencies = map[string]gocql.Consistency{
		"LOCAL_QUORUM": gocql.LocalQuorum,
		"QUORUM":       gocql.Quorum,
		"ALL":          gocql.All,
	}
	serialConsistencies = map[string]gocql.SerialConsistency{
		"LOCAL_SERIAL": gocql.LocalSerial,
		"SERIAL":       gocql.Serial,
	}
)

// Check returns an Invalid error that says what to mend. The only file that it reads is the password's.
func (c Config) Check() error {
	c = c.WithDefaults()
	switch {
	case len(c.Hosts) == 0:
		return blog.Errorf(blog.Invalid, "--store cassandra needs --cassandra-hosts, as in --cassandra-hosts 10.0.0.1:9042")
	case !keyspaceName.MatchString(c.Keyspace):
		return blog.Errorf(blog.Invalid, "keyspace %q: use a lower-case letter, then at most 47 lower-case letters, digits and underscores", c.Keyspace)
	case c.TLS && (c.CertFile == "") != (c.KeyFile == ""):
		return blog.Errorf(blog.Invalid, "a client certificate needs both its files, certificate and key")
	case !c.TLS && c.CAFile+c.CertFile+c.KeyFile != "":
		return blog.Errorf(blog.Invalid, "certificates are named but TLS is off: turn it on, or leave them out")
	case (c.Username == "") != (c.Password+c.PasswordFile == ""):
		return blog.Errorf(blog.Invalid, "a name and a password belong together: give both --cassandra-username and --cassandra-password-file, or neither")
	}
	if _, err := c.password(); err != nil {
		return err
	}
	if _, err := portOf(c.Hosts); err != nil {
		return err
	}
	level, known := consistencies[c.Consistency]
	serial, serialKnown := serialConsistencies[c.SerialConsistency]
	switch {
	case !known:
		return blog.Errorf(blog.Invalid, "consistency %q: use LOCAL_QUORUM, QUORUM or ALL, for reads have to see earlier writes", c.Consistency)
	case !serialKnown:
		return blog.Errorf(blog.Invalid, "serial consistency %q: use LOCAL_SERIAL or SERIAL", c.SerialConsistency)
	}
	replicas, err := ParseReplication(c.Replication)
	if err != nil {
		return err
	}
	return overlap(level, serial, c.Datacenter, replicas)
}

// WithDefaults returns the configuration with every default filled in.
func (c Config) WithDefaults() Config {
	c.Keyspace = cmp.Or(c.Keyspace, "broadsheet")
	c.Replication = cmp.Or(c.Replication, "1")
	c.Consistency = cmp.Or(strings.ToUpper(c.Consistency), "LOCAL_QUORUM")
	c.SerialConsistency = cmp.Or(strings.ToUpper(c.SerialConsistency), "LOCAL_SERIAL")
	c.Timeout = cmp.Or(c.Timeout, 6*time.Second)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 5*time.Second)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Watch == nil {
		c.Watch = &Watch{log: c.Log, dialer: dialer{c}, nodes: map[string]*node{}}
	}
	return c
}

func (c Config) password() (string, error) {
	if c.PasswordFile == "" {
		return c.Password, nil
	}
	text, err := os.ReadFile(c.PasswordFile)
	if err != nil {
		return "", &blog.Error{Kind: blog.Invalid, Message: "--cassandra-password-file", Err: err}
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
