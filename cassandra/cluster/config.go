package cluster

import (
	"cmp"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Config says where a cluster is and how it is used. The zero value of a
// field is its default; only Hosts has none.
type Config struct {
	// Hosts are some of the cluster's nodes, "host" or "host:port"; the rest are
	// learnt from them. All nodes share one port, 9042 unless named.
	Hosts []string

	// Keyspace holds every table. Default broadsheet.
	Keyspace string

	// Replication is how often each row is kept, for a keyspace that has to be created: "3" where the cluster is
	// one datacentre, else "dc1=3,dc2=3". Default 1, which loses data with a disk.
	Replication string

	// Consistency is that of every read and write, under which a read sees every write that was
	// acknowledged before: LOCAL_QUORUM (the default), QUORUM or ALL; ONE or LOCAL_ONE where there is one replica.
	Consistency string

	// SerialConsistency is that of conditional writes: LOCAL_SERIAL (the default), or SERIAL with QUORUM where
	// servers do not all name one Datacenter: writers with LOCAL_SERIAL in two datacentres don't see each other.
	SerialConsistency string

	// Datacenter is the one whose nodes are asked, and no others. It may be left out where the cluster has
	// only one.
	Datacenter string

	// Username and Password are for clusters that demand them.
	Username, Password string

	// TLS encrypts connections and verifies the nodes' certificates, by CAFile or else the system's authorities.
	// CertFile and KeyFile are the client's own, for clusters that demand one. All are PEM.
	TLS                       bool
	CAFile, CertFile, KeyFile string

	// Timeout bounds one statement. Default 6 s: more than a node itself waits
	// for a read (5 s) or a write, so that its own answer is what is seen.
	Timeout time.Duration

	// ConnectTimeout bounds each step of connecting to a node. Default 5 s.
	ConnectTimeout time.Duration

	// Received takes the size in bytes, without its header, of every frame that a node sends, by many connections
	// at once. nil: none.
	Received func(bytes int)

	// ClusterClock shows the cluster's time. nil: its nodes are asked. Tests set it.
	ClusterClock blog.Clock

	// Log is for what happens to the cluster. Default slog.Default().
	Log *slog.Logger
}

var (
	keyspaceName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

	consistencies = map[string]gocql.Consistency{
		"LOCAL_QUORUM": gocql.LocalQuorum,
		"QUORUM":       gocql.Quorum,
		"ALL":          gocql.All,
		"LOCAL_ONE":    gocql.LocalOne,
		"ONE":          gocql.One,
	}
	serialConsistencies = map[string]gocql.SerialConsistency{
		"LOCAL_SERIAL": gocql.LocalSerial,
		"SERIAL":       gocql.Serial,
	}
)

// Validate returns an Invalid error that says what to mend.
func (c Config) Validate() error {
	c = c.WithDefaults()
	switch {
	case len(c.Hosts) == 0:
		return blog.Errorf(blog.Invalid, "no host of the Cassandra cluster is named: give at least one, as in 10.0.0.1:9042")
	case !keyspaceName.MatchString(c.Keyspace):
		return blog.Errorf(blog.Invalid, "keyspace %q: use a lower-case letter, then at most 47 lower-case letters, digits and underscores", c.Keyspace)
	case c.TLS && (c.CertFile == "") != (c.KeyFile == ""):
		return blog.Errorf(blog.Invalid, "a client certificate needs both its files, certificate and key")
	case !c.TLS && c.CAFile+c.CertFile+c.KeyFile != "":
		return blog.Errorf(blog.Invalid, "certificates are named but TLS is off: turn it on, or leave them out")
	case c.Timeout < 0 || c.ConnectTimeout < 0:
		return blog.Errorf(blog.Invalid, "a timeout is negative")
	}
	if _, err := portOf(c.Hosts); err != nil {
		return err
	}
	level, known := consistencies[c.Consistency]
	serial, serialKnown := serialConsistencies[c.SerialConsistency]
	switch {
	case !known:
		return blog.Errorf(blog.Invalid, "consistency %q: use LOCAL_QUORUM, QUORUM or ALL, for reads have to see earlier writes; ONE only with one replica", c.Consistency)
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
	return c
}
