package program

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/cassandra/cluster"
	"broadsheet/internal/httpapi/limit"
)

// StoreFlags name a store, the same for every command, and for the benchmarks.
type StoreFlags struct {
	Store   string `default:"embedded" enum:"embedded,cassandra" help:"Where the data is. embedded: in a directory of this machine; cassandra: in a cluster."`
	DataDir string `default:"data" type:"path" help:"The embedded store's directory. It is made where it lacks."`

	JournalRetention time.Duration `default:"24h" help:"For how long the change feed keeps what commands did: whoever follows it may be away for that long. A change applies to new commands."`

	EmbeddedCache limit.Size `name:"embedded-cache-bytes" default:"67108864" help:"How much of the embedded store's files is kept in memory, in bytes."`
	Clock         blog.Clock `kong:"-"` // the embedded store's; nil: the machine's

	Hosts             []string      `name:"cassandra-hosts" placeholder:"HOST[:PORT]" help:"Some nodes of the Cassandra cluster. There is no default."`
	Keyspace          string        `name:"cassandra-keyspace" default:"broadsheet" help:"The keyspace of all tables."`
	Replication       string        `name:"cassandra-replication" default:"1" help:"How many replicas a keyspace that has to be created keeps: 3, or by datacentre dc1=3,dc2=3. The default, 1, loses data with a disk."`
	Consistency       string        `name:"cassandra-consistency" default:"LOCAL_QUORUM" help:"The consistency of reads and writes: LOCAL_QUORUM, QUORUM or ALL."`
	SerialConsistency string        `name:"cassandra-serial-consistency" default:"LOCAL_SERIAL" help:"The consistency of conditional writes: LOCAL_SERIAL, with all servers in one datacentre, or SERIAL."`
	Datacenter        string        `name:"cassandra-datacenter" placeholder:"NAME" help:"The datacentre whose nodes are used. The default is the cluster's only one."`
	Username          string        `name:"cassandra-username" placeholder:"NAME" help:"The name to log in with. The default is none."`
	Password          string        `name:"cassandra-password" placeholder:"SECRET" xor:"password" help:"The password to log in with. Others on the machine may see it: rather set BROADSHEET_CASSANDRA_PASSWORD or a file. The default is none."`
	PasswordFile      string        `name:"cassandra-password-file" placeholder:"FILE" xor:"password" help:"A file with the password. The default is none."`
	TLS               bool          `name:"cassandra-tls" help:"Encrypt connections and verify the nodes' certificates. The default is no."`
	CAFile            string        `name:"cassandra-ca-file" placeholder:"FILE" help:"The authorities that sign the nodes' certificates, PEM. The default is the system's."`
	CertFile          string        `name:"cassandra-cert-file" placeholder:"FILE" help:"The client's certificate, PEM. The default is none."`
	KeyFile           string        `name:"cassandra-key-file" placeholder:"FILE" help:"The client's private key, PEM. The default is none."`
	Timeout           time.Duration `name:"cassandra-timeout" default:"6s" help:"The longest that one statement may take; more than the nodes' own limits, 5s for a read."`
	FeedBucketWidth   time.Duration `name:"cassandra-feed-bucket-width" default:"168h" help:"The time span of the feed in one partition. A change applies to new posts."`
	FeedShards        int           `name:"cassandra-feed-shards" default:"1" help:"How many partitions such a span is spread over. A change applies to new posts."`
	JobRate           int           `name:"cassandra-job-rate" default:"5000" help:"How many copies a second this server writes in the background, after a rename or the deletion of a post."`
}

// The values of --store.
const (
	StoreEmbedded  = "embedded"
	StoreCassandra = "cassandra"
)

// Check returns an error that says which flags contradict each other.
func (f *StoreFlags) Check() error {
	if f.EmbeddedCache < 1<<20 {
		return errors.New("--embedded-cache-bytes must be at least 1048576")
	}
	if f.JournalRetention < time.Hour || f.JournalRetention > 30*24*time.Hour {
		return errors.New("--journal-retention must be between 1h and 720h")
	}
	if f.Store != StoreCassandra {
		if len(f.Hosts) > 0 {
			return errors.New("--cassandra-hosts is given but the store is the embedded one: add --store cassandra, or leave the hosts out")
		}
		return nil
	}
	if len(f.Hosts) == 0 {
		return errors.New("--store cassandra needs --cassandra-hosts, as in --cassandra-hosts 10.0.0.1:9042")
	}
	if f.Timeout <= 0 || f.FeedBucketWidth <= 0 || f.FeedShards <= 0 || f.JobRate <= 0 {
		return errors.New("--cassandra-timeout, --cassandra-feed-bucket-width, --cassandra-feed-shards and --cassandra-job-rate must be above zero")
	}
	config, err := f.Cassandra(nil)
	if err != nil {
		return err
	}
	return config.Validate()
}

// Cassandra returns the cluster that the flags name.
func (f *StoreFlags) Cassandra(log *slog.Logger) (cassandra.Config, error) {
	password := f.Password
	if f.PasswordFile != "" {
		text, err := os.ReadFile(f.PasswordFile)
		if err != nil {
			return cassandra.Config{}, fmt.Errorf("--cassandra-password-file: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	return cassandra.Config{Config: cluster.Config{
		Hosts: f.Hosts, Keyspace: f.Keyspace, Replication: f.Replication,
		Consistency: f.Consistency, SerialConsistency: f.SerialConsistency, Datacenter: f.Datacenter,
		Username: f.Username, Password: password,
		TLS: f.TLS, CAFile: f.CAFile, CertFile: f.CertFile, KeyFile: f.KeyFile,
		Timeout: f.Timeout, Log: log,
	}, FeedBucketWidth: f.FeedBucketWidth, FeedShards: f.FeedShards, JobRate: f.JobRate, AccountAge: blog.AccountAge}, nil
}
