package program

import (
	"errors"
	"log/slog"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra"
	"broadsheet/internal/httpapi/limit"
)

// StoreFlags name a store, the same for every command, and for the benchmarks.
type StoreFlags struct {
	Store   string `default:"embedded" enum:"embedded,cassandra" help:"Where the data is. embedded: in a directory of this machine; cassandra: in a cluster."`
	DataDir string `default:"data" type:"path" help:"The embedded store's directory. It is made where it lacks."`

	JournalRetention time.Duration `default:"24h" help:"For how long the change feed keeps what commands did: whoever follows it may be away for that long. A change applies to new commands."`

	EmbeddedCache limit.Size `name:"embedded-cache-bytes" default:"16777216" help:"How much of the embedded store's files is kept in memory, in bytes."`
	Clock         blog.Clock `kong:"-"` // the embedded store's; nil: the machine's
	ReadOnly      bool       `kong:"-"` // the embedded store is opened and stays as it is

	cassandra.Config
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
	if f.Timeout <= 0 || f.FeedBucketWidth <= 0 || f.FeedShards <= 0 || f.JobRate <= 0 {
		return errors.New("--cassandra-timeout, --cassandra-feed-bucket-width, --cassandra-feed-shards and --cassandra-job-rate must be above zero")
	}
	return f.Config.Check()
}

// Cassandra returns the cluster that the flags name.
func (f *StoreFlags) Cassandra(log *slog.Logger) cassandra.Config {
	config := f.Config
	config.Log, config.AccountAge = log, blog.AccountAge
	return config
}
