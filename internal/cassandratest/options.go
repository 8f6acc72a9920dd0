package cassandratest

import (
	"fmt"
	"maps"
)

// CommitLogSync says when a node syncs its commit log to disk. A write is
// acknowledged after the sync either way.
type CommitLogSync string

const (
	Batch CommitLogSync = "batch" // at once, for the writes that wait
	Group CommitLogSync = "group" // every 2 ms, for the writes that came since
)

// Options are what a cluster is launched with. The zero value is one node as
// most tests want it.
type Options struct {
	// Nodes is how many to launch, 1 if zero.
	Nodes int

	// Datacenters is how many the nodes are in, in turn, 1 if zero: datacenter1,
	// datacenter2 and so on.
	Datacenters int

	// Dir is the folder in which the cluster makes its own temporary one for
	// data and logs, os.TempDir() if empty. It has to exist.
	Dir string

	// HeapMB is a node's largest heap in MiB: if zero, 512 for one node and
	// 400 for each of several.
	HeapMB int

	// CommitLogSync is Batch if empty.
	CommitLogSync CommitLogSync

	// Optimize lets Java compile with its slow, thorough compiler as well. For
	// measurements; a node starts slower by half without serving tests better.
	Optimize bool

	// JMX lets Node.Nodetool reach the nodes.
	JMX bool

	// Settings are top-level settings of cassandra.yaml, each with its value
	// in YAML ("10s", "{a: 1}"). They replace what this package sets.
	Settings map[string]string

	// Env is what a node's environment has beside this process's, "name=value".
	Env []string

	// JVM are further arguments for java; the last of two that contradict
	// each other wins, and these come last.
	JVM []string
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() (Options, error) {
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	if o.Nodes < 0 || o.Nodes > maxNodes {
		return o, fmt.Errorf("cassandratest: %d nodes: want 1 to %d", o.Nodes, maxNodes)
	}
	if o.Datacenters = max(o.Datacenters, 1); o.Datacenters > o.Nodes {
		return o, fmt.Errorf("cassandratest: %d datacentres: each takes a node, of %d", o.Datacenters, o.Nodes)
	}
	if o.Datacenters > 1 {
		settings := map[string]string{"endpoint_snitch": "GossipingPropertyFileSnitch"}
		maps.Copy(settings, o.Settings)
		o.Settings = settings
	}
	if o.HeapMB == 0 {
		o.HeapMB = 512
		if o.Nodes > 1 {
			o.HeapMB = 400
		}
	}
	switch o.CommitLogSync {
	case "":
		o.CommitLogSync = Batch
	case Batch, Group:
	default:
		return o, fmt.Errorf("cassandratest: commit log sync %q: want %q or %q", o.CommitLogSync, Batch, Group)
	}
	return o, nil
}
