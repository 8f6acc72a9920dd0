package cluster

import (
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

const maxReplicas = 100

var datacenterName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// ParseReplication reads "3" or "dc1=3,dc2=3".
func ParseReplication(s string) (Replication, error) {
	replicas := Replication{}
	for part := range strings.SplitSeq(s, ",") {
		datacenter, number, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			datacenter, number = "", datacenter
		}
		n, err := strconv.Atoi(number)
		_, twice := replicas[datacenter]
		if err != nil || n < 1 || n > maxReplicas || twice || named && !datacenterName.MatchString(datacenter) {
			return nil, badReplication(s)
		}
		replicas[datacenter] = n
	}
	if _, unnamed := replicas[""]; unnamed && len(replicas) > 1 {
		return nil, badReplication(s)
	}
	return replicas, nil
}

func badReplication(s string) error {
	return blog.Errorf(blog.Invalid, "replication %q: use a number, as in 3, or a number for each datacentre, as in dc1=3,dc2=3", s)
}

// In returns the replication with the unnamed datacentre named. Invalid: the cluster lacks a datacentre.
func (r Replication) In(datacenters []string) (Replication, error) {
	n, unnamed := r[""]
	if unnamed && len(datacenters) == 1 {
		return Replication{datacenters[0]: n}, nil
	}
	if unnamed {
		each := "=" + strconv.Itoa(n)
		return nil, blog.Errorf(blog.Invalid, "the cluster has the datacentres %s: name each one's replication, as in %s",
			strings.Join(datacenters, " and "), strings.Join(datacenters, each+",")+each)
	}
	for datacenter := range r {
		if !slices.Contains(datacenters, datacenter) {
			return nil, blog.Errorf(blog.Invalid, "the cluster has no datacentre %q, it has %s", datacenter, strings.Join(datacenters, " and "))
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

// overlap returns an Invalid error where a read need not see a write that was
// acknowledged before it, or where two conditional writes need not see each other.
func overlap(level gocql.Consistency, serial gocql.SerialConsistency, datacenter string, replicas Replication) error {
	total := 0
	for _, n := range replicas {
		total += n
	}
	local := level == gocql.LocalQuorum || level == gocql.LocalOne || serial == gocql.LocalSerial
	switch {
	case (level == gocql.One || level == gocql.LocalOne) && total > 1:
		return blog.Errorf(blog.Invalid, "consistency %v with %d replicas lets a read miss what was just written: use LOCAL_QUORUM", level, total)
	case local && len(replicas) > 1 && datacenter == "":
		return blog.Errorf(blog.Invalid, "with replicas in %d datacentres, %v and %v hold within one of them: name the one datacentre that all servers use, or use QUORUM with SERIAL", len(replicas), level, serial)
	}
	return nil
}

// Resolve checks the configuration against the cluster, and fills in the datacentre where there is only one.
func (c Config) Resolve(datacenters []string, replicas Replication) (Config, error) {
	switch {
	case c.Datacenter == "" && len(datacenters) == 1:
		c.Datacenter = datacenters[0]
	case c.Datacenter != "" && !slices.Contains(datacenters, c.Datacenter):
		return c, blog.Errorf(blog.Invalid, "the cluster has no datacentre %q, it has %s", c.Datacenter, strings.Join(datacenters, " and "))
	}
	if n, unnamed := replicas[""]; unnamed {
		replicas = Replication{}
		for _, datacenter := range datacenters {
			replicas[datacenter] = n
		}
	}
	level, serial := consistencies[c.Consistency], serialConsistencies[c.SerialConsistency]
	return c, overlap(level, serial, c.Datacenter, replicas)
}
