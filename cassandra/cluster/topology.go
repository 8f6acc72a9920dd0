package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"broadsheet/blog"

	"github.com/gocql/gocql"
)

// Replication is how many replicas of each row there are in each datacentre. The
// name "" stands for whatever datacentre the cluster consists of.
type Replication map[string]int

// Nodes are how many nodes there are in each datacentre, those that are down among them.
type Nodes map[string]int

var datacenterName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// ParseReplication reads "3" or "dc1=3,dc2=3".
func ParseReplication(s string) (Replication, error) {
	bad := blog.Errorf(blog.Invalid, "replication %q: use a number, as in 3, or a number for each datacentre, as in dc1=3,dc2=3", s)
	replicas := Replication{}
	for part := range strings.SplitSeq(s, ",") {
		datacenter, number, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			datacenter, number = "", datacenter
		}
		n, err := strconv.Atoi(number)
		_, twice := replicas[datacenter]
		if err != nil || n < 1 || twice || named && !datacenterName.MatchString(datacenter) {
			return nil, bad
		}
		replicas[datacenter] = n
	}
	if _, unnamed := replicas[""]; unnamed && len(replicas) > 1 {
		return nil, bad
	}
	return replicas, nil
}

// In returns the replication with the unnamed datacentre named. Invalid: a datacentre has fewer nodes than it is to have
// replicas, or is none.
func (r Replication) In(nodes Nodes) (Replication, error) {
	datacenters := slices.Sorted(maps.Keys(nodes))
	n, unnamed := r[""]
	if unnamed && len(datacenters) > 1 {
		each := "=" + strconv.Itoa(n)
		return nil, blog.Errorf(blog.Invalid, "the cluster has the datacentres %s: name each one's replication, as in %s",
			strings.Join(datacenters, " and "), strings.Join(datacenters, each+",")+each)
	}
	if unnamed {
		r = Replication{datacenters[0]: n}
	}
	for datacenter, n := range r {
		if n > nodes[datacenter] {
			return nil, blog.Errorf(blog.Invalid, "a replication of %d in the datacentre %s takes as many nodes, and it has %d (the cluster: %v): start them first, or ask for fewer by --cassandra-replication",
				n, datacenter, nodes[datacenter], nodes)
		}
	}
	return r, nil
}

// Least returns the number of replicas where there are fewest.
func (r Replication) Least() int { return slices.Min(slices.Collect(maps.Values(r))) }

// CQL returns the keyspace option.
func (r Replication) CQL() string {
	option := []string{"'class': 'NetworkTopologyStrategy'"}
	for _, datacenter := range slices.Sorted(maps.Keys(r)) {
		option = append(option, fmt.Sprintf("'%s': %d", datacenter, r[datacenter]))
	}
	return "{" + strings.Join(option, ", ") + "}"
}

// ReplicationFrom reads the option back as system_schema.keyspaces has it. A
// strategy that knows no datacentres has its replicas in the unnamed one.
func ReplicationFrom(option map[string]string) Replication {
	replicas := Replication{}
	for name, value := range option {
		number, _, _ := strings.Cut(value, "/") // "3/1": of which one is transient
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		if name == "replication_factor" {
			name = ""
		}
		replicas[name] = n
	}
	return replicas
}

// overlap returns an Invalid error where two servers need not see each other's writes.
func overlap(level gocql.Consistency, serial gocql.SerialConsistency, datacenter string, replicas Replication) error {
	if (level == gocql.LocalQuorum || serial == gocql.LocalSerial) && len(replicas) > 1 && datacenter == "" {
		return blog.Errorf(blog.Invalid, "with replicas in %d datacentres, %v and %v hold within one of them: name the one datacentre that all servers use, or use QUORUM with SERIAL", len(replicas), level, serial)
	}
	return nil
}

// Writers says how a configuration that is resolved makes conditional writes: those of others have to be made alike.
func (c Config) Writers() string {
	if c.SerialConsistency == "SERIAL" {
		return c.SerialConsistency
	}
	return c.SerialConsistency + " in the datacentre " + c.Datacenter
}

// Resolve checks the configuration against the cluster and the keyspace's replication, and fills in the datacentre
// where there is only one.
func (c Config) Resolve(nodes Nodes, replicas Replication) (Config, error) {
	if only := slices.Collect(maps.Keys(nodes)); c.Datacenter == "" && len(only) == 1 {
		c.Datacenter = only[0]
	}
	if c.Datacenter != "" && nodes[c.Datacenter] == 0 {
		return c, blog.Errorf(blog.Invalid, "the cluster has no datacentre %q, it has %v", c.Datacenter, nodes)
	}
	n, simple := replicas[""]
	if simple {
		replicas = Replication{}
		for datacenter := range nodes {
			replicas[datacenter] = n
		}
	}
	level, serial := consistencies[c.Consistency], serialConsistencies[c.SerialConsistency]
	err := overlap(level, serial, c.Datacenter, replicas)
	if err != nil || simple && len(nodes) > 1 { // its replicas are anywhere
		return c, err
	}
	return c, cmp.Or(c.reachable(level.String(), nodes, replicas), c.reachable(serial.String(), nodes, replicas))
}

// reachable returns an Invalid error where a consistency needs more replicas than there are though every node be up.
func (c Config) reachable(level string, nodes Nodes, replicas Replication) error {
	wanted, held := 0, 0
	for datacenter, n := range replicas {
		if datacenter == c.Datacenter || !strings.HasPrefix(level, "LOCAL_") {
			wanted += n
			held += min(n, nodes[datacenter])
		}
	}
	needed := wanted/2 + 1
	if level == "ALL" {
		needed = max(1, wanted)
	}
	if held >= needed {
		return nil
	}
	return blog.Errorf(blog.Invalid, "the keyspace %s can't be used at %s, which takes %d of its %d replicas, for the nodes there hold %d: add nodes, or change its replication (ALTER KEYSPACE, then nodetool repair)",
		c.Keyspace, level, needed, wanted, held)
}
